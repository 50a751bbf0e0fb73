package import ByteParsing

/// The five bytes before every record (RFC 8446 §5.1).
package struct RecordHeader: Hashable, Sendable {
  /// Bytes of a header.
  package static let byteCount = 5

  /// The longest fragment: 2¹⁴ bytes and what RFC 5246 §6.2.3 grants to compression and encryption.
  package static let maximumFragmentLength = 1 << 14 + 2048

  /// What the record carries.
  package var contentType: ContentType

  /// `legacy_record_version`.
  package var version: TLSVersion

  /// Bytes of the fragment after the header.
  package var length: Int

  /// Reads the header at the start of `bytes`, which may continue.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    contentType = ContentType(rawValue: try reader.readUInt8("type"))
    version = TLSVersion(rawValue: try reader.readUInt16("legacy_record_version"))
    length = Int(try reader.readUInt16("length"))
  }

  /// Whether the values are such that a TLS connection over a stream may show them.
  package var isPlausible: Bool {
    (20...24).contains(contentType.rawValue) && version.rawValue >> 8 == 3 && version.rawValue & 0xFF <= 4
      && length <= Self.maximumFragmentLength
  }
}
