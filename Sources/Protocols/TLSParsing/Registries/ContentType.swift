/// The content type of a record (IANA "TLS ContentType").
@usableFromInline package struct ContentType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec` (RFC 5246 §7.1).
  @inlinable
  package static var changeCipherSpec: ContentType { ContentType(rawValue: 20) }
  /// `alert` (RFC 8446 §6).
  @inlinable
  package static var alert: ContentType { ContentType(rawValue: 21) }
  /// `handshake` (RFC 8446 §4).
  @inlinable
  package static var handshake: ContentType { ContentType(rawValue: 22) }
  /// `application_data` (RFC 8446 §5.2).
  @inlinable
  package static var applicationData: ContentType { ContentType(rawValue: 23) }
  /// `tls12_cid` (RFC 9146), DTLS only.
  @inlinable
  package static var tls12CID: ContentType { ContentType(rawValue: 25) }
}
