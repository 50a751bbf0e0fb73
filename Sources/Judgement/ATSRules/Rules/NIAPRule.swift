import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import TLSParsing
import Values

/// The session meets the NIAP package for TLS, if a key requires it (policy text D.18, B.13).
struct NIAPRule: Rule {
  static let id = "ATS-NIAP"
  static let title = "NIAP package for TLS"
  static let section = "D.18"
  static let setting: EffectivePolicy.Setting? = .requiresNIAPPackage
  static let evidence: Set<Evidence.Part> = [
    .clientHello, .serverHello, .serverKeyExchange, .certificates,
  ]
  static let weight = 6
  static let explanation = RuleExplanation(
    demand:
      "If a key requires the package FCP_v2.1: TLS 1.2 or 1.3, ECDHE with AES-GCM, Extended Master Secret, "
      + "no RSA signatures with SHA-1, and certificates signed with an algorithm that the client offered.",
    reason: "The profile of the National Information Assurance Partnership requires it.",
    fix: .server("configure it for the package").and(.app("or remove the key")),
    since: "iOS 26.4 and macOS 26.4",
    relaxedBy: ["\(ATSKeys.exceptionNIAP) = none"],
    errors: [.url: [-1200], .stream: [-9801, -9802, -9880]],
    sources: [.niap], weaknesses: [326], severity: "5.3")

  /// Checks the five requirements; the first that is not met determines the finding.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.requiresNIAPPackage else { return notApplicable() }
    let expected = "the NIAP package FCP_v2.1"
    guard let tls = session.tls, let serverHello = tls.serverHello else { return unknown(session.unseenServerHello, expected: expected) }
    let fix: Fix = .server("enable TLS 1.2 or 1.3 with ECDHE and AES-GCM, Extended Master Secret and SHA-2 signatures")
    func broken(_ text: String, _ parts: [Evidence.Part]) -> Finding {
      fail(text, expected: expected, parts: parts, fix: fix)
    }
    guard let version = serverHello.version else { return unknown(session.unseenServerHello, expected: expected) }
    if !version.isFinal {
      return unknown(Unseen(nil, settledBy: [.evidence("record a session that uses TLS 1.2 or 1.3")]), expected: expected)
    }
    let hello = ClientHelloReading(session, under: policy)
    guard version == .tls12 || version == .tls13 else {
      return broken("\(version.text) was negotiated", [.serverHello])
        .limited(to: "TLS 1.2 or 1.3", isOffered: hello.map { $0.versions.contains(.tls12) || $0.versions.contains(.tls13) } ?? true)
    }
    guard let suite = serverHello.cipherSuite else { return unknown(session.unseenServerHello, expected: expected) }
    guard CipherSuiteGroups.isInNIAPPackage(suite) else {
      return broken("\(suite.text) is not in the package", [.serverHello])
        .limited(to: "the package's suites", isOffered: hello.map { $0.suites.contains(where: CipherSuiteGroups.isInNIAPPackage) } ?? true)
    }
    if version == .tls12, !serverHello.extensions.contains(.extendedMasterSecret) {
      if session.evidence.serverHello == .partial { return unknown(session.unseenServerHello, expected: expected) }
      let offered = tls.offer?.extensions.contains(.extendedMasterSecret)
      return broken("no Extended Master Secret", [.clientHello, .serverHello])
        .noting(offered == false ? "The client did not offer it." : nil)
        .limited(to: "Extended Master Secret", isOffered: offered != false)
    }
    if let scheme = tls.keyExchangeSignature, scheme == .rsaPKCS1SHA1 {
      return broken("ServerKeyExchange is signed with RSA and SHA-1", [.serverKeyExchange])
    }
    if session.isInnerHelloHidden {
      return unknown(
        session.unseenInnerHello, expected: expected,
        note: "Encrypted ClientHello was accepted: the signature schemes that the client offered are encrypted.")
    }
    guard let offer = tls.offer, session.evidence.clientHello != .partial else {
      return unknown(Unseen(.missing, settledBy: [.evidence("record from the start of the connection")]), expected: expected)
    }
    if version == .tls12, !offer.extensions.contains(.extendedMasterSecret) {
      return broken("the client did not offer Extended Master Secret", [.clientHello])
        .limited(to: "Extended Master Secret", isOffered: false)
    }
    return judgeSignatures(context, offer, expected: expected, fix: fix)
  }

  private func judgeSignatures(_ context: JudgingContext, _ offer: Shared<ClientOffer>, expected: String, fix: Fix) -> Finding {
    let forCertificates = offer.certificateSignatureSchemes.isEmpty ? offer.signatureSchemes : offer.certificateSignatureSchemes
    let certificates = judgeCertificates(context, offered: forCertificates, expected: expected, fix: fix)
    if certificates.outcome == .fail { return certificates.limited(to: "the signature algorithms of the certificates", isOffered: false) }
    if (offer.signatureSchemes + forCertificates).contains(.rsaPKCS1SHA1) || offer.signatureSchemes.isEmpty {
      let observed =
        offer.signatureSchemes.isEmpty
        ? "the client offered no signature algorithms, which means SHA-1"
        : "the client offered rsa_pkcs1_sha1"
      var finding = fail(
        observed, expected: expected, parts: [.clientHello], fix: .recording("record a client that the key applies to")
      ).noting("A device under this key does not offer it; this is not a fault of the server.")
      finding.isLimitedByOffer = true
      return finding
    }
    return certificates
  }

  private func judgeCertificates(_ context: JudgingContext, offered: [SignatureScheme], expected: String, fix: Fix) -> Finding {
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    let elements = context.certificates.path.filter { !$0.certificate.isSelfIssued && !$0.isAnchor }
    return judgePath(
      elements, of: context, expected: expected, fix: fix, inOrder: "cipher suite, Extended Master Secret and signatures meet the package"
    ) { element in
      let algorithm = element.certificate.signature
      guard !algorithm.name.isEmpty else { return .unreadable("The signature algorithm of \(element.name) cannot be read.") }
      let schemes = offered.filter { $0.isAlgorithm(algorithm) }
      return schemes.isEmpty ? .broken("\(element.name) is signed with \(algorithm.name), which the client did not offer") : .ok
    }
  }
}

extension SignatureScheme {
  /// Whether the scheme includes the algorithm of a certificate's signature.
  func isAlgorithm(_ signature: SignatureAlgorithm) -> Bool {
    guard let algorithm, let hash else { return false }
    switch algorithm {
    case .rsaPKCS1: return signature.name == "\(hash.rawValue)WithRSAEncryption"
    case .rsaPSS: return signature.pssParameters != nil && signature.hash == hash.rawValue
    case .ecdsa: return signature.name.lowercased().hasPrefix("ecdsa-with") && signature.hash == hash.rawValue
    case .dsa: return signature.name.hasPrefix("dsa-with-") && signature.hash == hash.rawValue
    case .edDSA: return name == signature.name
    case .mlDSA, .slhDSA:
      return name.map { $0.filter { $0 != "-" && $0 != "_" } }
        == signature.name.filter { $0 != "-" && $0 != "_" }
    case .anonymous, .sm2, .gost, .identityBased: return false
    }
  }
}

extension RuleID {
  /// `ATS-NIAP`: the session meets the NIAP package for TLS, if a key requires it.
  public static let niap = RuleID(rawValue: NIAPRule.id)
}
