/// A protocol version as encoded: `0x0303` is TLS 1.2 (RFC 8446 §4.2.1), `0x0002` SSL 2, `0xfefd` DTLS 1.2.
public struct TLSVersion: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt16

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// SSL 2.0.
  public static var ssl2: TLSVersion { TLSVersion(rawValue: 0x0002) }
  /// SSL 3.0 (RFC 6101).
  public static var ssl3: TLSVersion { TLSVersion(rawValue: 0x0300) }
  /// TLS 1.0 (RFC 2246).
  public static var tls10: TLSVersion { TLSVersion(rawValue: 0x0301) }
  /// TLS 1.1 (RFC 4346).
  public static var tls11: TLSVersion { TLSVersion(rawValue: 0x0302) }
  /// TLS 1.2 (RFC 5246).
  public static var tls12: TLSVersion { TLSVersion(rawValue: 0x0303) }
  /// TLS 1.3 (RFC 8446).
  public static var tls13: TLSVersion { TLSVersion(rawValue: 0x0304) }
  /// OpenSSL's DTLS from before RFC 4347; some tunnels still use it.
  package static var dtlsBeforeRFC: TLSVersion { TLSVersion(rawValue: 0x0100) }
  /// DTLS 1.0 (RFC 4347).
  public static var dtls10: TLSVersion { TLSVersion(rawValue: 0xFEFF) }
  /// DTLS 1.2 (RFC 6347).
  public static var dtls12: TLSVersion { TLSVersion(rawValue: 0xFEFD) }
  /// DTLS 1.3 (RFC 9147).
  public static var dtls13: TLSVersion { TLSVersion(rawValue: 0xFEFC) }

  /// Whether this is a draft of TLS 1.3 (`0x7f00` to `0x7fff`) or a public experiment with it (`0x7e00` to `0x7eff`, `0xfb00` to `0xfbff`).
  package var isTLS13Draft: Bool { [0x7F, 0x7E, 0xFB].contains(rawValue >> 8) }

  /// Whether the handshake is that of TLS 1.3 or DTLS 1.3, including drafts.
  public var hasTLS13Handshake: Bool { self == .tls13 || self == .dtls13 || isTLS13Draft }

  /// Whether a hello has the format of TLS 1.3 drafts before 22: no session ID, no compression method.
  package var hasEarlyDraftLayout: Bool { rawValue >> 8 == 0x7F && rawValue & 0xFF < 22 }

  /// The usual name, such as `TLS 1.2`; nil for code points without one.
  public var name: String? {
    switch rawValue {
    case 0x0002: "SSL 2.0"
    case 0x0300: "SSL 3.0"
    case 0x0301: "TLS 1.0"
    case 0x0302: "TLS 1.1"
    case 0x0303: "TLS 1.2"
    case 0x0304: "TLS 1.3"
    case 0x0100: "DTLS before RFC 4347"
    case 0xFEFF: "DTLS 1.0"
    case 0xFEFD: "DTLS 1.2"
    case 0xFEFC: "DTLS 1.3"
    case 0x7F00...0x7FFF: "TLS 1.3 draft \(rawValue & 0xFF)"
    default: nil
    }
  }
}
