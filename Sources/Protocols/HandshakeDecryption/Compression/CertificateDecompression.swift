package import ByteParsing
import Decompression
package import TLSParsing

/// Restores a Certificate message that was sent in compressed form (RFC 8879).
package enum CertificateDecompression {
  /// Why a message could not be restored.
  package enum Failure: Error, Hashable, Sendable {
    /// The algorithm is none of zlib, brotli and zstd.
    case unknownAlgorithm(CertificateCompressionAlgorithm)
    /// The message claims to be longer than is restored.
    case tooLong(Int)
    /// The bytes are not what the algorithm makes, or give another length than was claimed.
    case malformed
  }

  /// The body of the Certificate message inside a CompressedCertificate.
  ///
  /// The room is set by the claimed length, within the limit, before anything is unpacked: what would give more fails.
  package static func decompress(
    _ message: CompressedCertificate, in body: Span<UInt8>
  ) throws(Failure) -> Bytes {
    // What the sender claims is up to 16 MiB, and any chain is far shorter.
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
