/// The type of a handshake message (IANA "TLS HandshakeType").
package struct HandshakeType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `client_hello` (RFC 8446 §4.1.2).
  package static var clientHello: HandshakeType { HandshakeType(rawValue: 1) }
  /// `server_hello` (RFC 8446 §4.1.3).
  package static var serverHello: HandshakeType { HandshakeType(rawValue: 2) }
  /// `hello_verify_request` (RFC 6347 §4.2.1), DTLS only.
  package static var helloVerifyRequest: HandshakeType { HandshakeType(rawValue: 3) }
  /// `new_session_ticket` (RFC 5077 §3.3, RFC 8446 §4.6.1).
  package static var newSessionTicket: HandshakeType { HandshakeType(rawValue: 4) }
  /// `hello_retry_request` in drafts of TLS 1.3 before 22.
  package static var helloRetryRequest: HandshakeType { HandshakeType(rawValue: 6) }
  /// `encrypted_extensions` (RFC 8446 §4.3.1).
  package static var encryptedExtensions: HandshakeType { HandshakeType(rawValue: 8) }
  /// `certificate` (RFC 8446 §4.4.2).
  package static var certificate: HandshakeType { HandshakeType(rawValue: 11) }
  /// `server_key_exchange` (RFC 5246 §7.4.3).
  package static var serverKeyExchange: HandshakeType { HandshakeType(rawValue: 12) }
  /// `certificate_request` (RFC 8446 §4.3.2).
  package static var certificateRequest: HandshakeType { HandshakeType(rawValue: 13) }
  /// `server_hello_done` (RFC 5246 §7.4.5).
  package static var serverHelloDone: HandshakeType { HandshakeType(rawValue: 14) }
  /// `certificate_verify` (RFC 8446 §4.4.3).
  package static var certificateVerify: HandshakeType { HandshakeType(rawValue: 15) }
  /// `client_key_exchange` (RFC 5246 §7.4.7).
  package static var clientKeyExchange: HandshakeType { HandshakeType(rawValue: 16) }
  /// `finished` (RFC 8446 §4.4.4).
  package static var finished: HandshakeType { HandshakeType(rawValue: 20) }
  /// `certificate_status` (RFC 6066 §8).
  package static var certificateStatus: HandshakeType { HandshakeType(rawValue: 22) }
  /// `compressed_certificate` (RFC 8879 §4).
  package static var compressedCertificate: HandshakeType { HandshakeType(rawValue: 25) }
  /// `message_hash` (RFC 8446 §4.4.1), which is never sent.
  package static var messageHash: HandshakeType { HandshakeType(rawValue: 254) }

  /// The name in the registry, such as `client_hello`.
  package var name: String? { CodePointNames.name(of: rawValue, in: HandshakeTypeRegistry.entries) }
}
