import ByteParsing
import SessionModel
import TLSParsing

/// The rendered members `offeredVersions` to `ja4` of a record's `tls` object.
final class RenderedHandshake {
  /// Retained so that their identities are not reused.
  private let offer: Shared<ClientOffer>?
  private let serverHello: Shared<ServerHelloFacts>?

  private(set) var text = Bytes()

  init(_ facts: Shared<TLSFacts>, _ shape: HandshakeShape) {
    offer = facts.sharedOffer
    serverHello = facts.sharedServerHello
    text = JSONObject.members { json in
      writeChoice(shape.protectedALPN, to: &json)
      writeKeyExchange(facts.serverKeyExchange, facts.handshakeSignature, group: facts.group, isWhole: shape.isServerHelloWhole, to: &json)
      writeResumption(shape, to: &json)
      writeExtensions(shape, to: &json)
      writeCertificateFacts(shape, to: &json)
      json.alerts("clientAlerts", facts.clientAlerts)
      json.alerts("serverAlerts", facts.serverAlerts)
      json.boolean("established", facts.isEstablished)
      json.string("outcome", facts.outcome.rawValue)
      json.boolean("decrypted", shape.isDecrypted)
      json.string("ja3", offer?.ja3)
      json.string("ja3s", serverHello?.ja3s)
      // JA4 contains two characters of the first ALPN name, which is text from an input.
      json.text("ja4", offer?.ja4)
    }
  }

  private var isTLS13: Bool { serverHello?.hasTLS13Handshake == true }

  private func writeChoice(_ protectedALPN: String?, to json: inout JSONObject) {
    if let offer, offer.legacyVersion != offer.impliedLegacyVersion {
      json.codePoint("legacyVersion", offer.legacyVersion.rawValue)
    }
    if offer?.isSSL2Format == true { json.boolean("ssl2ClientHello", true) }
    // A truncated hello may lack the extension that lists the versions.
    json.codePoints(
      "offeredVersions", offer.flatMap { $0.isIncomplete && $0.versions.isEmpty ? nil : $0.versions })
    json.codePoint("version", serverHello?.version?.rawValue)
    json.string("versionName", serverHello?.version?.name)
    json.codePoint("cipherSuite", serverHello?.cipherSuite?.rawValue)
    json.string("cipherSuiteName", serverHello?.cipherSuite?.name)
    json.codePoints("offeredCipherSuites", offer?.cipherSuites)
    json.numbers("offeredCompressionMethods", offer?.compressionMethods)
    json.number("compressionMethod", serverHello?.compressionMethod)
    json.codePoints("offeredExtensions", offer?.extensions)
    json.codePoints("serverExtensions", serverHello?.extensions)
    json.codePoints("offeredGroups", offer?.groups)
    json.codePoints("offeredSignatureSchemes", offer?.signatureSchemes)
    json.codePoints("offeredCertificateSignatureSchemes", offer?.certificateSignatureSchemes)
    json.text("alpn", serverHello?.alpn ?? protectedALPN)
    json.texts("offeredAlpn", offer?.alpn)
  }

  private func writeKeyExchange(
    _ exchange: ServerKeyExchangeFacts?, _ signature: HandshakeSignature?, group: NamedGroup?, isWhole: Bool, to json: inout JSONObject
  ) {
    json.string(
      "keyExchange",
      serverHello.flatMap { KeyExchangeName.name($0.value, isWhole: isWhole, group: group) })
    json.codePoint("group", group?.rawValue)
    json.string("groupName", group?.name)
    if let serverHello = serverHello?.value, serverHello.keyShareGroup != serverHello.impliedKeyShare(of: group) {
      json.codePoint("keyShareGroup", serverHello.keyShareGroup?.rawValue)
    }
    if let exchange {
      json.object("serverKeyExchange") { json in
        json.number("bits", exchange.bits)
        json.codePoint("signatureScheme", exchange.signatureScheme?.rawValue)
        if exchange.group != group { json.codePoint("group", exchange.group?.rawValue) }
      }
    } else if !isTLS13 {
      json.null("serverKeyExchange")
    }
    if let signature { json.string("handshakeSignature", signature.rawValue) }
  }

  private func writeResumption(_ shape: HandshakeShape, to json: inout JSONObject) {
    json.boolean("helloRetryRequest", shape.helloRetryRequest)
    if serverHello?.isHelloRetryRequest == true { json.boolean("answerIsHelloRetryRequest", true) }
    json.boolean("resumed", shape.resumed)
    json.string("resumption", shape.resumption?.rawValue)
  }

  private func writeExtensions(_ shape: HandshakeShape, to json: inout JSONObject) {
    // Neither exists in TLS 1.3: its key schedule binds the handshake, and it has no renegotiation.
    if !isTLS13 {
      json.boolean("extendedMasterSecret", serverHello.flatMap { has(.extendedMasterSecret, $0) })
      json.boolean("secureRenegotiation", serverHello.flatMap { has(.renegotiationInfo, $0) })
    }
    let encrypted = offer.flatMap { offer -> Bool? in
      let isThere = offer.extensions.contains(.encryptedClientHello)
      return !isThere && offer.isIncomplete ? nil : isThere
    }
    // Secrets logged under the random of the outer hello show that the handshake used the outer hello.
    let state = shape.isEncryptedClientHelloAccepted ? "accepted" : shape.isDecrypted ? "rejected" : "offered"
    json.string("encryptedClientHello", encrypted.map { $0 ? state : "absent" })
  }

  /// Returns whether a ServerHello has an extension; nil if it may be in a missing part of the hello.
  private func has(_ type: ExtensionType, _ serverHello: Shared<ServerHelloFacts>) -> Bool? {
    if serverHello.extensions.contains(type) { return true }
    return serverHello.ja3s == nil && serverHello.version != .ssl2 ? nil : false
  }

  private func writeCertificateFacts(_ shape: HandshakeShape, to json: inout JSONObject) {
    json.boolean("ocspStapled", shape.ocspStapled)
    let sources =
      (shape.leafHasSCTs == true ? ["certificate"] : []) + (shape.hasSCTList ? ["extension"] : []) + (shape.stapleHasSCTs ? ["ocsp"] : [])
    if shape.leafHasSCTs == nil, sources.isEmpty {
      json.null("sctSources")
    } else {
      json.strings("sctSources", sources)
    }
    json.boolean("clientCertificateRequested", shape.clientCertificateRequested)
  }
}

extension JSONObject {
  fileprivate mutating func alerts(_ key: String, _ alerts: [ObservedAlert]) {
    objects(key, alerts) { json, alert in
      json.number("level", alert.level)
      json.number("description", alert.code.rawValue)
      json.string("name", alert.code.name)
      json.number("frame", alert.frame)
    }
  }
}

extension ClientOffer {
  /// Whether the hello is truncated or malformed: the client may have offered more than it contains.
  var isIncomplete: Bool { ja3 == nil && !isSSL2Format }

  /// The `legacy_version` that follows from the other fields: a record contains it only if it differs.
  ///
  /// With supported_versions it is TLS 1.2 (RFC 8446 §4.1.2), and without, the one version offered.
  var impliedLegacyVersion: TLSVersion? {
    extensions.contains(.supportedVersions) ? .tls12 : versions.first
  }
}

extension ServerHelloFacts {
  /// The key share's group that follows from the group of the session: a record contains it only if it differs.
  func impliedKeyShare(of group: NamedGroup?) -> NamedGroup? {
    extensions.contains(.keyShare) ? group : nil
  }
}
