/// What a handshake message is (IANA "TLS HandshakeType").
public struct HandshakeType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `hello_request` (RFC 5246 §7.4.1.1).
  public static let helloRequest = HandshakeType(rawValue: 0)
  /// `client_hello` (RFC 8446 §4.1.2).
  public static let clientHello = HandshakeType(rawValue: 1)
  /// `server_hello` (RFC 8446 §4.1.3).
  public static let serverHello = HandshakeType(rawValue: 2)
  /// `hello_verify_request` (RFC 6347 §4.2.1), of DTLS.
  public static let helloVerifyRequest = HandshakeType(rawValue: 3)
  /// `new_session_ticket` (RFC 5077 §3.3, RFC 8446 §4.6.1).
  public static let newSessionTicket = HandshakeType(rawValue: 4)
  /// `end_of_early_data` (RFC 8446 §4.5).
  public static let endOfEarlyData = HandshakeType(rawValue: 5)
  /// `hello_retry_request` of the drafts of TLS 1.3 before 22.
  public static let helloRetryRequest = HandshakeType(rawValue: 6)
  /// `encrypted_extensions` (RFC 8446 §4.3.1).
  public static let encryptedExtensions = HandshakeType(rawValue: 8)
  /// `certificate` (RFC 8446 §4.4.2).
  public static let certificate = HandshakeType(rawValue: 11)
  /// `server_key_exchange` (RFC 5246 §7.4.3).
  public static let serverKeyExchange = HandshakeType(rawValue: 12)
  /// `certificate_request` (RFC 8446 §4.3.2).
  public static let certificateRequest = HandshakeType(rawValue: 13)
  /// `server_hello_done` (RFC 5246 §7.4.5).
  public static let serverHelloDone = HandshakeType(rawValue: 14)
  /// `certificate_verify` (RFC 8446 §4.4.3).
  public static let certificateVerify = HandshakeType(rawValue: 15)
  /// `client_key_exchange` (RFC 5246 §7.4.7).
  public static let clientKeyExchange = HandshakeType(rawValue: 16)
  /// `finished` (RFC 8446 §4.4.4).
  public static let finished = HandshakeType(rawValue: 20)
  /// `certificate_status` (RFC 6066 §8).
  public static let certificateStatus = HandshakeType(rawValue: 22)
  /// `key_update` (RFC 8446 §4.6.3).
  public static let keyUpdate = HandshakeType(rawValue: 24)
  /// `compressed_certificate` (RFC 8879 §4).
  public static let compressedCertificate = HandshakeType(rawValue: 25)
  /// `message_hash` (RFC 8446 §4.4.1), never on the wire.
  public static let messageHash = HandshakeType(rawValue: 254)

  /// The name in the registry, such as `client_hello`.
  public var name: String? { CodePointNames.name(of: rawValue, in: HandshakeTypeRegistry.entries) }
}
