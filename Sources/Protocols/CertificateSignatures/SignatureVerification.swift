/// What came of verifying a signature.
package enum SignatureVerification: Hashable, Sendable {
  /// The signature is the key's over these bytes.
  case valid

  /// It is not, and no other software would find it to be.
  case invalid(Fault)

  /// Not verifiable here.
  case notVerifiable(Obstacle)

  /// Why a signature is none.
  package enum Fault: Hashable, Sendable {
    /// It was made by another key or over other bytes.
    case mismatch

    /// Not encoded as its algorithm requires: an ECDSA signature that is not DER, for example.
    case malformedSignature

    /// The algorithm is one of another kind of key, or the key is restricted to another.
    case otherKindOfKey

    /// The key is none: a point that is not on its curve, a modulus or an encoding that cannot be.
    case malformedKey

    /// The signed part and the outer part give different algorithms (RFC 5280 §4.1.1.2).
    case algorithmsDiffer
  }

  /// Why a signature cannot be verified here.
  package enum Obstacle: Hashable, Sendable {
    /// The algorithm is not known, or nothing here can do it (DSA, Ed448, ML-DSA); its name.
    case algorithm(String)

    /// The hash is not known, or nothing here can do it or may (MD5, SHA-224); its name.
    case hash(String)

    /// Parameters of RSASSA-PSS other than salt of the hash's length and MGF1 with the same hash, or unreadable ones.
    case pssParameters

    /// An RSA modulus of so many bits: below 1024, or more than are tried.
    case keySize(Int)

    /// An RSA exponent that the library refuses.
    case exponent

    /// A curve that nothing here can do; its name.
    case curve(String)

    /// What is signed, the signature or the algorithm could not be read.
    case unreadable
  }

  /// Whether the signature is valid.
  package var isValid: Bool { self == .valid }

  /// Whether it is certain that the signature is not valid.
  package var isInvalid: Bool {
    if case .invalid = self { true } else { false }
  }
}

extension SignatureVerification: CustomStringConvertible {
  /// A clause for people, such as `the signature does not verify`.
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
