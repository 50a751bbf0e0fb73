/// Handshake message types by code point (IANA "TLS HandshakeType", and `next_protocol` of its draft).
enum HandshakeTypeRegistry {
  /// In ascending order of code points.
  static let entries: [(codePoint: UInt8, name: String)] = [
    (0, "hello_request"),
    (1, "client_hello"),
    (2, "server_hello"),
    (3, "hello_verify_request"),
    (4, "new_session_ticket"),
    (5, "end_of_early_data"),
    (6, "hello_retry_request"),
    (8, "encrypted_extensions"),
    (9, "request_connection_id"),
    (10, "new_connection_id"),
    (11, "certificate"),
    (12, "server_key_exchange"),
    (13, "certificate_request"),
    (14, "server_hello_done"),
    (15, "certificate_verify"),
    (16, "client_key_exchange"),
    (17, "client_certificate_request"),
    (20, "finished"),
    (21, "certificate_url"),
    (22, "certificate_status"),
    (23, "supplemental_data"),
    (24, "key_update"),
    (25, "compressed_certificate"),
    (26, "ekt_key"),
    (67, "next_protocol"),
    (254, "message_hash"),
  ]
}
