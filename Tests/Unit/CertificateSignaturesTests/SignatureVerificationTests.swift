import ByteParsing
import CertificateIssuing
import CertificateParsing
import CertificateSignatures
import SeededRandom
import TestBytes
import Testing

struct SignatureVerificationTests {
  static let valid: [(String, Bytes)] = [
    ("P-256 with SHA-512", SelfSigned.ecP256SHA512), ("P-384 with SHA-384", SelfSigned.ecP384SHA384),
    ("P-521 with SHA-1", SelfSigned.ecP521SHA1), ("compressed point", SelfSigned.ecCompressedPoint),
    ("Ed25519", SelfSigned.ed25519), ("RSA with SHA-1", SelfSigned.rsaSHA1),
    ("RSA with SHA-256", SelfSigned.rsaSHA256), ("RSA 1025 with SHA-384", SelfSigned.rsa1025SHA384),
    ("RSA 1031 with SHA-512", SelfSigned.rsa1031SHA512), ("RSA, exponent 3", SelfSigned.rsaExponent3),
    ("PSS with SHA-1", SelfSigned.pssSHA1), ("PSS with SHA-256", SelfSigned.pssSHA256),
    ("PSS with SHA-384", SelfSigned.pssSHA384), ("PSS key", SelfSigned.pssKey),
  ]

  @Test(arguments: valid.indices)
  func `signatures by OpenSSL verify, and do not if a bit of message or signature changes`(index: Int) {
    let certificate = Certificate(bytes: Self.valid[index].1)
    #expect(certificate.decodingError == nil)
    #expect(certificate.verifyOwnSignature() == .valid, "\(Self.valid[index].0)")
    let key = VerificationKey(of: certificate)
    for bit in 0..<8 {
      var message = certificate.tbsCertificateDER
      message[message.count / 2] ^= 1 << bit
      let result = key.verify(
        certificate.signatureValue[...], over: message[...], algorithm: certificate.signature)
      #expect(result == .invalid(.mismatch), "\(Self.valid[index].0)")
    }
    for position in certificate.signatureValue.indices {
      var signature = certificate.signatureValue
      signature[position] ^= 0x10
      let result = key.verify(
        signature[...], over: certificate.tbsCertificateDER[...], algorithm: certificate.signature)
      #expect(result.isInvalid, "\(Self.valid[index].0)")
    }
  }

  static let notVerifiable: [(Bytes, SignatureVerification.Obstacle)] = [
    (SelfSigned.rsaMD5, .hash("md5")), (SelfSigned.rsaSHA224, .hash("sha224")),
    (SelfSigned.rsa1023, .keySize(1023)), (SelfSigned.secp256k1, .curve("secp256k1")),
    (SelfSigned.ed448, .algorithm("ed448")), (SelfSigned.dsa, .algorithm("dsa")),
    (SelfSigned.pssShortSalt, .pssParameters),
  ]

  @Test(arguments: notVerifiable)
  func `an unsupported signature is reported with the reason`(der: Bytes, obstacle: SignatureVerification.Obstacle) {
    let result = Certificate(bytes: der).verifyOwnSignature()
    #expect(result == .notVerifiable(obstacle))
    #expect(result.description.contains("cannot be verified") || result.description.contains("not verified"))
  }

