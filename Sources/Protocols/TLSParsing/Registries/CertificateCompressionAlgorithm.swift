/// An algorithm that compresses certificates (IANA "TLS Certificate Compression Algorithm IDs", RFC 8879 §3).
public struct CertificateCompressionAlgorithm: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// zlib (RFC 1950).
  public static let zlib = CertificateCompressionAlgorithm(rawValue: 1)
  /// Brotli (RFC 7932).
  public static let brotli = CertificateCompressionAlgorithm(rawValue: 2)
  /// Zstandard (RFC 8878).
  public static let zstd = CertificateCompressionAlgorithm(rawValue: 3)

  /// The name in the registry, such as `brotli`.
  public var name: String? {
    switch rawValue {
    case 1: "zlib"
    case 2: "brotli"
    case 3: "zstd"
    default: nil
    }
  }
}
