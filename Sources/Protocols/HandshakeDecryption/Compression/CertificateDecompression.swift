package import ByteParsing
import Decompression
package import TLSParsing

/// Decompresses a CompressedCertificate message (RFC 8879).
package enum CertificateDecompression {
  /// The reason why a message could not be decompressed.
  package enum Failure: Error, Hashable, Sendable {
    /// The algorithm is not zlib, brotli or zstd.
    case unknownAlgorithm(CertificateCompressionAlgorithm)
    /// The claimed length exceeds the limit.
    case tooLong(Int)
    /// The bytes are invalid for the algorithm, or do not have the claimed length.
    case malformed
  }

  /// Returns the body of the Certificate message inside a CompressedCertificate.
  ///
  /// The output is limited to the claimed length, within the limit, before anything is decompressed; more output is an error.
  package static func decompress(_ message: CompressedCertificate, in body: Span<UInt8>) throws(Failure) -> Bytes {
    // A sender may claim up to 16 MiB, but any chain is far shorter.
    guard message.uncompressedLength <= HandshakeHeader.maximumLength else { throw .tooLong(message.uncompressedLength) }
    guard message.compressed.lowerBound >= 0, message.compressed.upperBound <= body.count,
      message.uncompressedLength > 0
    else { throw .malformed }
    let compressed = Bytes(copying: body.extracting(message.compressed))
    let room = message.uncompressedLength
    let restored: Bytes?
    switch message.algorithm {
    case .zlib: restored = Decompressors.zlib(compressed, byteCount: room)
    case .brotli: restored = Decompressors.brotli(compressed, byteCount: room)
    case .zstd: restored = Decompressors.zstd(compressed, byteCount: room)
    default: throw .unknownAlgorithm(message.algorithm)
    }
    guard let restored else { throw .malformed }
    return restored
  }
}
