/// A version as it stands on the wire: `0x0303` is TLS 1.2 (RFC 8446 §4.2.1), `0x0002` SSL 2, `0xfefd` DTLS 1.2.
public struct TLSVersion: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// SSL 2.0.
  public static let ssl2 = TLSVersion(rawValue: 0x0002)
  /// SSL 3.0 (RFC 6101).
  public static let ssl3 = TLSVersion(rawValue: 0x0300)
  /// TLS 1.0 (RFC 2246).
  public static let tls10 = TLSVersion(rawValue: 0x0301)
  /// TLS 1.1 (RFC 4346).
  public static let tls11 = TLSVersion(rawValue: 0x0302)
  /// TLS 1.2 (RFC 5246).
  public static let tls12 = TLSVersion(rawValue: 0x0303)
  /// TLS 1.3 (RFC 8446).
  public static let tls13 = TLSVersion(rawValue: 0x0304)

  /// A draft of TLS 1.3 (`0x7f00` to `0x7fff`) or one of its public experiments (`0x7e00` to `0x7eff`).
  public var isTLS13Draft: Bool { rawValue >> 8 == 0x7F || rawValue >> 8 == 0x7E }
}

/// A cipher suite (IANA "TLS Cipher Suites"); the two last bytes of an SSL 2 cipher kind are not among them.
public struct CipherSuite: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A key exchange group (IANA "TLS Supported Groups").
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A signature scheme (IANA "TLS SignatureScheme"; in TLS 1.2 a hash and a signature algorithm).
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The type of a hello extension (IANA "TLS ExtensionType Values").
public struct ExtensionType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// What an alert says (IANA "TLS Alerts").
public struct AlertDescription: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// Whether a code point is one that RFC 8701 sets aside to be ignored (`0x0a0a`, `0x1a1a` … `0xfafa`).
@inlinable
public func isGREASE(_ codePoint: UInt16) -> Bool {
  codePoint & 0x0F0F == 0x0A0A && codePoint >> 8 == codePoint & 0xFF
}
