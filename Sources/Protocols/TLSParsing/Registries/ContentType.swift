/// What a record carries (IANA "TLS ContentType").
public struct ContentType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec` (RFC 5246 §7.1).
  @inlinable
  public static var changeCipherSpec: ContentType { ContentType(rawValue: 20) }
  /// `alert` (RFC 8446 §6).
  @inlinable
  public static var alert: ContentType { ContentType(rawValue: 21) }
  /// `handshake` (RFC 8446 §4).
  @inlinable
  public static var handshake: ContentType { ContentType(rawValue: 22) }
  /// `application_data` (RFC 8446 §5.2).
  @inlinable
  public static var applicationData: ContentType { ContentType(rawValue: 23) }
  /// `heartbeat` (RFC 6520).
  @inlinable
  public static var heartbeat: ContentType { ContentType(rawValue: 24) }
  /// `tls12_cid` (RFC 9146), of DTLS.
  @inlinable
  public static var tls12CID: ContentType { ContentType(rawValue: 25) }
  /// `ACK` (RFC 9147), of DTLS 1.3.
  @inlinable
  public static var ack: ContentType { ContentType(rawValue: 26) }
}
