/// The id of a rule, such as `ATS-TLS-VERSION`.
public struct RuleID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The id as in records.
  public let rawValue: String

  /// Creates an id from its text in a record.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The id as in records.
  public var description: String { rawValue }

  /// The title of the rule, such as `TLS version`; nil if this version has no such rule.
  public var title: String? { RuleCatalogue.all.first { $0.id == rawValue }?.title }

  /// Whether the rule gives advice and never decides a verdict.
  public var isAdvisory: Bool { RuleCatalogue.isAdvisory(rawValue) }
}

extension RuleID: CaseIterable {
  /// The rules of this version, in the order of reports.
  public static let allCases = RuleCatalogue.all.map { RuleID(rawValue: $0.id) }
}

// The rules that can decide a verdict, in the order of reports.
extension RuleID {
  /// `ATS-HTTPS`: the load uses HTTPS.
  public static let https = RuleID(rawValue: HTTPSRule.id)
  /// `ATS-TLS-VERSION`: the negotiated version is allowed.
  public static let tlsVersion = RuleID(rawValue: TLSVersionRule.id)
  /// `ATS-CIPHER`: the cipher suite is allowed.
  public static let cipherSuite = RuleID(rawValue: CipherSuiteRule.id)
  /// `ATS-PFS`: the key exchange has forward secrecy.
  public static let forwardSecrecy = RuleID(rawValue: ForwardSecrecyRule.id)
  /// `ATS-NIAP`: the session meets the NIAP package for TLS, if a key requires it.
  public static let niap = RuleID(rawValue: NIAPRule.id)
  /// `ATS-CERT-TRUST`: the certificates lead to a trusted root.
  public static let certificateTrust = RuleID(rawValue: CertificateTrustRule.id)
  /// `ATS-CERT-REVOKED`: no certificate is revoked.
  public static let certificateRevoked = RuleID(rawValue: CertificateRevokedRule.id)
  /// `ATS-CERT-DATES`: the certificates are valid at the time of the session.
  public static let certificateDates = RuleID(rawValue: CertificateDatesRule.id)
  /// `ATS-CERT-HOST`: the certificate names the host.
  public static let certificateHost = RuleID(rawValue: CertificateHostRule.id)
  /// `ATS-CERT-SAN`: the certificate has a subject alternative name.
  public static let subjectAlternativeName = RuleID(rawValue: SubjectAlternativeNameRule.id)
  /// `ATS-CERT-CHAIN`: each certificate may issue the one below it.
  public static let certificateChain = RuleID(rawValue: CertificateChainRule.id)
  /// `ATS-CERT-KEY`: the keys are long enough.
  public static let certificateKey = RuleID(rawValue: CertificateKeyRule.id)
  /// `ATS-CERT-SIG`: the certificates are signed with a strong hash.
  public static let certificateSignature = RuleID(rawValue: CertificateSignatureRule.id)
  /// `ATS-CERT-EKU`: the certificates allow server authentication.
  public static let extendedKeyUsage = RuleID(rawValue: ExtendedKeyUsageRule.id)
  /// `ATS-CERT-LIFETIME`: the certificate's validity period is short enough.
  public static let certificateLifetime = RuleID(rawValue: CertificateLifetimeRule.id)
  /// `ATS-CT`: the certificate has enough SCTs.
  public static let certificateTransparency = RuleID(rawValue: CertificateTransparencyRule.id)
  /// `ATS-PIN`: the certificates contain a pinned key.
  public static let pin = RuleID(rawValue: PinRule.id)
  /// `ATS-HANDSHAKE-SIG`: the server's signature over the handshake is valid.
  public static let handshakeSignature = RuleID(rawValue: HandshakeSignatureRule.id)
}

// The rules that give advice, in the order of reports.
extension RuleID {
  /// `ADV-TLS13`: the server did not negotiate TLS 1.3.
  public static let tls13 = RuleID(rawValue: TLS13Advisory.id)
  /// `ADV-PQ`: the key exchange is not a post-quantum one.
  public static let postQuantum = RuleID(rawValue: PostQuantumAdvisory.id)
  /// `ADV-CBC`: the cipher suite uses CBC.
  public static let cbc = RuleID(rawValue: CBCAdvisory.id)
  /// `ADV-CHAIN-INCOMPLETE`: the server did not send an intermediate certificate.
  public static let chainIncomplete = RuleID(rawValue: ChainIncompleteAdvisory.id)
  /// `ADV-CHAIN-ORDER`: the certificates are out of order.
  public static let chainOrder = RuleID(rawValue: ChainOrderAdvisory.id)
  /// `ADV-CHAIN-EXTRA`: the server sent certificates that are not needed.
  public static let chainExtra = RuleID(rawValue: ChainExtraAdvisory.id)
  /// `ADV-CHAIN-ROOT`: the server sent the root.
  public static let chainRoot = RuleID(rawValue: ChainRootAdvisory.id)
  /// `ADV-OCSP-STAPLE`: the server stapled no OCSP response.
  public static let stapling = RuleID(rawValue: StaplingAdvisory.id)
  /// `ADV-CT-MARGIN`: the certificate has no more SCTs than required.
  public static let transparencyMargin = RuleID(rawValue: TransparencyMarginAdvisory.id)
  /// `ADV-CT-OPERATORS`: the SCTs are from the logs of few operators.
  public static let transparencyOperators = RuleID(rawValue: TransparencyOperatorsAdvisory.id)
  /// `ADV-EXPIRY`: the certificate expires soon.
  public static let expiry = RuleID(rawValue: ExpiryAdvisory.id)
  /// `ADV-SC081`: the certificate's validity period exceeds a limit of the CA/Browser Forum.
  public static let issuanceLimit = RuleID(rawValue: IssuanceLimitAdvisory.id)
  /// `ADV-EMS`: the session does not use Extended Master Secret.
  public static let extendedMasterSecret = RuleID(rawValue: ExtendedMasterSecretAdvisory.id)
  /// `ADV-RENEG`: the server does not support secure renegotiation.
  public static let renegotiation = RuleID(rawValue: RenegotiationAdvisory.id)
  /// `ADV-COMPRESSION`: the session uses TLS compression.
  public static let compression = RuleID(rawValue: CompressionAdvisory.id)
  /// `ADV-SKE-SHA1`: ServerKeyExchange is signed with SHA-1.
  public static let keyExchangeSignature = RuleID(rawValue: KeyExchangeSignatureAdvisory.id)
  /// `ADV-MTLS`: the server requests a client certificate.
  public static let clientCertificate = RuleID(rawValue: ClientCertificateAdvisory.id)
  /// `ADV-ECH`: the client offered Encrypted ClientHello.
  public static let encryptedClientHello = RuleID(rawValue: EncryptedClientHelloAdvisory.id)
  /// `ADV-HTTP-REDIRECT`: a cleartext request is redirected to HTTPS.
  public static let redirect = RuleID(rawValue: RedirectAdvisory.id)
  /// `ADV-SNI-MISSING`: the client sent no server name.
  public static let serverName = RuleID(rawValue: ServerNameAdvisory.id)
  /// `ADV-NEXT`: the session does not meet the stricter requirements that Apple announced for system services.
  public static let nextRelease = RuleID(rawValue: NextReleaseAdvisory.id)
}
