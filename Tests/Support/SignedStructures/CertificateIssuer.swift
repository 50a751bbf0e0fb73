package import ByteParsing
package import CertificateParsing
package import Crypto
import TestBytes

/// A key that tests sign with.
package enum SigningKey {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case p521(P521.Signing.PrivateKey)
  case ed25519(Curve25519.Signing.PrivateKey)

  package static func newP256() -> SigningKey { .p256(P256.Signing.PrivateKey()) }

  /// The DER of SubjectPublicKeyInfo.
  package var subjectPublicKeyInfo: Bytes {
    switch self {
    case .p256(let key): Bytes(key.publicKey.derRepresentation)
    case .p384(let key): Bytes(key.publicKey.derRepresentation)
    case .p521(let key): Bytes(key.publicKey.derRepresentation)
    case .ed25519(let key):
      DER.sequence(
        DER.sequence(DER.oid("1.3.101.112")), DER.bits(Bytes(key.publicKey.rawRepresentation)))
    }
  }

  /// The AlgorithmIdentifier of the signatures that `sign` makes.
  package var algorithm: Bytes {
    switch self {
    case .p256: DER.sequence(DER.oid("1.2.840.10045.4.3.2"))
    case .p384: DER.sequence(DER.oid("1.2.840.10045.4.3.3"))
    case .p521: DER.sequence(DER.oid("1.2.840.10045.4.3.4"))
    case .ed25519: DER.sequence(DER.oid("1.3.101.112"))
    }
  }

  package func sign(_ message: Bytes) throws -> Bytes {
    switch self {
    case .p256(let key): Bytes(try key.signature(for: message).derRepresentation)
    case .p384(let key): Bytes(try key.signature(for: message).derRepresentation)
    case .p521(let key): Bytes(try key.signature(for: message).derRepresentation)
    case .ed25519(let key): Bytes(try key.signature(for: message))
    }
  }

  /// Returns `SEQUENCE { signed, algorithm, signature }`, the structure of certificates, CRLs and OCSP responses.
  package func signed(_ message: Bytes, _ rest: Bytes = []) throws -> Bytes {
    DER.sequence(message, algorithm, DER.bits(try sign(message)), rest)
  }
}

/// An issuer of certificates, CRLs and OCSP responses: a name and a key.
package struct CertificateIssuer {
  package var commonName: String
  package var key: SigningKey
  /// The string type of the issuer's name in the certificates that it issues.
  package var nameTag: UInt8

  package init(commonName: String = "issuer", key: SigningKey = .newP256(), nameTag: UInt8 = 0x0C) {
    (self.commonName, self.key, self.nameTag) = (commonName, key, nameTag)
  }

  /// Issues a certificate for a key, with these dates and extensions.
  package func issue(
    _ subject: String, key subjectKey: SigningKey, serial: Bytes = [5],
    from notBefore: String = "20260101000000Z", to notAfter: String = "20270101000000Z",
    extensions: [Bytes] = []
  ) throws -> Certificate {
    let list =
      extensions.isEmpty ? Bytes() : DER.element(0xA3, DER.sequence(extensions.reduce(Bytes(), +)))
    let tbs = DER.sequence(
      DER.element(0xA0, DER.element(0x02, [2])), DER.element(0x02, serial), key.algorithm,
      DER.name(commonName, tag: nameTag), DER.sequence(DER.time(notBefore), DER.time(notAfter)),
      DER.name(subject),
      subjectKey.subjectPublicKeyInfo, list)
    let der = try key.signed(tbs)
    return Certificate(parsing: der.span)
  }

  /// The issuer's self-signed certificate.
  package func certificate() throws -> Certificate { try issue(commonName, key: key, serial: [1]) }
}

extension Certificate {
  /// Parses bytes that are borrowed for the duration of the call.
  package init(bytes: Bytes) { self.init(parsing: bytes.span) }
}
