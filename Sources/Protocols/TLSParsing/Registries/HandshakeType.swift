/// The type of a handshake message (IANA "TLS HandshakeType").
@usableFromInline package struct HandshakeType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `client_hello` (RFC 8446 §4.1.2).
  @inlinable
  package static var clientHello: HandshakeType { HandshakeType(rawValue: 1) }
  /// `server_hello` (RFC 8446 §4.1.3).
  @inlinable
  package static var serverHello: HandshakeType { HandshakeType(rawValue: 2) }
  /// `hello_verify_request` (RFC 6347 §4.2.1), DTLS only.
  @inlinable
  package static var helloVerifyRequest: HandshakeType { HandshakeType(rawValue: 3) }
  /// `new_session_ticket` (RFC 5077 §3.3, RFC 8446 §4.6.1).
  @inlinable
  package static var newSessionTicket: HandshakeType { HandshakeType(rawValue: 4) }
  /// `hello_retry_request` in drafts of TLS 1.3 before 22.
  @inlinable
  package static var helloRetryRequest: HandshakeType { HandshakeType(rawValue: 6) }
  /// `encrypted_extensions` (RFC 8446 §4.3.1).
  @inlinable
  package static var encryptedExtensions: HandshakeType { HandshakeType(rawValue: 8) }
  /// `certificate` (RFC 8446 §4.4.2).
  @inlinable
  package static var certificate: HandshakeType { HandshakeType(rawValue: 11) }
  /// `server_key_exchange` (RFC 5246 §7.4.3).
  @inlinable
  package static var serverKeyExchange: HandshakeType { HandshakeType(rawValue: 12) }
  /// `certificate_request` (RFC 8446 §4.3.2).
  @inlinable
  package static var certificateRequest: HandshakeType { HandshakeType(rawValue: 13) }
  /// `server_hello_done` (RFC 5246 §7.4.5).
  @inlinable
  package static var serverHelloDone: HandshakeType { HandshakeType(rawValue: 14) }
  /// `certificate_verify` (RFC 8446 §4.4.3).
  @inlinable
  package static var certificateVerify: HandshakeType { HandshakeType(rawValue: 15) }
  /// `client_key_exchange` (RFC 5246 §7.4.7).
  @inlinable
  package static var clientKeyExchange: HandshakeType { HandshakeType(rawValue: 16) }
  /// `finished` (RFC 8446 §4.4.4).
  @inlinable
  package static var finished: HandshakeType { HandshakeType(rawValue: 20) }
  /// `certificate_status` (RFC 6066 §8).
  @inlinable
  package static var certificateStatus: HandshakeType { HandshakeType(rawValue: 22) }
  /// `compressed_certificate` (RFC 8879 §4).
  @inlinable
  package static var compressedCertificate: HandshakeType { HandshakeType(rawValue: 25) }
  /// `message_hash` (RFC 8446 §4.4.1), which is never sent.
  @inlinable
  package static var messageHash: HandshakeType { HandshakeType(rawValue: 254) }

  /// The name in the registry, such as `client_hello`.
  package var name: String? { CodePointNames.name(of: rawValue, in: HandshakeTypeRegistry.entries) }
}
