/// A compression method (IANA "TLS Compression Method Identifiers").
@usableFromInline package struct CompressionMethod: RawRepresentable, Hashable, Sendable {
  /// The code point.
  @usableFromInline package var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No compression.
  package static let null = CompressionMethod(rawValue: 0)

  /// The name in the registry, such as `null`.
  package var name: String? { CodePointNames.name(of: rawValue, in: CompressionMethodRegistry.entries) }
}
