public import ByteParsing

/// The five bytes in front of every record (RFC 8446 §5.1).
public struct RecordHeader: Hashable, Sendable {
  /// Bytes of a header.
  public static let byteCount = 5

  /// The longest fragment: 2¹⁴ bytes and what RFC 5246 §6.2.3 grants to compression and encryption.
  public static let maximumFragmentLength = 1 << 14 + 2048

  /// What the record carries.
  public var contentType: ContentType

  /// `legacy_record_version`.
  public var version: TLSVersion

  /// Bytes of the fragment behind the header.
  public var length: Int

  /// Reads the header at the start of `bytes`, which may go on.
  public init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    contentType = ContentType(rawValue: try reader.readUInt8("type"))
    version = TLSVersion(rawValue: try reader.readUInt16("legacy_record_version"))
    length = Int(try reader.readUInt16("length"))
  }

  /// Whether the values are such that a TLS connection over a stream may show them.
  public var isPlausible: Bool {
    (20...24).contains(contentType.rawValue) && version.rawValue >> 8 == 3 && version.rawValue & 0xFF <= 4
      && length <= Self.maximumFragmentLength
  }
}
