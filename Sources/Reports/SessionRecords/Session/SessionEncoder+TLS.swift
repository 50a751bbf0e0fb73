import ByteParsing
import SessionModel

extension SessionEncoder {
  /// Appends the `tls` object.
  mutating func append(
    _ facts: Shared<TLSFacts>, of session: borrowing ObservedSession, to output: inout Bytes
  ) {
    output.appendRaw("{\"sni\":")
    output.appendJSONText(facts.serverName)
    if let outer = facts.outerHello {
      output.appendRaw(",\"outerSNI\":")
      output.appendJSONText(outer.serverName)
    }
    output.appendRaw(",\"clientRandom\":")
    output.appendKnown(facts.clientRandom)
    if let random = facts.innerRandom {
      output.appendRaw(",\"innerClientRandom\":")
      output.appendJSONHexadecimal(random)
    }
    output.appendRaw(",\"serverRandom\":")
    output.appendKnown(facts.serverRandom)
    output.appendRaw(",\"sessionID\":")
    // A hello that is cut off may end before its identifier.
    if facts.serverHello == nil, session.evidence.clientHello != .complete {
      output.appendKnown(facts.sessionID)
    } else {
      output.appendJSONHexadecimal(facts.sessionID)
    }
    if facts.serverHello != nil, session.evidence.clientHello == .complete,
      facts.offeredSessionID != facts.sessionID
    {
      output.appendRaw(",\"offeredSessionID\":")
      output.appendJSONHexadecimal(facts.offeredSessionID)
    }
    if !facts.offeredTicket.isEmpty {
      output.appendRaw(",\"offeredTicket\":")
      output.appendJSONHexadecimal(facts.offeredTicket)
    }
    if !facts.issuedTicket.isEmpty {
      output.appendRaw(",\"issuedTicket\":")
      output.appendJSONHexadecimal(facts.issuedTicket)
    }
    let shape = HandshakeShape(facts.value, session.evidence)
    if facts.clientAlerts.isEmpty, facts.serverAlerts.isEmpty {
      let rendered = handshakes.value(for: shape, cost: \.text.count) { RenderedHandshake(facts, shape) }
      output.append(contentsOf: rendered.text)
    } else {
      // Alerts name their packets, so no other session will look the same.
      output.append(contentsOf: RenderedHandshake(facts, shape).text)
    }
    if let origin = session.resumedFrom {
      output.appendRaw(",\"resumedFrom\":")
      output.appendJSONText(origin)
      if let capture = session.resumedFromCapture {
        output.appendRaw(",\"resumedFromCapture\":")
        output.appendJSONText(capture)
      }
    }
    // Beside a leaf they stand in its object.
    if !isCompact, facts.chain?.certificates.isEmpty ?? true {
      output.appendDelivered(facts.ocspResponse, facts.sctList)
    }
    output.append(0x7D)
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends bytes in hexadecimal, or null where there are none.
  fileprivate mutating func appendKnown(_ bytes: ShortBytes) {
    if bytes.isEmpty { appendRaw("null") } else { appendJSONHexadecimal(bytes) }
  }

  /// Appends the stapled response and the list of the hello's extension, as they were delivered.
  mutating func appendDelivered(_ ocspResponse: Bytes?, _ sctList: Bytes?) {
    if let ocspResponse {
      appendRaw(",\"ocspResponse\":\"")
      Base64.append(ocspResponse, to: &self)
      append(0x22)
    }
    if let sctList {
      appendRaw(",\"sctList\":\"")
      Base64.append(sctList, to: &self)
      append(0x22)
    }
  }
}
