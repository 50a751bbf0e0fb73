package import ByteParsing
package import CertificateParsing
import Crypto
import CryptoExtras

/// A public key for verifying signatures, decoded once and used for any number of them.
///
/// Creating a key never fails, whatever the bytes are: an invalid key makes every verification return the reason.
package struct VerificationKey: Sendable {
  private enum Kind: Sendable {
    case rsa(_RSA.Signing.PublicKey, isPSSOnly: Bool, restrictedToHash: String?)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case unusable(KeyFamily?, SignatureVerification)
  }

  private let kind: Kind

  /// The maximum RSA modulus in bits: the cost of a verification grows with its square.
  package static let maximumRSABitCount = 8192

  /// The minimum RSA modulus in bits that the library accepts.
  package static let rsaBitsFloor = 1024

  /// Creates a key from the DER of a SubjectPublicKeyInfo.
  package init(subjectPublicKeyInfo: Bytes) {
    let facts = try? PublicKeyFacts(parsing: subjectPublicKeyInfo.span)
    self.init(facts ?? PublicKeyFacts(), in: subjectPublicKeyInfo)
  }

  /// Creates a key from the subject's key of a certificate.
  package init(of certificate: Certificate) {
    self.init(certificate.publicKey, in: certificate.der)
  }

  private init(_ facts: PublicKeyFacts, in bytes: Bytes) {
    let key = bytes[facts.keyRange.clamped(to: bytes.indices)]
    switch facts.algorithm {
    case "rsa", "rsa-pss": kind = VerificationKey.rsa(facts, in: bytes)
    case "ec": kind = VerificationKey.ellipticCurve(facts.curve, point: key)
    case "ed25519":
      if let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) {
        kind = .ed25519(key)
      } else {
        kind = .unusable(.edwards25519, .invalid(.malformedKey))
      }
    case "": kind = .unusable(nil, .notVerifiable(.unreadable))
    default: kind = .unusable(nil, .notVerifiable(.algorithm(facts.algorithm)))
    }
  }

  private static func rsa(_ facts: PublicKeyFacts, in bytes: Bytes) -> Kind {
    guard let modulusRange = facts.modulusRange, let exponentRange = facts.exponentRange,
      let bits = facts.bits
    else { return .unusable(.rsa, .invalid(.malformedKey)) }
    guard bits >= rsaBitsFloor, bits <= maximumRSABitCount else { return .unusable(.rsa, .notVerifiable(.keySize(bits))) }
    // Encoded again, so that the library receives only one encoding, whatever that of the key is.
    let modulus = DEREncoding.unsignedInteger(bytes[modulusRange.clamped(to: bytes.indices)])
    let exponent = DEREncoding.unsignedInteger(bytes[exponentRange.clamped(to: bytes.indices)])
    let rsaPublicKey = DEREncoding.element(0x30, modulus, exponent)
    let encoded = DEREncoding.element(0x30, rsaEncryption, DEREncoding.element(0x03, [0], rsaPublicKey))
    guard let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: encoded) else {
      // An even modulus is not a product of two large primes. The library's other reason to reject is an unusual exponent.
      let isOdd = (bytes[modulusRange.clamped(to: bytes.indices)].last ?? 0) & 1 == 1
      return .unusable(.rsa, isOdd ? .notVerifiable(.exponent) : .invalid(.malformedKey))
    }
    return .rsa(key, isPSSOnly: facts.algorithm == "rsa-pss", restrictedToHash: facts.restrictedToHash)
  }

  /// `AlgorithmIdentifier` of rsaEncryption, 1.2.840.113549.1.1.1 with NULL.
  private static let rsaEncryption: Bytes = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]

  private static func ellipticCurve(_ curve: String?, point: ArraySlice<UInt8>) -> Kind {
    let malformed = Kind.unusable(.ec, .invalid(.malformedKey))
    // 2 and 3 begin a compressed point, 4 one with both coordinates (RFC 5480 §2.2).
    let isCompressed = point.first == 2 || point.first == 3
    guard isCompressed || point.first == 4 else { return malformed }
    do {
      switch curve {
      case "P-256": return try .p256(isCompressed ? .init(compressedRepresentation: point) : .init(x963Representation: point))
      case "P-384": return try .p384(isCompressed ? .init(compressedRepresentation: point) : .init(x963Representation: point))
      case "P-521": return try .p521(isCompressed ? .init(compressedRepresentation: point) : .init(x963Representation: point))
      case "P-192" where !hasSize(point, fieldByteCount: 24), "P-224" where !hasSize(point, fieldByteCount: 28):
        return malformed
      default: return .unusable(.ec, .notVerifiable(.curve(curve ?? "implicit")))
      }
    } catch {
      return malformed
    }
  }

  /// Whether a point has the right length: one coordinate if it is compressed, otherwise both.
  private static func hasSize(_ point: ArraySlice<UInt8>, fieldByteCount: Int) -> Bool {
    point.count == 1 + fieldByteCount * (point.first == 4 ? 2 : 1)
  }
}

