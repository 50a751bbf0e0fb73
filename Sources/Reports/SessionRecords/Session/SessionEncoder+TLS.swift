import ByteParsing
import SessionModel

extension SessionEncoder {
  /// Writes the members of the `tls` object.
  mutating func write(_ facts: Shared<TLSFacts>, of session: borrowing ObservedSession, to json: inout JSONObject) {
    json.text("sni", facts.serverName)
    if let outer = facts.outerHello { json.text("outerSNI", outer.serverName) }
    json.hexadecimal("clientRandom", facts.clientRandom.known)
    if let random = facts.innerRandom { json.hexadecimal("innerClientRandom", random) }
    json.hexadecimal("serverRandom", facts.serverRandom.known)
    // A truncated hello may end before its session ID.
    let isWhole = session.evidence.clientHello == .complete
    let isIDUnsure = facts.sharedServerHello == nil && !isWhole
    json.hexadecimal("sessionID", isIDUnsure ? facts.sessionID.known : facts.sessionID)
    if facts.sharedServerHello != nil, isWhole, facts.offeredSessionID != facts.sessionID {
      json.hexadecimal("offeredSessionID", facts.offeredSessionID)
    }
    if let ticket = facts.offeredTicket.known { json.hexadecimal("offeredTicket", ticket) }
    if let ticket = facts.issuedTicket.known { json.hexadecimal("issuedTicket", ticket) }
    let shape = HandshakeShape(facts, session.evidence)
    if facts.clientAlerts.isEmpty, facts.serverAlerts.isEmpty {
      json.members(handshakes.value(for: shape, cost: \.text.count) { RenderedHandshake(facts, shape) }.text)
    } else {
      // Alerts contain frame numbers, so the text cannot be shared.
      json.members(RenderedHandshake(facts, shape).text)
    }
    if let origin = session.resumedFrom {
      json.text("resumedFrom", origin)
      if let capture = session.resumedFromCapture { json.text("resumedFromCapture", capture) }
    }
    // With a leaf, they are members of its object.
    if !isCompact, facts.chain?.certificates.isEmpty ?? true {
      json.delivered(facts.ocspResponse, facts.sctList)
    }
  }
}

extension JSONObject {
  /// Writes the stapled OCSP response and the SCT list of the TLS extension as delivered.
  mutating func delivered(_ ocspResponse: Bytes?, _ sctList: Bytes?) {
    if let ocspResponse { base64("ocspResponse", ocspResponse) }
    if let sctList { base64("sctList", sctList) }
  }
}

extension ShortBytes {
  /// The bytes; nil if there are none.
  fileprivate var known: ShortBytes? { isEmpty ? nil : self }
}
