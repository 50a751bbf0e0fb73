/// A compression method (IANA "TLS Compression Method Identifiers").
public struct CompressionMethod: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No compression.
  public static let null = CompressionMethod(rawValue: 0)

  /// The name in the registry, such as `null`.
  public var name: String? { CodePointNames.name(of: rawValue, in: CompressionMethodRegistry.entries) }
}
