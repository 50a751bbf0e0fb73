/// Compression methods by code point (IANA "TLS Compression Method Identifiers").
enum CompressionMethodRegistry {
  /// In ascending order of code points.
  static let entries: [(codePoint: UInt8, name: String)] = [
    (0, "null"),
    (1, "DEFLATE"),
    (64, "LZS"),
  ]
}
