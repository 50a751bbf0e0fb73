/// The table of all rules, in the order of reports.
package enum RuleTable {
  /// The rules that can decide a verdict, in the order in which a client would fail: of several failing rules, the first
  /// represents the session (policy text D.0).
  package static let mandatory: [any Rule] = [
    HTTPSRule(), TLSVersionRule(), CipherSuiteRule(), ForwardSecrecyRule(), NIAPRule(),
    CertificateTrustRule(),
    CertificateRevokedRule(), CertificateDatesRule(), CertificateHostRule(), SubjectAlternativeNameRule(),
    CertificateChainRule(), CertificateKeyRule(), CertificateSignatureRule(), ExtendedKeyUsageRule(),
    CertificateLifetimeRule(), CertificateTransparencyRule(), PinRule(),
    HandshakeSignatureRule(),
  ]

  /// The advisory rules (policy text D.19).
  package static let advisories: [any Rule] = [
    TLS13Advisory(), PostQuantumAdvisory(), CBCAdvisory(), ChainIncompleteAdvisory(), ChainOrderAdvisory(),
    ChainExtraAdvisory(), ChainRootAdvisory(), StaplingAdvisory(), TransparencyMarginAdvisory(),
    TransparencyOperatorsAdvisory(), ExpiryAdvisory(), IssuanceLimitAdvisory(),
    ExtendedMasterSecretAdvisory(),
    RenegotiationAdvisory(), CompressionAdvisory(), KeyExchangeSignatureAdvisory(),
    ClientCertificateAdvisory(),
    EncryptedClientHelloAdvisory(), RedirectAdvisory(), ServerNameAdvisory(), NextReleaseAdvisory(),
  ]

  package static let all: [any Rule] = mandatory + advisories
}
