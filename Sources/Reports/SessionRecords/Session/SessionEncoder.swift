package import ATSEvaluation
package import ByteParsing
package import SessionModel

/// Writes sessions as `atscope.session/1` records (`docs/schemas/session.schema.json`).
///
/// Sessions share offers, ServerHellos, chains and judgements, so what these look like is rendered once and kept, by the
/// identity of the objects. Make one encoder for a run and pass it on; it is not for several threads.
package struct SessionEncoder {
  var handshakes = RecentTable<[HandshakeShape: RenderedHandshake]>(maximumCount: 1024, maximumCost: 1 << 20)
  var chains = RecentTable<[ObjectIdentifier: RenderedChain]>(maximumCount: 1024, maximumCost: 2 << 20)
  var judgements = RecentTable<[ObjectIdentifier: RenderedJudgement]>(
    maximumCount: 1024, maximumCost: 1 << 20)

  private var file = ""
  private var renderedFile = Bytes("\"\"".utf8)

  /// The frame lists of the session at hand, for the rules that rest on the same parts.
  var frameTexts = FrameTexts()

  /// Whether what certificates are judged from is left out.
  let isCompact: Bool

  /// Creates an encoder that has rendered nothing yet. Records of a compact one lack `der`, `ocspResponse` and `sctList`.
  package init(isCompact: Bool = false) { self.isCompact = isCompact }

  /// Appends the record of a session, without a line feed; without a judgement the record has no `ats`.
  package mutating func append(
    _ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes
  ) {
    output.appendRaw("{\"schema\":\"atscope.session/1\",\"id\":\"")
    output.appendIdentifier(SessionIdentifier(session).hash)
    output.appendRaw("\",\"communityID\":")
    output.appendCommunityID(of: session)
    output.appendRaw(",\"capture\":{\"file\":")
    appendFile(of: session, to: &output)
    appendConnection(of: session, to: &output)
    switch session.application {
    case .http:
      output.appendRaw(",\"http\":")
      if let http = session.http { output.append(http) } else { output.appendRaw("null") }
    case .tls, .dtls:
      output.appendRaw(",\"tls\":")
      if let tls = session.tls { append(tls, of: session, to: &output) } else { output.appendRaw("null") }
      appendCertificates(of: session, to: &output)
    }
    output.appendRaw(",\"evidence\":")
    output.append(session.evidence, of: session.application)
    if let judgement {
      output.appendRaw(",\"ats\":")
      append(judgement, evidence: session.evidence, to: &output)
    }
    output.append(0x7D)
  }

  /// Appends a judgement alone as an object of the schema `atscope.judgement/1`, without a line feed. `ordinal` is the index of the session
  /// among those of its unit, from 0.
  package mutating func append(
    _ judgement: Shared<Judgement>, of session: ObservedSession, unit: String?, ordinal: Int,
    to output: inout Bytes
  ) {
    output.appendRaw("{\"schema\":\"atscope.judgement/1\",\"id\":\"")
    output.appendIdentifier(SessionIdentifier(session).hash)
    output.appendRaw("\",\"unit\":")
    output.appendJSONText(unit)
    output.appendRaw(",\"capture\":")
    appendFile(of: session, to: &output)
    output.appendRaw(",\"ordinal\":")
    output.appendJSON(ordinal)
    output.appendRaw(",\"ats\":")
    append(judgement, evidence: session.evidence, to: &output)
    output.append(0x7D)
  }

  /// Appends the name of a session's capture.
  private mutating func appendFile(of session: ObservedSession, to output: inout Bytes) {
    if file != session.file {
      file = session.file
      renderedFile.removeAll(keepingCapacity: true)
      renderedFile.appendJSONText(file)
    }
    output.append(contentsOf: renderedFile)
  }

  /// Appends from the frames to what the session travelled in.
  private func appendConnection(of session: ObservedSession, to output: inout Bytes) {
    output.appendRaw(",\"firstFrame\":")
    output.appendJSON(session.firstFrame)
    output.appendRaw(",\"lastFrame\":")
    output.appendJSON(session.lastFrame)
    if !session.parts.isEmpty { output.append(session.parts) }
    output.appendRaw("},\"start\":")
    output.appendJSON(session.start)
    output.appendRaw(",\"end\":")
    output.appendJSON(session.end)
    switch session.transport {
    case .tcp: output.appendRaw(",\"transport\":\"tcp\"")
    case .udp: output.appendRaw(",\"transport\":\"udp\"")
    case .quic:
      output.appendRaw(",\"transport\":\"quic\"")
      if let quic = session.quic { output.append(quic) }
    }
    switch session.application {
    case .tls: output.appendRaw(",\"application\":\"tls\",\"client\":")
    case .http: output.appendRaw(",\"application\":\"http\",\"client\":")
    case .dtls: output.appendRaw(",\"application\":\"dtls\",\"client\":")
    }
    output.appendJSON(session.client)
    output.appendRaw(",\"server\":")
    output.appendJSON(session.server)
    output.appendRaw(",\"process\":")
    output.append(process: session.process)
    output.appendRaw(",\"serverName\":")
    output.appendJSONText(session.serverName)
    output.appendRaw(",\"serverNameSource\":")
    output.appendJSONString(session.serverNameSource?.rawValue)
    output.appendRaw(",\"nameHints\":[")
    for hint in session.nameHints { output.append(hint) }
    output.appendRaw("],\"tunnel\":")
    output.appendJSONTexts(session.tunnel)
    if let control = session.controlSession {
      output.appendRaw(",\"controlSession\":")
      output.appendJSONText(control)
    }
  }
}