  @Test
  func `a key of another algorithm makes a signature invalid, even with an unsupported hash`() {
    let md5 = Certificate(bytes: SelfSigned.rsaMD5)
    let curve = Certificate(bytes: SelfSigned.ecP256SHA512)
    #expect(md5.verifySignature(by: curve) == .invalid(.otherKindOfKey))
    #expect(curve.verifySignature(by: md5) == .invalid(.otherKindOfKey))
    #expect(
      Certificate(bytes: SelfSigned.secp256k1).verifySignature(by: md5) == .invalid(.otherKindOfKey))
    let ed25519 = Certificate(bytes: SelfSigned.ed25519)
    #expect(curve.verifySignature(by: ed25519) == .invalid(.otherKindOfKey))
  }

  @Test
  func `another RSA key gives a mismatch, one of another size a malformed signature`() {
    let a = Certificate(bytes: SelfSigned.rsaSHA256)
    #expect(a.verifySignature(by: Certificate(bytes: SelfSigned.rsaSHA1)) == .invalid(.mismatch))
    let longer = Certificate(bytes: SelfSigned.rsa1031SHA512)
    #expect(a.verifySignature(by: longer) == .invalid(.malformedSignature))
  }

  @Test
  func `a key restricted to RSASSA-PSS rejects PKCS #1 signatures and other hashes`() {
    let key = VerificationKey(of: Certificate(bytes: SelfSigned.pssKey))
    let signature = Bytes(repeating: 1, count: 128)
    let message: Bytes = [1, 2, 3]
    #expect(
      key.verify(signature[...], over: message[...], method: .rsaPKCS1(.sha256)) == .invalid(.otherKindOfKey))
    #expect(
      key.verify(signature[...], over: message[...], method: .rsaPSS(.sha384)) == .invalid(.otherKindOfKey))
    #expect(key.verify(signature[...], over: message[...], method: .rsaPSS(.sha256)) == .invalid(.mismatch))
  }

  @Test
  func `a certificate whose inner and outer algorithms differ is invalid`() throws {
    let issuer = CertificateIssuer()
    let good = try issuer.issue("leaf", key: .newP256())
    #expect(try good.verifySignature(by: issuer.certificate()) == .valid)
    var other = DER.sequence(DER.oid("1.2.840.10045.4.3.3"))
    other = DER.sequence(
      good.tbsCertificateDER, other, DER.bits(try issuer.key.sign(good.tbsCertificateDER)))
    let mixed = Certificate(bytes: other)
    #expect(try mixed.verifySignature(by: issuer.certificate()) == .invalid(.algorithmsDiffer))
  }

  @Test
  func `a public key that is not a point on its curve is malformed`() throws {
    var der = Certificate(bytes: SelfSigned.ecP256SHA512).subjectPublicKeyInfoDER
    der[der.count - 1] ^= 1
    let key = VerificationKey(subjectPublicKeyInfo: der)
    let bytes: Bytes = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
    #expect(key.verify(bytes[...], over: bytes[...], method: .ecdsa(.sha256)) == .invalid(.malformedKey))
  }

  @Test
  func `a truncated certificate never verifies and never traps`() {
    let whole = SelfSigned.ecP256SHA512
    let issuer = Certificate(bytes: whole)
    for count in 0..<whole.count {
      let part = Bytes(whole[..<count])
      let certificate = Certificate(bytes: part)
      #expect(!certificate.verifyOwnSignature().isValid)
      #expect(!certificate.verifySignature(by: issuer).isValid)
    }
  }

  @Test(arguments: valid.indices)
  func `a changed certificate never traps, and verifies only if its tbsCertificate is unchanged`(index: Int) {
    let whole = Self.valid[index].1
    var random = SeededGenerator(seed: UInt64(index) + 1)
    for _ in 0..<400 {
      var bytes = whole
      bytes[random.below(bytes.count)] = random.byte()
      let certificate = Certificate(bytes: bytes)
      let result = certificate.verifyOwnSignature()
      // A valid result is possible only if the change is outside tbsCertificate, such as in the outer header.
      if result.isValid, bytes != whole {
        let original = Certificate(bytes: whole)
        #expect(certificate.tbsCertificateDER == original.tbsCertificateDER)
      }
    }
  }
}

struct ECDSAEncodingTests {
  static let one = Bytes([0x02, 0x01, 0x01])

  static let malformed: [(String, Bytes)] = [
    ("empty", []),
    ("no sequence", [0x31, 0x06] + one + one),
    ("one number", [0x30, 0x03] + one),
    ("three numbers", [0x30, 0x09] + one + one + one),
    ("bytes after it", [0x30, 0x06] + one + one + [0]),
    ("long length", [0x30, 0x81, 0x06] + one + one),
    ("indefinite length", [0x30, 0x80] + one + one + [0, 0]),
    ("length beyond the end", [0x30, 0x07] + one + one),
    ("zero", [0x30, 0x06, 0x02, 0x01, 0x00] + one),
    ("negative", [0x30, 0x06, 0x02, 0x01, 0x81] + one),
    ("needless zero", [0x30, 0x07, 0x02, 0x02, 0x00, 0x01] + one),
    ("no digits", [0x30, 0x05, 0x02, 0x00] + one),
    ("too long for the field", [0x30, 0x26, 0x02, 0x21, 0x01] + Bytes(repeating: 0, count: 32) + one),
  ]

  @Test(arguments: malformed.indices)
  func `an ECDSA signature that is not DER is malformed`(index: Int) {
    let key = VerificationKey(of: Certificate(bytes: SelfSigned.ecP256SHA512))
    let result = key.verify(Self.malformed[index].1[...], over: [], method: .ecdsa(.sha256))
    #expect(result == .invalid(.malformedSignature), "\(Self.malformed[index].0)")
  }

  @Test
  func `ECDSA integers above the order of the curve give a mismatch`() {
    let key = VerificationKey(of: Certificate(bytes: SelfSigned.ecP256SHA512))
    let great = Bytes([0x02, 0x21, 0x00]) + Bytes(repeating: 0xFF, count: 32)
    let signature = DER.sequence(great, great)
    #expect(key.verify(signature[...], over: [], method: .ecdsa(.sha256)) == .invalid(.mismatch))
  }
}
