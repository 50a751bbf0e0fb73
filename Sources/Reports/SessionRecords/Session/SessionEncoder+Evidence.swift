import SessionModel

extension JSONObject {
  /// Writes the members of the `evidence` object; for cleartext HTTP only those of the first request and the outcome.
  mutating func evidence(_ evidence: Evidence, of application: ObservedSession.Application) {
    let isTLS = application != .http
    string("clientHello", evidence.clientHello.rawValue)
    if isTLS {
      string("serverHello", evidence.serverHello.rawValue)
      string("certificates", evidence.certificates.rawValue)
      string("certificateStatus", evidence.certificateStatus.rawValue)
      string("serverKeyExchange", evidence.serverKeyExchange.rawValue)
    }
    number("missingBytes", evidence.missingBytes)
    number("truncatedPackets", evidence.truncatedPackets)
    string("clock", evidence.isClockPlausible ? "plausible" : "implausible")
    string("incomplete", evidence.incomplete?.rawValue)
    object("frames") { json in
      json.frames("clientHello", evidence.frames[.clientHello])
      if isTLS {
        json.frames("serverHello", evidence.frames[.serverHello])
        json.frames("certificates", evidence.frames[.certificates])
        json.framesUnlessEmpty("certificateStatus", evidence.frames[.certificateStatus])
        json.framesUnlessEmpty("serverKeyExchange", evidence.frames[.serverKeyExchange])
      }
      json.frames("outcome", evidence.frames[.outcome])
      json.framesUnlessEmpty("disagreements", evidence.disagreements)
    }
    if let contested = evidence.contested {
      object("contested") { json in
        for part in Evidence.Part.allCases {
          if let frames = contested[part] { json.frames(part.rawValue, frames) }
        }
      }
    }
    texts("notes", evidence.notes.map(\.rawValue))
  }

  mutating func frames(_ key: String, _ frames: FrameList) { numbers(key, frames.numbers) }

  mutating func framesUnlessEmpty(_ key: String, _ frames: FrameList) {
    if !frames.isEmpty { self.frames(key, frames) }
  }
}
