/// A key exchange group (IANA "TLS Supported Groups").
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt16

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The kind of a key exchange group.
  public enum Kind: String, Hashable, Sendable {
    /// An elliptic curve (RFC 8422).
    case ecdhe
    /// A finite field (RFC 7919).
    case ffdhe
    /// A key encapsulation mechanism.
    case kem
    /// A curve combined with a key encapsulation mechanism.
    case hybrid
  }

  /// The name in the registry, such as `x25519`; nil if there is none.
  public var name: String? { entry?.name }

  /// The kind of the group; nil if it is unknown.
  public var kind: Kind? { entry?.kind }

  /// The size in bits of the field or of the group's order, as other tools print it: 253 for x25519, 256 for secp256r1. For a hybrid, that
  /// of its curve; nil for a key encapsulation mechanism alone.
  public var bits: Int? { entry?.bits }

  private var entry: NamedGroupRegistry.Entry? {
    CodePointNames.row(of: rawValue, in: NamedGroupRegistry.entries, by: { $0.codePoint })
  }
}
