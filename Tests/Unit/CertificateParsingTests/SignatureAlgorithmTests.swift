import ByteParsing
import CertificateParsing
import TestBytes
import Testing

@Suite struct SignatureAlgorithmTests {
  @Test(arguments: [
    (TestCertificates.rsa512MD5, "md5WithRSAEncryption", "md5"),
    (TestCertificates.rsa512SHA1, "sha1WithRSAEncryption", "sha1"),
    (TestCertificates.rsa512SHA224, "sha224WithRSAEncryption", "sha224"),
    (TestCertificates.rsa1023, "sha256WithRSAEncryption", "sha256"),
    (TestCertificates.rsaWithPSSSignature, "rsassaPss", "sha384"),
    (TestCertificates.rsaPSSKey, "rsassaPss", "sha256"),
    (TestCertificates.dsaSHA1, "dsa-with-sha1", "sha1"),
    (TestCertificates.ed25519, "ed25519", nil),
    (TestCertificates.ed448, "ed448", nil),
  ])
  func `signature algorithms have a name and a hash`(der: Bytes, name: String, hash: String?) {
    let certificate = Certificate(bytes: der)
    #expect(certificate.decodingError == nil)
    #expect(certificate.quirks == [])
    #expect(certificate.signatureAlgorithm == name)
    #expect(certificate.signatureHash == hash)
  }

  @Test func `the parameters of RSASSA-PSS are read`() {
    let parameters = Certificate(bytes: TestCertificates.rsaWithPSSSignature).signature.pssParameters
    #expect(parameters?.hash == "sha384")
    #expect(parameters?.maskGenerationHash == "sha384")
    #expect(parameters?.saltByteCount == 32)
    #expect(parameters?.trailerField == 1)
  }

  @Test(arguments: [
    ("1.2.840.113549.1.1.2", "md2WithRSAEncryption", "md2"), ("1.3.14.3.2.29", "sha1WithRSA", "sha1"),
    ("1.3.14.3.2.3", "md5WithRSA", "md5"), ("1.3.14.3.2.27", "dsaWithSHA1", "sha1"),
    ("1.2.840.10045.4.1", "ecdsa-with-SHA1", "sha1"), ("2.16.840.1.101.3.4.3.19", "ml-dsa-87", nil),
    ("1.2.643.7.1.1.3.2", "gostR3410-2012-with-gostR3411-2012-256", "gostR3411-2012-256"),
    ("1.2.3.4", "1.2.3.4", nil),
  ])
  func `obsolete and new signature algorithms have names`(identifier: String, name: String, hash: String?) {
    var parts = CertificateParts()
    parts.algorithm = DER.sequence(DER.oid(identifier), [0x05, 0x00])
    #expect(parts.certificate.signatureAlgorithm == name)
    #expect(parts.certificate.signature.objectIdentifier == identifier)
    #expect(parts.certificate.signatureHash == hash)
  }

  @Test(arguments: [Bytes(), [0x05, 0x00], [0x30, 0x00]])
  func `RSASSA-PSS without parameters uses SHA-1`(parameters: Bytes) {
    var parts = CertificateParts()
    parts.algorithm = DER.sequence(DER.oid("1.2.840.113549.1.1.10"), parameters)
    #expect(parts.certificate.signatureHash == "sha1")
    #expect(parts.certificate.signature.pssParameters == PSSParameters())
  }

  @Test func `RSASSA-PSS with malformed parameters has no hash`() {
    var parts = CertificateParts()
    parts.algorithm = DER.sequence(DER.oid("1.2.840.113549.1.1.10"), DER.sequence(DER.element(0xA0, DER.integer(1))))
    #expect(parts.certificate.signatureAlgorithm == "rsassaPss")
    #expect(parts.certificate.signatureHash == nil)
    #expect(parts.certificate.signature.pssParameters == nil)
  }

  @Test func `an unknown hash in RSASSA-PSS is reported by its object identifier`() {
    var parts = CertificateParts()
    parts.algorithm = DER.sequence(
      DER.oid("1.2.840.113549.1.1.10"), DER.sequence(DER.element(0xA0, DER.sequence(DER.oid("1.2.3.4")))))
    #expect(parts.certificate.signatureHash == "1.2.3.4")
  }

  @Test func `ecdsa-with-Specified has its hash in the parameters`() {
    var parts = CertificateParts()
    parts.algorithm = DER.sequence(DER.oid("1.2.840.10045.4.3"), DER.sequence(DER.oid("2.16.840.1.101.3.4.2.1")))
    #expect(parts.certificate.signatureAlgorithm == "ecdsa-with-Specified")
    #expect(parts.certificate.signatureHash == "sha256")
  }

  @Test func `different inner and outer algorithms are reported, and the outer one is used`() {
    var parts = CertificateParts()
    parts.outerAlgorithm = DER.sequence(DER.oid("1.2.840.10045.4.1"))
    #expect(parts.certificate.quirks == ["signature-algorithm-mismatch"])
    #expect(parts.certificate.signatureHash == "sha1")
  }
}
