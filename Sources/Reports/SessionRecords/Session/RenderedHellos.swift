import ByteParsing
import SessionObservation
import TLSParsing

/// What a record says of an offer and an answer, in the three stretches in which it says it.
struct RenderedHellos {
  /// Held so that no other objects take their identity.
  let offer: ClientOffer?
  let answer: ServerAnswer?

  /// From `offeredVersions` to `offeredAlpn`.
  var choice = Bytes()

  /// From `extendedMasterSecret` to `encryptedClientHello`.
  var extensions = Bytes()

  /// From `ja3` to `ja4`.
  var fingerprints = Bytes()

  init(_ offer: ClientOffer?, _ answer: ServerAnswer?) {
    self.offer = offer
    self.answer = answer
    renderChoice(offer?.content, answer?.content)
    renderExtensions(offer, answer)
    fingerprints.appendRaw(",\"ja3\":")
    fingerprints.appendJSONString(offer?.content.ja3)
    fingerprints.appendRaw(",\"ja3s\":")
    fingerprints.appendJSONString(answer?.content.ja3s)
    fingerprints.appendRaw(",\"ja4\":")
    // JA4 holds two characters of the first ALPN name as they were sent.
    fingerprints.appendJSONText(offer?.content.ja4)
  }

  var byteCount: Int { choice.count + extensions.count + fingerprints.count }

  private mutating func renderChoice(_ offer: ClientOffer.Content?, _ answer: ServerAnswer.Content?) {
    choice.append(0x2C)
    if let offer, offer.legacyVersion != offer.impliedLegacyVersion {
      choice.appendJSONKey("legacyVersion")
      choice.appendJSONCodePoint(offer.legacyVersion.rawValue)
    }
    if offer?.isSSL2Format == true {
      choice.appendJSONKey("ssl2ClientHello")
      choice.appendJSON(true)
    }
    append("offeredVersions", offer?.versions)
    choice.appendRaw(",\"version\":")
    choice.appendJSONCodePoint(answer?.version.rawValue)
    choice.appendRaw(",\"cipherSuite\":")
    choice.appendJSONCodePoint(answer?.cipherSuite?.rawValue)
    choice.appendRaw(",\"cipherSuiteName\":")
    choice.appendJSONString(answer?.cipherSuite?.name)
    append("offeredCipherSuites", offer?.cipherSuites)
    choice.appendRaw(",\"offeredCompressionMethods\":")
    if let offer {
      choice.appendJSONNumbers(offer.compressionMethods.lazy.map(UInt64.init))
    } else {
      choice.appendRaw("null")
    }
    choice.appendRaw(",\"compressionMethod\":")
    choice.appendJSON(answer?.compressionMethod.map(UInt64.init))
    append("offeredExtensions", offer?.extensions)
    append("serverExtensions", answer?.extensions)
    append("offeredGroups", offer?.groups)
    append("offeredSignatureSchemes", offer?.signatureSchemes)
    append("offeredCertificateSignatureSchemes", offer?.certificateSignatureSchemes)
    choice.appendRaw(",\"alpn\":")
    choice.appendJSONText(answer?.alpn)
    choice.appendRaw(",\"offeredAlpn\":")
    if let offer { choice.appendJSONTexts(offer.alpn) } else { choice.appendRaw("null") }
  }

  private mutating func append<CodePoint: RawRepresentable<UInt16>>(_ key: String, _ values: [CodePoint]?) {
    choice.appendJSONKey(key)
    if let values { choice.appendJSONCodePoints(values) } else { choice.appendRaw("null") }
  }

  private mutating func renderExtensions(_ offer: ClientOffer?, _ answer: ServerAnswer?) {
    // TLS 1.3 has neither: its key schedule binds the handshake, and it does not renegotiate.
    if answer?.content.version.isTLS13 != true {
      extensions.appendRaw(",\"extendedMasterSecret\":")
      extensions.appendJSON(answer?.has(ExtensionType(rawValue: 23)))
      extensions.appendRaw(",\"secureRenegotiation\":")
      extensions.appendJSON(answer?.has(ExtensionType(rawValue: 0xFF01)))
    }
    extensions.appendRaw(",\"encryptedClientHello\":")
    let encrypted = offer?.has(ExtensionType(rawValue: 0xFE0D))
    extensions.appendJSONString(encrypted.map { $0 ? "offered" : "absent" })
  }
}

extension ClientOffer.Content {
  /// `legacy_version` as it follows from the rest: the record names another only where there is one.
  ///
  /// With supported_versions (extension 43) it is TLS 1.2 (RFC 8446 §4.1.2), and without, the one version offered.
  var impliedLegacyVersion: TLSVersion? {
    extensions.contains(ExtensionType(rawValue: 43)) ? .tls12 : versions.first
  }
}

extension TLSVersion {
  /// Whether the version has the handshake of TLS 1.3, drafts and DTLS 1.3 included.
  var isTLS13: Bool { rawValue == 0x0304 || rawValue == 0xFEFC || isTLS13Draft }
}
