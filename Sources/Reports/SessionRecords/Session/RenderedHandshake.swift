import ByteParsing
import SessionModel
import TLSParsing

/// The `tls` object of a record from `offeredVersions` to `ja4`.
final class RenderedHandshake {
  /// Held so that no other objects take their identity.
  private let offer: Shared<ClientOffer>?
  private let serverHello: Shared<ServerHelloFacts>?

  /// The text, which begins with a comma.
  private(set) var text = Bytes()

  init(_ facts: Shared<TLSFacts>, _ shape: HandshakeShape) {
    offer = facts.offer
    serverHello = facts.serverHello
    text.append(0x2C)
    renderChoice(offer, serverHello, shape.protectedALPN)
    renderKeyExchange(
      facts.serverKeyExchange, facts.handshakeSignature, group: facts.group, isWhole: shape.isServerHelloWhole
    )
    renderResumption(shape)
    renderExtensions(shape)
    renderCertificateFacts(shape)
    text.appendRaw(",\"clientAlerts\":")
    text.append(facts.clientAlerts)
    text.appendRaw(",\"serverAlerts\":")
    text.append(facts.serverAlerts)
    text.appendRaw(",\"established\":")
    text.appendJSON(facts.established)
    text.appendRaw(",\"outcome\":")
    text.appendJSONString(facts.outcome.rawValue)
    text.appendRaw(",\"decrypted\":")
    text.appendJSON(shape.isDecrypted)
    text.appendRaw(",\"ja3\":")
    text.appendJSONString(offer?.ja3)
    text.appendRaw(",\"ja3s\":")
    text.appendJSONString(serverHello?.ja3s)
    text.appendRaw(",\"ja4\":")
    // JA4 holds two characters of the first ALPN name as they were sent.
    text.appendJSONText(offer?.ja4)
  }

  private var isTLS13: Bool { serverHello?.version.hasTLS13Handshake == true }

  private func renderChoice(
    _ offer: Shared<ClientOffer>?, _ serverHello: Shared<ServerHelloFacts>?, _ protectedALPN: String?
  ) {
    if let offer, offer.legacyVersion != offer.impliedLegacyVersion {
      text.appendJSONKey("legacyVersion")
      text.appendJSONCodePoint(offer.legacyVersion.rawValue)
    }
    if offer?.isSSL2Format == true {
      text.appendJSONKey("ssl2ClientHello")
      text.appendJSON(true)
    }
    // Of a hello that is cut off, the extension that tells may be missing.
    append("offeredVersions", offer.flatMap { $0.isCutOff && $0.versions.isEmpty ? nil : $0.versions })
    text.appendRaw(",\"version\":")
    text.appendJSONCodePoint(serverHello?.seenVersion?.rawValue)
    text.appendRaw(",\"versionName\":")
    text.appendJSONString(serverHello?.seenVersion?.name)
    text.appendRaw(",\"cipherSuite\":")
    text.appendJSONCodePoint(serverHello?.cipherSuite?.rawValue)
    text.appendRaw(",\"cipherSuiteName\":")
    text.appendJSONString(serverHello?.cipherSuite?.name)
    append("offeredCipherSuites", offer?.cipherSuites)
    text.appendRaw(",\"offeredCompressionMethods\":")
    if let offer {
      text.appendJSONNumbers(offer.compressionMethods.lazy.map(UInt64.init))
    } else {
      text.appendRaw("null")
    }
    text.appendRaw(",\"compressionMethod\":")
    text.appendJSON(serverHello?.compressionMethod.map(UInt64.init))
    append("offeredExtensions", offer?.extensions)
    append("serverExtensions", serverHello?.extensions)
    append("offeredGroups", offer?.groups)
    append("offeredSignatureSchemes", offer?.signatureSchemes)
    append("offeredCertificateSignatureSchemes", offer?.certificateSignatureSchemes)
    text.appendRaw(",\"alpn\":")
    text.appendJSONText(serverHello?.alpn ?? protectedALPN)
    text.appendRaw(",\"offeredAlpn\":")
    if let offer { text.appendJSONTexts(offer.alpn) } else { text.appendRaw("null") }
  }

  private func append<CodePoint: RawRepresentable<UInt16>>(_ key: String, _ values: [CodePoint]?) {
    text.appendJSONKey(key)
    if let values { text.appendJSONCodePoints(values) } else { text.appendRaw("null") }
  }

