/// The result of verifying a signature.
package enum SignatureVerification: Hashable, Sendable {
  /// The signature verifies with the key over these bytes.
  case valid

  /// The signature is invalid for any implementation.
  case invalid(Fault)

  /// The signature cannot be verified, for example because its algorithm is not supported.
  case notVerifiable(Obstacle)

  /// The reason why a signature is invalid.
  package enum Fault: Hashable, Sendable {
    /// It was made with another key or over other bytes.
    case mismatch

    /// It is not encoded as its algorithm requires; for example, an ECDSA signature is not DER.
    case malformedSignature

    /// The algorithm requires another key type, or the key is restricted to another algorithm.
    case otherKindOfKey

    /// The key is invalid: a point not on its curve, or an impossible modulus or encoding.
    case malformedKey

    /// The signed part and the outer part name different algorithms (RFC 5280 §4.1.1.2).
    case algorithmsDiffer
  }

  /// The reason why a signature cannot be verified.
  package enum Obstacle: Error, Hashable, Sendable {
    /// The algorithm with this name is unknown or not supported (DSA, Ed448, ML-DSA).
    case algorithm(String)

    /// The hash with this name is unknown, or not supported or allowed (MD5, SHA-224).
    case hash(String)

    /// RSASSA-PSS parameters other than a salt of the hash's length and MGF1 with the same hash, or undecodable ones.
    case pssParameters

    /// An RSA modulus of this many bits, below 1024 or above the limit.
    case keySize(Int)

    /// An RSA exponent that the library rejects.
    case exponent

    /// A curve with this name that is not supported.
    case curve(String)

    /// The signed part, the signature or the algorithm could not be decoded.
    case unreadable
  }

  package var isValid: Bool { self == .valid }

  /// Whether the signature is certainly invalid.
  package var isInvalid: Bool {
    if case .invalid = self { true } else { false }
  }
}

extension SignatureVerification: CustomStringConvertible {
  /// A clause, such as `the signature does not verify`.
  package var description: String {
    switch self {
    case .valid: "the signature verifies"
    case .invalid(let fault):
      switch fault {
      case .mismatch: "the signature does not verify"
      case .malformedSignature: "the signature is malformed"
      case .otherKindOfKey: "the signature does not match the kind of key"
      case .malformedKey: "the key is malformed"
      case .algorithmsDiffer: "the inner and outer signature algorithms differ"
      }
    case .notVerifiable(let obstacle):
      switch obstacle {
      case .algorithm(let name): "signatures with \(name) cannot be verified here"
      case .hash(let name): "signatures over \(name) are not verified here"
      case .pssParameters: "RSASSA-PSS with these parameters cannot be verified here"
      case .keySize(let bits): "signatures with an RSA key of \(bits) bits cannot be verified here"
      case .exponent: "signatures with an RSA key with this exponent cannot be verified here"
      case .curve(let name): "signatures on the curve \(name) cannot be verified here"
      case .unreadable: "the signature or what it covers cannot be read"
      }
    }
  }
}