extension VerificationKey {
  /// Whether the key is invalid: a point not on its curve, or an impossible modulus or encoding.
  package var isMalformed: Bool {
    if case .unusable(_, .invalid(.malformedKey)) = kind { true } else { false }
  }

  private var family: KeyFamily? {
    switch kind {
    case .rsa: .rsa
    case .p256, .p384, .p521: .ec
    case .ed25519: .edwards25519
    case .unusable(let family, _): family
    }
  }

  /// Verifies a signature over a message, with the algorithm of a certificate, CRL or OCSP response.
  package func verify(
    _ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>, algorithm: SignatureAlgorithm
  ) -> SignatureVerification {
    // Different key types are certainly a mismatch, even if the algorithm is not supported.
    if let family, let other = algorithm.family, family != other { return .invalid(.otherKindOfKey) }
    if case .unusable(_, let reason) = kind { return reason }
    do throws(SignatureVerification.Obstacle) {
      return verify(signature, over: message, method: try algorithm.method())
    } catch {
      return .notVerifiable(error)
    }
  }

  /// Verifies a signature over a message with this method.
  package func verify(_ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>, method: SignatureMethod) -> SignatureVerification {
    switch (kind, method) {
    case (.unusable(_, let reason), _): return reason
    case (.rsa(let key, let isPSSOnly, let hash), .rsaPKCS1(let digest)):
      guard !isPSSOnly, hash == nil else { return .invalid(.otherKindOfKey) }
      return verify(signature, over: message, digest, key, .insecurePKCS1v1_5)
    case (.rsa(let key, _, let hash), .rsaPSS(let digest)):
      guard hash == nil || hash == digest.rawValue else { return .invalid(.otherKindOfKey) }
      return verify(signature, over: message, digest, key, .PSS)
    case (.p256(let key), .ecdsa(let digest)):
      return ecdsa(signature, fieldByteCount: 32) { raw in
        key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: raw), for: digest.hash(of: message))
      }
    case (.p384(let key), .ecdsa(let digest)):
      return ecdsa(signature, fieldByteCount: 48) { raw in
        key.isValidSignature(try P384.Signing.ECDSASignature(rawRepresentation: raw), for: digest.hash(of: message))
      }
    case (.p521(let key), .ecdsa(let digest)):
      return ecdsa(signature, fieldByteCount: 66) { raw in
        key.isValidSignature(try P521.Signing.ECDSASignature(rawRepresentation: raw), for: digest.hash(of: message))
      }
    case (.ed25519(let key), .ed25519):
      guard signature.count == 64 else { return .invalid(.malformedSignature) }
      return key.isValidSignature(signature, for: message) ? .valid : .invalid(.mismatch)
    default: return .invalid(.otherKindOfKey)
    }
  }

  private func ecdsa(_ signature: ArraySlice<UInt8>, fieldByteCount: Int, isValid: (Bytes) throws -> Bool) -> SignatureVerification {
    guard let raw = rawECDSASignature(signature, fieldByteCount: fieldByteCount) else { return .invalid(.malformedSignature) }
    return (try? isValid(raw)) == true ? .valid : .invalid(.mismatch)
  }

  private func verify(
    _ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>, _ digest: SignatureMethod.Digest,
    _ key: _RSA.Signing.PublicKey, _ padding: _RSA.Signing.Padding
  ) -> SignatureVerification {
    // A signature is as long as the modulus (RFC 8017 §8.1.2, §8.2.2).
    guard signature.count == (key.keySizeInBits + 7) / 8 else { return .invalid(.malformedSignature) }
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    let isValid = key.isValidSignature(signature, for: digest.hash(of: message), padding: padding)
    return isValid ? .valid : .invalid(.mismatch)
  }
}

extension SignatureMethod.Digest {
  fileprivate func hash(of message: ArraySlice<UInt8>) -> any Crypto.Digest {
    switch self {
    case .sha1: Insecure.SHA1.hash(data: message)
    case .sha256: SHA256.hash(data: message)
    case .sha384: SHA384.hash(data: message)
    case .sha512: SHA512.hash(data: message)
    }
  }
}