extension SessionEncoder {
  /// The stable name of a session, as its record has it: sixteen hexadecimal digits.
  package static func identifier(of session: ObservedSession) -> String {
    var text = Bytes()
    text.appendIdentifier(SessionIdentifier(session).hash)
    return String(decoding: text, as: UTF8.self)
  }

  /// The Community ID of a session's flow, as its record has it.
  package static func communityID(of session: ObservedSession) -> String {
    var text = Bytes()
    text.appendCommunityID(of: session)
    return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendIdentifier(_ hash: UInt64) {
    append(addingCapacity: 16) { text in
      text.appendHexadecimal(hash, digits: 16)
    }
  }

  fileprivate mutating func append(_ parts: [CapturePart]) {
    appendRaw(",\"parts\":[")
    for part in parts {
      appendJSONComma()
      appendRaw("{\"file\":")
      appendJSONText(part.file)
      appendRaw(",\"framesBefore\":")
      appendJSON(part.framesBefore)
      append(0x7D)
    }
    append(0x5D)
  }

  fileprivate mutating func append(_ hint: NameHint) {
    appendJSONComma()
    appendRaw("{\"name\":")
    appendJSONText(hint.name)
    appendRaw(",\"source\":")
    appendJSONString(hint.source.rawValue)
    if let frame = hint.frame {
      appendRaw(",\"frame\":")
      appendJSON(frame)
    }
    append(0x7D)
  }

  fileprivate mutating func append(_ facts: QUICFacts) {
    appendRaw(",\"quic\":{\"version\":\"0x")
    append(addingCapacity: 8) { text in
      text.appendHexadecimal(UInt64(facts.version) << 32, digits: 8)
    }
    appendRaw("\",\"close\":")
    guard let close = facts.close else {
      appendRaw("null}")
      return
    }
    // Codes of QUIC have up to 62 bits; those that are assigned have four digits.
    appendRaw("{\"code\":\"0x")
    append(addingCapacity: 16) { text in
      if close.code > 0xFFFF {
        text.appendHexadecimal(close.code, digits: 16)
      } else {
        text.appendHexadecimal(close.code << 48, digits: 4)
      }
    }
    appendRaw("\",\"frame\":")
    appendJSON(close.frame)
    appendRaw("}}")
  }

  /// Appends the cleartext requests.
  fileprivate mutating func append(_ facts: HTTPFacts) {
    appendRaw("{\"requestCount\":")
    appendJSON(facts.requestCount)
    appendRaw(",\"requests\":[")
    for request in facts.requests {
      appendJSONComma()
      appendRaw("{\"method\":")
      appendJSONText(request.method)
      appendRaw(",\"host\":")
      appendJSONText(request.host)
      appendRaw(",\"path\":")
      appendJSONText(request.path)
      appendRaw(",\"frame\":")
      appendJSON(request.frame)
      appendRaw(",\"status\":")
      appendJSON(request.status)
      appendRaw(",\"redirectScheme\":")
      appendJSONText(request.redirectScheme)
      appendRaw(",\"redirectHost\":")
      appendJSONText(request.redirectHost)
      appendRaw(",\"contentType\":")
      appendJSONText(request.contentType)
      if let upgrade = request.upgrade {
        appendRaw(",\"upgrade\":")
        appendJSONText(upgrade)
      }
      append(0x7D)
    }
    appendRaw("]}")
  }
}
