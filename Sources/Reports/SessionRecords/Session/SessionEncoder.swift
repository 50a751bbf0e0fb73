package import ATSEvaluation
package import ByteParsing
package import SessionModel
import Values

/// Writes sessions as `atscope.session/1` records (`docs/schemas/session.schema.json`).
///
/// Sessions share offers, ServerHellos, chains and judgements, so their text is rendered once and kept by the identity of
/// the objects. Use one encoder for a run, on one thread at a time.
package struct SessionEncoder {
  var handshakes = RecentTable<[HandshakeShape: RenderedHandshake]>(entriesPerGeneration: 1024, costPerGeneration: 1 << 20)
  var chains = RecentTable<[ObjectIdentifier: RenderedChain]>(entriesPerGeneration: 1024, costPerGeneration: 2 << 20)
  private var judgements = RecentTable<[ObjectIdentifier: RenderedJudgement]>(entriesPerGeneration: 1024, costPerGeneration: 1 << 20)

  /// Whether the certificate bytes, OCSP responses and SCT lists are omitted.
  let isCompact: Bool

  /// Creates an encoder with empty caches. Records of a compact encoder lack `der`, `ocspResponse` and `sctList`.
  package init(isCompact: Bool = false) { self.isCompact = isCompact }

  /// Appends the record of a session, without a line feed; without a judgement, the record has no `ats`.
  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    output.appendObject { json in
      json.string("schema", "atscope.session/1")
      json.string("id", session.identifier)
      json.string("communityID", SessionEncoder.communityID(of: session))
      SessionEncoder.writeConnection(of: session, to: &json)
      switch session.application {
      case .http: json.object("http", session.http)
      case .tls, .dtls:
        if let tls = session.sharedTLS {
          json.object("tls") { write(tls, of: session, to: &$0) }
        } else {
          json.null("tls")
        }
        writeCertificates(of: session, to: &json)
      }
      json.object("evidence") { $0.evidence(session.evidence, of: session.application) }
      if let judgement { write(judgement, evidence: session.evidence, to: &json) }
    }
  }

  /// Appends the judgement as an object of the schema `atscope.judgement/1`, without a line feed. `ordinal` is the index of the session
  /// within its unit, from 0.
  package mutating func append(
    _ judgement: Shared<Judgement>, of session: ObservedSession, unit: String?, ordinal: Int, to output: inout Bytes
  ) {
    output.appendObject { json in
      json.string("schema", "atscope.judgement/1")
      json.string("id", session.identifier)
      json.text("unit", unit)
      json.text("capture", session.file)
      json.number("ordinal", ordinal)
      write(judgement, evidence: session.evidence, to: &json)
    }
  }

  /// Writes the `ats` object.
  private mutating func write(_ judgement: Shared<Judgement>, evidence: Evidence, to json: inout JSONObject) {
    let rendered = judgements.value(for: judgement.identity, cost: \.byteCount) {
      RenderedJudgement(judgement)
    }
    json.object("ats") { json in
      json.members(rendered.head)
      json.objects("rules", rendered.rules) { json, rule in
        json.members(rule.beforeFrames)
        json.framesUnlessEmpty("frames", evidence.frames(of: rule.parts))
        json.members(rule.afterFrames)
      }
      json.members(rendered.tail)
    }
  }

  /// Writes the members from `capture` to those of the transport.
  private static func writeConnection(of session: ObservedSession, to json: inout JSONObject) {
    json.object("capture") { json in
      json.text("file", session.file)
      json.number("firstFrame", session.firstFrame)
      json.number("lastFrame", session.lastFrame)
      if !session.parts.isEmpty {
        json.objects("parts", session.parts) { json, part in
          json.text("file", part.file)
          json.number("framesBefore", part.framesBefore)
        }
      }
    }
    json.time("start", session.start)
    json.time("end", session.end)
    json.string("transport", session.transport.rawValue)
    if session.transport == .quic, let quic = session.quic { json.object("quic", quic) }
    json.string("application", session.application.rawValue)
    json.object("client", session.client)
    json.object("server", session.server)
    json.object("process", session.process)
    json.text("serverName", session.serverName)
    json.string("serverNameSource", session.serverNameSource?.rawValue)
    json.objects("nameHints", session.nameHints) { json, hint in
      json.text("name", hint.name)
      json.string("source", hint.source.rawValue)
      if let frame = hint.frame { json.number("frame", frame) }
    }
    json.texts("tunnel", session.tunnel.map(\.text))
    if let control = session.controlSession { json.text("controlSession", control) }
  }
}

extension Endpoint: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("address", address.description)
    json.number("port", port)
  }
}

extension CapturedProcess: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("name", name)
    json.number("pid", pid)
    if let uid { json.number("uid", uid) }
    json.boolean("effective", isEffective)
    if let service { json.text("service", service) }
    json.string("source", source.rawValue)
    json.string("certainty", certainty.rawValue)
  }
}

extension QUICFacts: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.code("version", UInt64(version), digits: 8)
    guard let close else { return json.null("close") }
    json.object("close") { json in
      // QUIC codes have up to 62 bits; the assigned ones have four digits.
      json.code("code", close.code, digits: close.code > 0xFFFF ? 16 : 4)
      json.number("frame", close.frame)
    }
  }
}

extension HTTPFacts: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.number("requestCount", requestCount)
    json.objects("requests", requests) { json, request in
      json.text("method", request.method)
      json.text("host", request.host)
      json.text("path", request.path)
      json.number("frame", request.frame)
      json.number("status", request.status)
      json.text("redirectScheme", request.redirectScheme)
      json.text("redirectHost", request.redirectHost)
      json.text("contentType", request.contentType)
      if let type = request.requestContentType { json.text("requestContentType", type) }
      if let scheme = request.scheme { json.text("scheme", scheme) }
      if let upgrade = request.upgrade { json.text("upgrade", upgrade) }
      if request.isTruncated { json.boolean("truncated", true) }
    }
  }
}
