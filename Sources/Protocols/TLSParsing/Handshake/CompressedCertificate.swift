package import ByteParsing

/// A compressed Certificate message of TLS 1.3 (RFC 8879 §4).
package struct CompressedCertificate: Hashable, Sendable {
  package var algorithm: CertificateCompressionAlgorithm

  /// The length of the decompressed message that the sender claims, below 2²⁴.
  package var uncompressedLength: Int

  /// The range of the compressed bytes in the body.
  package var compressed: Range<Int>

  /// Parses the body of a handshake message of type `compressed_certificate`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    algorithm = CertificateCompressionAlgorithm(rawValue: try reader.readUInt16("algorithm"))
    uncompressedLength = Int(try reader.readUInt24("uncompressed_length"))
    let message = try reader.readVector("compressed_certificate_message", 1...0xFF_FFFF)
    compressed = message.remainingRange
    try reader.requireEnd(of: "CompressedCertificate")
  }
}
