import ByteParsing
import HandshakeDecryption
import TLSParsing

extension FuzzTarget {
  /// Any CompressedCertificate decompresses to uncompressed_length bytes, within the limit, or fails.
  static let certificateDecompression = FuzzTarget("CertificateDecompression") { body in
    guard let message = try? CompressedCertificate(parsing: body),
      let restored = try? CertificateDecompression.decompress(message, in: body)
    else { return }
    precondition(restored.count == message.uncompressedLength)
    precondition(restored.count <= HandshakeHeader.maximumLength)
  }
}
