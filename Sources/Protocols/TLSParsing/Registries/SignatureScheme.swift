/// A signature scheme (IANA "TLS SignatureScheme"; in TLS 1.2 a hash and a signature algorithm).
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt16

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The hash function of a scheme.
  package enum Hash: String, Hashable, Sendable {
    /// Part of the algorithm: EdDSA, ML-DSA, SLH-DSA.
    case intrinsic
    /// `none` in TLS 1.2.
    case none
    /// A hash function that is not listed here.
    case other
    /// MD5.
    case md5
    /// SHA-1.
    case sha1
    /// SHA-224.
    case sha224
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512
    /// SM3.
    case sm3
    /// GOST R 34.11, either edition.
    case gostr3411
  }

  /// The signature algorithm of a scheme.
  package enum Algorithm: String, Hashable, Sendable {
    /// No signature (`anonymous` in TLS 1.2).
    case anonymous
    /// RSASSA-PKCS1-v1_5.
    case rsaPKCS1
    /// RSASSA-PSS.
    case rsaPSS
    /// DSA.
    case dsa
    /// ECDSA.
    case ecdsa
    /// Ed25519 or Ed448.
    case edDSA
    /// ML-DSA.
    case mlDSA
    /// SLH-DSA.
    case slhDSA
    /// SM2.
    case sm2
    /// GOST R 34.10, either edition.
    case gost
    /// One of the identity-based schemes.
    case identityBased
  }

  /// `rsa_pkcs1_sha1` (RFC 8446 §4.2.3).
  package static let rsaPKCS1SHA1 = SignatureScheme(rawValue: 0x0201)
  /// `dsa_sha1` of TLS 1.2 (RFC 5246 §7.4.1.4.1).
  package static let dsaSHA1 = SignatureScheme(rawValue: 0x0202)
  /// `ecdsa_sha1` (RFC 8446 §4.2.3).
  package static let ecdsaSHA1 = SignatureScheme(rawValue: 0x0203)

  /// The name in the registry, such as `ecdsa_secp256r1_sha256`; pairs that exist only in TLS 1.2 are named in the same style. Nil if there
  /// is none.
  public var name: String? { entry?.name }

  /// The hash function; nil for an unknown scheme.
  package var hash: Hash? { entry?.hash }

  /// The signature algorithm; nil for an unknown scheme.
  package var algorithm: Algorithm? { entry?.algorithm }

  private var entry: SignatureSchemeRegistry.Entry? {
    CodePointNames.row(of: rawValue, in: SignatureSchemeRegistry.entries, by: { $0.codePoint })
  }
}
