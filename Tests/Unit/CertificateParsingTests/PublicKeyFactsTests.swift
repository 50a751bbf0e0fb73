import ByteParsing
import CertificateParsing
import TestBytes
import Testing

@Suite struct PublicKeyFactsTests {
  struct Expected: Sendable {
    var der: Bytes
    var algorithm: String
    var bits: Int?
    var curve: String?
  }

  @Test(arguments: [
    Expected(der: TestCertificates.ecP192, algorithm: "ec", bits: 192, curve: "P-192"),
    Expected(der: TestCertificates.ecP224, algorithm: "ec", bits: 224, curve: "P-224"),
    Expected(der: TestCertificates.ecP256, algorithm: "ec", bits: 256, curve: "P-256"),
    Expected(der: TestCertificates.ecP384, algorithm: "ec", bits: 384, curve: "P-384"),
    Expected(der: TestCertificates.ecP521, algorithm: "ec", bits: 521, curve: "P-521"),
    Expected(der: TestCertificates.ecSecp256k1, algorithm: "ec", bits: 256, curve: "secp256k1"),
    Expected(der: TestCertificates.ecBrainpoolP256r1, algorithm: "ec", bits: 256, curve: "brainpoolP256r1"),
    Expected(der: TestCertificates.ecSect163k1, algorithm: "ec", bits: 163, curve: "sect163k1"),
    Expected(der: TestCertificates.ecExplicitPrime, algorithm: "ec", bits: 256, curve: "explicit"),
    Expected(der: TestCertificates.ecExplicitBinary, algorithm: "ec", bits: 163, curve: "explicit"),
    Expected(der: TestCertificates.rsa512MD5, algorithm: "rsa", bits: 512),
    Expected(der: TestCertificates.rsa1023, algorithm: "rsa", bits: 1023),
    Expected(der: TestCertificates.rsaPSSKey, algorithm: "rsa-pss", bits: 1024),
    Expected(der: TestCertificates.ed25519, algorithm: "ed25519"),
    Expected(der: TestCertificates.ed448, algorithm: "ed448"),
    Expected(der: TestCertificates.x25519, algorithm: "x25519"),
    Expected(der: TestCertificates.diffieHellman, algorithm: "dh", bits: 1536),
    Expected(der: TestCertificates.dsaSHA1, algorithm: "dsa", bits: 1024),
  ])
  func `keys have an algorithm, a size and a curve`(expected: Expected) {
    let certificate = Certificate(bytes: expected.der)
    #expect(certificate.decodingError == nil)
    #expect(certificate.publicKey.algorithm == expected.algorithm)
    #expect(certificate.publicKey.bits == expected.bits)
    #expect(certificate.publicKey.curve == expected.curve)
    #expect(certificate.publicKey.isRSA == expected.algorithm.hasPrefix("rsa"))
  }

  @Test func `the modulus and exponent of an RSA key are found`() {
    let certificate = Certificate(bytes: TestCertificates.rsa1023)
    let key = certificate.publicKey
    #expect(key.exponentRange.map(certificate.bytes) == [1, 0, 1])
    #expect(key.modulusRange.map { certificate.bytes($0).count } == 128)
    #expect(key.modulusRange.map { certificate.bytes($0)[0] & 0xC0 } == 0x40)
  }

  @Test func `an RSASSA-PSS key contains the hash that it is restricted to`() {
    let certificate = Certificate(bytes: TestCertificates.rsaPSSKey)
    #expect(certificate.publicKey.restrictedToHash == "sha256")
  }

  static func rsaKey(_ modulus: Bytes) -> Bytes {
    let key = DER.sequence(DER.element(0x02, modulus), DER.element(0x02, [1, 0, 1]))
    return DER.sequence(
      DER.sequence(DER.oid("1.2.840.113549.1.1.1"), [0x05, 0x00]), DER.element(0x03, [0], key))
  }

  @Test(
    arguments: [
      ([0, 0x80] + Bytes(repeating: 1, count: 255), 2048), ([0x7F] + Bytes(repeating: 1, count: 255), 2047),
      // Without the leading zero the INTEGER is negative, but it is read as unsigned.
      ([0xFF] + Bytes(repeating: 1, count: 255), 2048), ([0, 0, 0, 1], 1), ([0], 0), ([], 0),
      ([0, 0x80] + Bytes(repeating: 1, count: 2047), 16384),
    ] as [(Bytes, Int)])
  func `the size of a modulus does not include leading zeros`(modulus: Bytes, bits: Int) {
    var parts = CertificateParts()
    parts.key = PublicKeyFactsTests.rsaKey(modulus)
    #expect(parts.certificate.decodingError == nil)
    #expect(parts.certificate.publicKey.bits == bits)
  }

  @Test(arguments: [
    ("2.16.840.1.101.3.4.3.18", "ml-dsa-65"), ("1.2.643.7.1.1.1.1", "gostR3410-2012-256"),
    ("1.3.101.111", "x448"), ("1.2.3.4", "1.2.3.4"),
  ])
  func `key algorithms other than RSA and EC have a name or an object identifier`(identifier: String, algorithm: String) {
    var parts = CertificateParts()
    parts.key = DER.sequence(DER.sequence(DER.oid(identifier)), DER.element(0x03, [0, 1, 2, 3]))
    #expect(parts.certificate.decodingError == nil)
    #expect(parts.certificate.publicKey.algorithm == algorithm)
    #expect(parts.certificate.publicKey.algorithmOID == identifier)
    #expect(parts.certificate.publicKey.bits == nil)
  }

  @Test func `an unknown curve is reported by its object identifier`() {
    var parts = CertificateParts()
    parts.key = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.3.4")), DER.element(0x03, [0, 4]))
    #expect(parts.certificate.publicKey.curve == "1.2.3.4")
    #expect(parts.certificate.publicKey.bits == nil)
    parts.key = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), [0x05, 0x00]), DER.element(0x03, [0, 4]))
    #expect(parts.certificate.publicKey.curve == "implicit")
  }

  @Test func `unused bits in subjectPublicKey are an error`() {
    var parts = CertificateParts()
    parts.key = DER.sequence(
      DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.840.10045.3.1.7")), DER.element(0x03, [1, 4]))
    #expect(parts.certificate.decodingError?.hasPrefix("subjectPublicKey at byte") == true)
  }

  @Test func `malformed EC parameters leave the certificate readable`() {
    var parts = CertificateParts()
    parts.key = DER.sequence(DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.octets([1])), DER.element(0x03, [0, 4]))
    #expect(parts.certificate.decodingError == nil)
    #expect(parts.certificate.publicKey.algorithm == "ec")
    #expect(parts.certificate.publicKey.curve == nil)
  }

  @Test func `a malformed RSA key leaves the rest of the certificate readable`() {
    var parts = CertificateParts()
    parts.key = DER.sequence(DER.sequence(DER.oid("1.2.840.113549.1.1.1")), DER.element(0x03, [0, 0x30, 0x05]))
    parts.extensions = [DER.certificateExtension("2.5.29.19", DER.sequence(DER.yes))]
    let certificate = parts.certificate
    #expect(certificate.decodingError == nil)
    #expect(certificate.publicKey.algorithm == "rsa")
    #expect(certificate.publicKey.bits == nil)
    #expect(certificate.isCA)
  }
}
