/// A compression method (IANA "TLS Compression Method Identifiers").
package struct CompressionMethod: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No compression.
  package static let null = CompressionMethod(rawValue: 0)

  /// The name in the registry, such as `null`.
  package var name: String? { CodePointNames.name(of: rawValue, in: CompressionMethodRegistry.entries) }
}
