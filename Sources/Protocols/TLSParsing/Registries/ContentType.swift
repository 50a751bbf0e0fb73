/// What a record carries (IANA "TLS ContentType").
public struct ContentType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec` (RFC 5246 §7.1).
  public static let changeCipherSpec = ContentType(rawValue: 20)
  /// `alert` (RFC 8446 §6).
  public static let alert = ContentType(rawValue: 21)
  /// `handshake` (RFC 8446 §4).
  public static let handshake = ContentType(rawValue: 22)
  /// `application_data` (RFC 8446 §5.2).
  public static let applicationData = ContentType(rawValue: 23)
  /// `heartbeat` (RFC 6520).
  public static let heartbeat = ContentType(rawValue: 24)
  /// `tls12_cid` (RFC 9146), of DTLS.
  public static let tls12CID = ContentType(rawValue: 25)
  /// `ACK` (RFC 9147), of DTLS 1.3.
  public static let ack = ContentType(rawValue: 26)
}
