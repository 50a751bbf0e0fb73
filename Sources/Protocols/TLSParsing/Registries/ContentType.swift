/// The content type of a record (IANA "TLS ContentType").
package struct ContentType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec` (RFC 5246 §7.1).
  package static var changeCipherSpec: ContentType { ContentType(rawValue: 20) }
  /// `alert` (RFC 8446 §6).
  package static var alert: ContentType { ContentType(rawValue: 21) }
  /// `handshake` (RFC 8446 §4).
  package static var handshake: ContentType { ContentType(rawValue: 22) }
  /// `application_data` (RFC 8446 §5.2).
  package static var applicationData: ContentType { ContentType(rawValue: 23) }
  /// `tls12_cid` (RFC 9146), DTLS only.
  package static var tls12CID: ContentType { ContentType(rawValue: 25) }
}
