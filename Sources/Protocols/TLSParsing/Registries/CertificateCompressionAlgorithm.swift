/// An algorithm that compresses certificates (IANA "TLS Certificate Compression Algorithm IDs", RFC 8879 §3).
package struct CertificateCompressionAlgorithm: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// zlib (RFC 1950).
  package static let zlib = CertificateCompressionAlgorithm(rawValue: 1)
  /// Brotli (RFC 7932).
  package static let brotli = CertificateCompressionAlgorithm(rawValue: 2)
  /// Zstandard (RFC 8878).
  package static let zstd = CertificateCompressionAlgorithm(rawValue: 3)
}
