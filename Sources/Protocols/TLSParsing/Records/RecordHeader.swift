package import ByteParsing

/// The five-byte header of a record (RFC 8446 §5.1).
package struct RecordHeader: Hashable, Sendable {
  /// The length of a header in bytes.
  package static let byteCount = 5

  /// The maximum length of a fragment: 2¹⁴ bytes and the expansion that RFC 5246 §6.2.3 allows for compression and encryption.
  package static let maximumFragmentLength = 1 << 14 + 2048

  package var contentType: ContentType

  /// `legacy_record_version`.
  package var version: TLSVersion

  /// The length of the fragment after the header in bytes.
  package var length: Int

  /// Parses the header at the start of `bytes`, which may continue.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    contentType = ContentType(rawValue: try reader.readUInt8("type"))
    version = TLSVersion(rawValue: try reader.readUInt16("legacy_record_version"))
    length = Int(try reader.readUInt16("length"))
  }

  /// Whether the values are plausible for a TLS record on a stream.
  package var isPlausible: Bool {
    (20...24).contains(contentType.rawValue) && version.rawValue >> 8 == 3 && version.rawValue & 0xFF <= 4
      && length <= Self.maximumFragmentLength
  }
}
