/// A key exchange group (IANA "TLS Supported Groups").
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// How a group agrees on a key.
  public enum Kind: String, Hashable, Sendable {
    /// A curve (RFC 8422).
    case ecdhe
    /// A finite field (RFC 7919).
    case ffdhe
    /// A key encapsulation mechanism alone.
    case kem
    /// A curve and a key encapsulation mechanism together.
    case hybrid
  }

  /// The name in the registry, such as `x25519`.
  public var name: String? { entry?.name }

  /// How the group agrees on a key.
  public var kind: Kind? { entry?.kind }

  /// The size of the field or of the group's order in bits, as tools print it: 253 for x25519, 256 for
  /// secp256r1; of a hybrid that of its curve, of a mechanism alone none.
  public var bits: Int? { entry?.bits }

  private var entry: NamedGroupRegistry.Entry? {
    let entries = NamedGroupRegistry.entries
    return CodePointNames.index(of: rawValue, count: entries.count) { entries[$0].codePoint }
      .map { entries[$0] }
  }
}
