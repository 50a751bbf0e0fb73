package import ByteParsing

/// A Certificate message of TLS 1.3 in compressed form (RFC 8879 §4).
package struct CompressedCertificate: Hashable, Sendable {
  /// How it is compressed.
  package var algorithm: CertificateCompressionAlgorithm

  /// Bytes of the message once decompressed, as the sender claims: below 2²⁴.
  package var uncompressedLength: Int

  /// Where in the body the compressed bytes are.
  package var compressed: Range<Int>

  /// Parses the body of a handshake message of type `compressed_certificate`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    algorithm = CertificateCompressionAlgorithm(rawValue: try reader.readUInt16("algorithm"))
    uncompressedLength = Int(try reader.readUInt24("uncompressed_length"))
    let message = try reader.readVector("compressed_certificate_message", 1...0xFF_FFFF)
    compressed = message.offset..<(message.offset + message.remaining)
    try reader.requireEnd(of: "CompressedCertificate")
  }
}
