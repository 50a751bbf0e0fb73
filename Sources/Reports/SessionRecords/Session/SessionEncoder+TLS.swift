import ByteParsing
import CertificateParsing
import SessionObservation
import TLSParsing

extension SessionEncoder {
  /// Appends the `tls` object.
  mutating func append(_ facts: TLSFacts, of session: ObservedSession, to output: inout Bytes) {
    let key = HelloKey(
      offer: facts.offer.map(ObjectIdentifier.init), answer: facts.answer.map(ObjectIdentifier.init))
    let hellos = hellos.entry(key, size: \.byteCount) { RenderedHellos(facts.offer, facts.answer) }
    let isTLS13 = facts.answer?.content.version.isTLS13 == true
    output.appendRaw("{\"sni\":")
    output.appendJSONText(facts.serverName)
    output.appendRaw(",\"clientRandom\":")
    output.appendKnown(facts.clientRandom)
    output.appendRaw(",\"serverRandom\":")
    output.appendKnown(facts.serverRandom)
    output.appendRaw(",\"sessionID\":")
    if facts.offer == nil, facts.answer == nil {
      output.appendKnown(facts.sessionID)
    } else {
      output.appendJSONHexadecimal(facts.sessionID)
    }
    output.append(contentsOf: hellos.choice)
    appendKeyExchange(facts, isTLS13: isTLS13, to: &output)
    output.appendRaw(facts.helloRetryRequest ? ",\"helloRetryRequest\":true" : ",\"helloRetryRequest\":false")
    if facts.answer?.content.isHelloRetryRequest == true {
      output.appendRaw(",\"answerIsHelloRetryRequest\":true")
    }
    output.appendRaw(",\"resumed\":")
    output.appendJSON(facts.resumed)
    output.appendRaw(",\"resumption\":")
    output.appendJSONString(facts.resumption?.rawValue)
    output.append(contentsOf: hellos.extensions)
    output.appendRaw(",\"ocspStapled\":")
    output.appendJSON(facts.isOCSPStapled(session.evidence))
    appendTransparencySources(facts, session.evidence, to: &output)
    output.appendRaw(",\"clientCertificateRequested\":")
    output.appendJSON(facts.isClientCertificateRequested(session.evidence, isTLS13: isTLS13))
    output.appendRaw(",\"clientAlerts\":")
    output.append(facts.clientAlerts)
    output.appendRaw(",\"serverAlerts\":")
    output.append(facts.serverAlerts)
    output.appendRaw(facts.established ? ",\"established\":true" : ",\"established\":false")
    output.appendRaw(",\"outcome\":\"")
    output.appendRaw(facts.outcome.rawValue)
    output.appendRaw("\",\"decrypted\":false")
    output.append(contentsOf: hellos.fingerprints)
    // Beside a leaf they stand in its object.
    if facts.chain?.certificates.isEmpty ?? true { output.appendDelivered(facts) }
    output.append(0x7D)
  }

  private func appendKeyExchange(_ facts: TLSFacts, isTLS13: Bool, to output: inout Bytes) {
    output.appendRaw(",\"keyExchange\":")
    output.appendJSONString(KeyExchangeName.name(of: facts))
    output.appendRaw(",\"group\":")
    output.appendJSONCodePoint(facts.group?.rawValue)
    output.appendRaw(",\"groupName\":")
    output.appendJSONString(facts.group?.name)
    if let answer = facts.answer?.content, answer.keyShareGroup != answer.impliedKeyShare(of: facts.group) {
      output.appendRaw(",\"keyShareGroup\":")
      output.appendJSONCodePoint(answer.keyShareGroup?.rawValue)
    }
    if let exchange = facts.serverKeyExchange {
      output.appendRaw(",\"serverKeyExchange\":{\"bits\":")
      output.appendJSON(exchange.bits)
      output.appendRaw(",\"signatureScheme\":")
      output.appendJSONCodePoint(exchange.signatureScheme?.rawValue)
      if exchange.group != facts.group {
        output.appendRaw(",\"group\":")
        output.appendJSONCodePoint(exchange.group?.rawValue)
      }
      output.append(0x7D)
    } else if !isTLS13 {
      output.appendRaw(",\"serverKeyExchange\":null")
    }
  }

  /// Appends where SCTs came from; null where none were seen and the certificates were not seen either.
  private func appendTransparencySources(_ facts: TLSFacts, _ evidence: Evidence, to output: inout Bytes) {
    output.appendRaw(",\"sctSources\":")
    let leaf = facts.chain?.certificates.first
    guard leaf != nil || facts.sctList != nil else {
      output.appendRaw("null")
      return
    }
    output.append(0x5B)
    if let leaf, leaf.certificate.embeddedSCTs > 0 { output.appendRaw("\"certificate\"") }
    if facts.sctList != nil {
      output.appendJSONComma()
      output.appendRaw("\"extension\"")
    }
    output.append(0x5D)
  }
}

extension TLSFacts {
  /// Whether a response was stapled; nil where the capture cannot show it.
  fileprivate func isOCSPStapled(_ evidence: Evidence) -> Bool? {
    if ocspStapled { return true }
    switch evidence.certificateStatus {
    case .complete, .notSent, .resumed: return false
    case .partial, .missing, .encrypted: return nil
    }
  }

  /// Whether the server asked for a certificate; nil where the capture cannot show it.
  fileprivate func isClientCertificateRequested(_ evidence: Evidence, isTLS13: Bool) -> Bool? {
    if clientCertificateRequested { return true }
    // A flight that was seen whole, or one that has no room for the request.
    if !isTLS13, resumed == true || (established && evidence.incomplete == nil) { return false }
    return nil
  }
}

extension ServerAnswer.Content {
  /// The key share's group as it follows from the session's: the record names another only where there is one.
  func impliedKeyShare(of group: NamedGroup?) -> NamedGroup? {
    extensions.contains(ExtensionType(rawValue: 51)) ? group : nil
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends bytes in hexadecimal, or null where there are none.
  fileprivate mutating func appendKnown(_ bytes: Bytes) {
    if bytes.isEmpty { appendRaw("null") } else { appendJSONHexadecimal(bytes) }
  }

  /// Appends the stapled response and the list of the hello's extension, as they were delivered.
  mutating func appendDelivered(_ facts: TLSFacts) {
    if let response = facts.ocspResponse {
      appendRaw(",\"ocspResponse\":\"")
      Base64.append(response, to: &self)
      append(0x22)
    }
    if let list = facts.sctList {
      appendRaw(",\"sctList\":\"")
      Base64.append(list, to: &self)
      append(0x22)
    }
  }

  fileprivate mutating func append(_ alerts: [ObservedAlert]) {
    append(0x5B)
    for alert in alerts {
      appendJSONComma()
      appendRaw("{\"level\":")
      appendJSON(UInt64(alert.level))
      appendRaw(",\"description\":")
      appendJSON(UInt64(alert.description.rawValue))
      appendRaw(",\"name\":")
      appendJSONString(alert.description.name)
      appendRaw(",\"frame\":")
      appendJSON(alert.frame)
      append(0x7D)
    }
    append(0x5D)
  }
}
