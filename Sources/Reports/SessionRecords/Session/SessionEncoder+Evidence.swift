import SessionModel

extension ContiguousArray where Element == UInt8 {
  /// Appends the `evidence` object. Of cleartext HTTP only the first request and the outcome can be spoken of.
  mutating func append(_ evidence: Evidence, of application: ObservedSession.Application) {
    appendState("{\"clientHello\":\"", evidence.clientHello)
    if application != .http {
      appendState("\",\"serverHello\":\"", evidence.serverHello)
      appendState("\",\"certificates\":\"", evidence.certificates)
      appendState("\",\"certificateStatus\":\"", evidence.certificateStatus)
      appendState("\",\"serverKeyExchange\":\"", evidence.serverKeyExchange)
    }
    appendRaw("\",\"missingBytes\":")
    appendJSON(evidence.missingBytes)
    appendRaw(",\"truncatedPackets\":")
    appendJSON(evidence.truncatedPackets)
    appendRaw(evidence.isClockPlausible ? ",\"clock\":\"plausible\"" : ",\"clock\":\"implausible\"")
    appendRaw(",\"incomplete\":")
    appendJSONString(evidence.incomplete?.rawValue)
    appendRaw(",\"frames\":{\"clientHello\":")
    appendJSON(evidence.frames[.clientHello])
    if application != .http {
      appendRaw(",\"serverHello\":")
      appendJSON(evidence.frames[.serverHello])
      appendRaw(",\"certificates\":")
      appendJSON(evidence.frames[.certificates])
      appendUnlessEmpty(",\"certificateStatus\":", evidence.frames[.certificateStatus])
      appendUnlessEmpty(",\"serverKeyExchange\":", evidence.frames[.serverKeyExchange])
    }
    appendRaw(",\"outcome\":")
    appendJSON(evidence.frames[.outcome])
    appendUnlessEmpty(",\"disagreements\":", evidence.disagreements)
    append(0x7D)
    if let contested = evidence.contested { append(contested: contested) }
    appendRaw(",\"notes\":")
    appendJSONTexts(evidence.notes)
    append(0x7D)
  }

  /// Appends the parts whose copies disagree, with their packets.
  private mutating func append(contested: [Evidence.Part: FrameList]) {
    var separator = ",\"contested\":{\""
    for part in Evidence.Part.allCases {
      guard let frames = contested[part] else { continue }
      appendRaw(separator)
      appendRaw(part.rawValue)
      appendRaw("\":")
      appendJSON(frames)
      separator = ",\""
    }
    append(0x7D)
  }

  private mutating func appendState(_ key: String, _ state: Evidence.State) {
    appendRaw(key)
    appendRaw(state.rawValue)
  }

  private mutating func appendUnlessEmpty(_ key: String, _ frames: FrameList) {
    guard !frames.isEmpty else { return }
    appendRaw(key)
    appendJSON(frames)
  }

  mutating func appendJSON(_ frames: FrameList) {
    appendJSONNumbers(frames.numbers)
  }
}
