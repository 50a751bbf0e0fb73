import CertificateParsing

/// A supported combination of key type, padding and hash.
package enum SignatureMethod: Hashable, Sendable {
  /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
  case rsaPKCS1(Digest)

  /// RSASSA-PSS with MGF1 over the same hash and a salt of the hash's length (RFC 8017 §8.1).
  case rsaPSS(Digest)

  /// ECDSA with the curve of the key.
  case ecdsa(Digest)

  /// Ed25519 (RFC 8032).
  case ed25519

  /// A hash function of signatures.
  package enum Digest: String, Hashable, Sendable, CaseIterable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// The length of the hash in bytes.
    package var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }
}

/// The type of a key, as far as it matters to signatures.
enum KeyFamily: Hashable {
  case rsa
  case ec
  case edwards25519
}

extension SignatureAlgorithm {
  /// The key type of the algorithm; nil if it is not supported.
  var family: KeyFamily? {
    if SignatureAlgorithm.rsaIdentifiers.contains(objectIdentifier) { return .rsa }
    if SignatureAlgorithm.ecdsaIdentifiers.contains(objectIdentifier) { return .ec }
    return objectIdentifier == "1.3.101.112" ? .edwards25519 : nil
  }

  /// Returns the method of the signature; throws the obstacle to verifying it.
  func method() throws(SignatureVerification.Obstacle) -> SignatureMethod {
    guard !objectIdentifier.isEmpty else { throw .unreadable }
    guard let family else { throw .algorithm(name) }
    if family == .edwards25519 { return .ed25519 }
    // The parameters of RSASSA-PSS contain the hash; if they could not be decoded, there is none.
    let isPSS = objectIdentifier == "1.2.840.113549.1.1.10"
    guard let hash else { throw isPSS ? .pssParameters : .algorithm(name) }
    // MD5 in particular must not reach the library, whose RSA code traps.
    guard let digest = SignatureMethod.Digest(rawValue: hash) else { throw .hash(hash) }
    if family == .ec { return .ecdsa(digest) }
    guard isPSS else { return .rsaPKCS1(digest) }
    guard let parameters = pssParameters, parameters.maskGenerationHash == hash,
      parameters.saltByteCount == digest.byteCount, parameters.trailerField == 1
    else { throw .pssParameters }
    return .rsaPSS(digest)
  }

  /// PKCS #1 (RFC 8017), NIST CSOR, and the identifiers of the OIW workshop and TeleTrusT.
  private static let rsaIdentifiers: Set<String> = [
    "1.2.840.113549.1.1.2", "1.2.840.113549.1.1.3", "1.2.840.113549.1.1.4", "1.2.840.113549.1.1.5", "1.2.840.113549.1.1.10",
    "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13", "1.2.840.113549.1.1.14", "1.2.840.113549.1.1.15",
    "1.2.840.113549.1.1.16", "1.3.14.3.2.2", "1.3.14.3.2.3", "1.3.14.3.2.4", "1.3.14.3.2.15", "1.3.14.3.2.29", "1.3.36.3.3.1.2",
    "2.16.840.1.101.3.4.3.13", "2.16.840.1.101.3.4.3.14", "2.16.840.1.101.3.4.3.15", "2.16.840.1.101.3.4.3.16",
  ]

  /// ANSI X9.62 (RFC 5758) and NIST CSOR.
  private static let ecdsaIdentifiers: Set<String> = [
    "1.2.840.10045.4.1", "1.2.840.10045.4.2", "1.2.840.10045.4.3", "1.2.840.10045.4.3.1", "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3",
    "1.2.840.10045.4.3.4", "2.16.840.1.101.3.4.3.9", "2.16.840.1.101.3.4.3.10", "2.16.840.1.101.3.4.3.11", "2.16.840.1.101.3.4.3.12",
  ]
}
