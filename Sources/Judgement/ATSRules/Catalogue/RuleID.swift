/// The ids of rules that verdicts, reports and exception plans treat specially.
package enum RuleID {
  package static let https = HTTPSRule.id
  package static let tlsVersion = TLSVersionRule.id
  package static let cipherSuite = CipherSuiteRule.id
  package static let forwardSecrecy = ForwardSecrecyRule.id
  package static let niap = NIAPRule.id
  package static let certificateTrust = CertificateTrustRule.id
  package static let certificateRevoked = CertificateRevokedRule.id
  package static let certificateDates = CertificateDatesRule.id
  package static let certificateHost = CertificateHostRule.id
  package static let subjectAlternativeName = SubjectAlternativeNameRule.id
  package static let certificateKey = CertificateKeyRule.id
  package static let certificateSignature = CertificateSignatureRule.id
  package static let extendedKeyUsage = ExtendedKeyUsageRule.id
  package static let certificateLifetime = CertificateLifetimeRule.id
  package static let certificateTransparency = CertificateTransparencyRule.id
  package static let pin = PinRule.id
  package static let handshakeSignature = HandshakeSignatureRule.id
  package static let clientCertificate = ClientCertificateAdvisory.id
}
