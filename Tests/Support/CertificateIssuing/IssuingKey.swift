package import ByteParsing
package import Crypto
package import CryptoExtras
import TestBytes

/// The key of a certificate, which signs the certificates that it issues.
package enum IssuingKey: Sendable {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case ed25519(Curve25519.Signing.PrivateKey)
  case rsa(_RSA.Signing.PrivateKey)

  /// A SubjectPublicKeyInfo without a private key, which cannot sign.
  case publicOnly(Bytes)

  /// A new P-256 key.
  package static func newP256() -> IssuingKey { .p256(P256.Signing.PrivateKey()) }

  /// An RSA public key with a modulus of `bits` bits, which cannot sign.
  package static func rsa(bits: Int) -> IssuingKey {
    var modulus = Bytes(repeating: 0xAB, count: (bits + 7) / 8)
    modulus[0] = UInt8(truncatingIfNeeded: 1 << ((bits - 1) % 8))
    let key = DER.sequence(DER.element(0x02, [0] + modulus), [0x02, 0x03, 0x01, 0x00, 0x01])
    return .publicOnly(
      DER.sequence(
        DER.sequence(DER.oid("1.2.840.113549.1.1.1"), [0x05, 0x00]), DER.bits(key)))
  }

  /// A public key of another algorithm, which cannot sign.
  package static func other(_ algorithm: String, parameters: Bytes = []) -> IssuingKey {
    .publicOnly(
      DER.sequence(DER.sequence(DER.oid(algorithm), parameters), DER.bits([4, 1, 2])))
  }

  /// An elliptic curve public key with these bytes as its point, which cannot sign. `curve` is a dotted OID.
  package static func point(_ point: Bytes, curve: String) -> IssuingKey {
    .point(point, parameters: DER.oid(curve))
  }

  /// An elliptic curve public key with these bytes as its point, and these parameters.
  package static func point(
    _ point: Bytes, parameters: Bytes, algorithm: String = "1.2.840.10045.2.1"
  ) -> IssuingKey {
    .publicOnly(
      DER.sequence(DER.sequence(DER.oid(algorithm), parameters), DER.bits(point)))
  }

  /// The DER of SubjectPublicKeyInfo.
  package var subjectPublicKeyInfo: Bytes {
    switch self {
    case .p256(let key): Bytes(key.publicKey.derRepresentation)
    case .p384(let key): Bytes(key.publicKey.derRepresentation)
    case .ed25519(let key):
      DER.sequence(
        DER.sequence(DER.oid("1.3.101.112")), DER.bits(Bytes(key.publicKey.rawRepresentation)))
    case .rsa(let key): Bytes(key.publicKey.derRepresentation)
    case .publicOnly(let bytes): bytes
    }
  }

  /// The dotted OID of the default signature algorithm.
  package var algorithm: String {
    switch self {
    case .p256: "1.2.840.10045.4.3.2"
    case .p384: "1.2.840.10045.4.3.3"
    case .ed25519: "1.3.101.112"
    case .rsa: "1.2.840.113549.1.1.11"
    case .publicOnly: "1.2.840.113549.1.1.11"
    }
  }

  /// The AlgorithmIdentifier of the default signature algorithm.
  package var algorithmIdentifier: Bytes { IssuingKey.identifier(of: algorithm) }

  /// The AlgorithmIdentifier of a signature algorithm.
  static func identifier(of algorithm: String) -> Bytes {
    DER.sequence(DER.oid(algorithm), algorithm.hasPrefix("1.2.840.113549.") ? [0x05, 0x00] : [])
  }

  /// Returns `SEQUENCE { signed, algorithm, signature }`, the structure of certificates, CRLs and OCSP responses.
  package func signed(_ message: Bytes, _ rest: Bytes = []) throws -> Bytes {
    DER.sequence(message, algorithmIdentifier, DER.bits(try sign(message)), rest)
  }

  /// Signs with an algorithm, or with the default. A key that cannot sign returns bytes that are not a signature.
  package func sign(_ message: Bytes, algorithm: String? = nil) throws -> Bytes {
    switch (self, algorithm ?? self.algorithm) {
    case (.p256(let key), "1.2.840.10045.4.1"):
      Bytes(try key.signature(for: Insecure.SHA1.hash(data: message)).derRepresentation)
    case (.p256(let key), "1.2.840.10045.4.3.3"):
      Bytes(try key.signature(for: SHA384.hash(data: message)).derRepresentation)
    case (.p256(let key), _): Bytes(try key.signature(for: message).derRepresentation)
    case (.p384(let key), _): Bytes(try key.signature(for: message).derRepresentation)
    case (.ed25519(let key), _): Bytes(try key.signature(for: message))
    case (.rsa(let key), "1.2.840.113549.1.1.5"):
      Bytes(
        try key.signature(for: Insecure.SHA1.hash(data: message), padding: .insecurePKCS1v1_5)
          .rawRepresentation)
    case (.rsa(let key), _):
      Bytes(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
    case (.publicOnly, _): [0, 1, 2, 3]
    }
  }
}