  private func renderKeyExchange(
    _ exchange: ServerKeyExchangeFacts?, _ signature: HandshakeSignature?, group: NamedGroup?, isWhole: Bool
  ) {
    text.appendRaw(",\"keyExchange\":")
    text.appendJSONString(
      serverHello.flatMap { KeyExchangeName.name($0.value, isWhole: isWhole, group: group) })
    text.appendRaw(",\"group\":")
    text.appendJSONCodePoint(group?.rawValue)
    text.appendRaw(",\"groupName\":")
    text.appendJSONString(group?.name)
    if let serverHello = serverHello?.value,
      serverHello.keyShareGroup != serverHello.impliedKeyShare(of: group)
    {
      text.appendRaw(",\"keyShareGroup\":")
      text.appendJSONCodePoint(serverHello.keyShareGroup?.rawValue)
    }
    if let exchange {
      text.appendRaw(",\"serverKeyExchange\":{\"bits\":")
      text.appendJSON(exchange.bits)
      text.appendRaw(",\"signatureScheme\":")
      text.appendJSONCodePoint(exchange.signatureScheme?.rawValue)
      if exchange.group != group {
        text.appendRaw(",\"group\":")
        text.appendJSONCodePoint(exchange.group?.rawValue)
      }
      text.append(0x7D)
    } else if !isTLS13 {
      text.appendRaw(",\"serverKeyExchange\":null")
    }
    if let signature {
      text.appendRaw(",\"handshakeSignature\":")
      text.appendJSONString(signature.rawValue)
    }
  }

  private func renderResumption(_ shape: HandshakeShape) {
    text.appendRaw(",\"helloRetryRequest\":")
    text.appendJSON(shape.helloRetryRequest)
    if serverHello?.isHelloRetryRequest == true {
      text.appendRaw(",\"answerIsHelloRetryRequest\":true")
    }
    text.appendRaw(",\"resumed\":")
    text.appendJSON(shape.resumed)
    text.appendRaw(",\"resumption\":")
    text.appendJSONString(shape.resumption?.rawValue)
  }

  private func renderExtensions(_ shape: HandshakeShape) {
    // TLS 1.3 has neither: its key schedule binds the handshake, and it does not renegotiate.
    if !isTLS13 {
      text.appendRaw(",\"extendedMasterSecret\":")
      text.appendJSON(serverHello.flatMap { has(ExtensionType(rawValue: 23), $0) })
      text.appendRaw(",\"secureRenegotiation\":")
      text.appendJSON(serverHello.flatMap { has(ExtensionType(rawValue: 0xFF01), $0) })
    }
    text.appendRaw(",\"encryptedClientHello\":")
    let encrypted = offer.flatMap { offer -> Bool? in
      let isThere = offer.extensions.contains(ExtensionType(rawValue: 0xFE0D))
      return !isThere && offer.isCutOff ? nil : isThere
    }
    // Secrets that were logged under the outer hello's random belong to a handshake that used the outer hello.
    let state = shape.isEncryptedClientHelloAccepted ? "accepted" : shape.isDecrypted ? "rejected" : "offered"
    text.appendJSONString(encrypted.map { $0 ? state : "absent" })
  }

  /// Whether a ServerHello has an extension; nil where it may stand in a part of the hello that is not there.
  private func has(_ type: ExtensionType, _ serverHello: Shared<ServerHelloFacts>) -> Bool? {
    if serverHello.extensions.contains(type) { return true }
    return serverHello.ja3s == nil && serverHello.version != .ssl2 ? nil : false
  }

  private func renderCertificateFacts(_ shape: HandshakeShape) {
    text.appendRaw(",\"ocspStapled\":")
    text.appendJSON(shape.ocspStapled)
    text.appendRaw(",\"sctSources\":")
    if shape.leafHasSCTs == nil, !shape.hasSCTList {
      text.appendRaw("null")
    } else {
      text.append(0x5B)
      if shape.leafHasSCTs == true { text.appendRaw("\"certificate\"") }
      if shape.hasSCTList {
        text.appendJSONComma()
        text.appendRaw("\"extension\"")
      }
      text.append(0x5D)
    }
    text.appendRaw(",\"clientCertificateRequested\":")
    text.appendJSON(shape.clientCertificateRequested)
  }
}

extension ContiguousArray where Element == UInt8 {
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

extension ClientOffer {
  /// Whether the hello was not there to its end, or malformed: what it does not name may have been offered all the same.
  var isCutOff: Bool { ja3 == nil && !isSSL2Format }

  /// `legacy_version` as it follows from the rest: the record names another only where there is one.
  ///
  /// With supported_versions (extension 43) it is TLS 1.2 (RFC 8446 §4.1.2), and without, the one version offered.
  var impliedLegacyVersion: TLSVersion? {
    extensions.contains(ExtensionType(rawValue: 43)) ? .tls12 : versions.first
  }
}

extension ServerHelloFacts {
  /// The key share's group as it follows from the session's: the record names another only where there is one.
  func impliedKeyShare(of group: NamedGroup?) -> NamedGroup? {
    extensions.contains(ExtensionType(rawValue: 51)) ? group : nil
  }
}
