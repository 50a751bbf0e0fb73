import ByteParsing
import TLSParsing

extension FuzzTarget {
  /// Any bytes give certificates up to the first fault, all within the message.
  static let certificateMessage = FuzzTarget("CertificateMessage") { bytes in
    for format in [CertificateMessage.Format.tls12, .tls13] {
      let message = CertificateMessage(parsing: bytes, format: format)
      for entry in message.entries {
        _ = bytes.extracting(entry.certificate)
        if let response = entry.ocspResponse { _ = bytes.extracting(response) }
        if let list = entry.sctList { _ = bytes.extracting(list) }
      }
    }
    if let status = try? CertificateStatus(parsing: bytes) {
      for response in status.responses { _ = bytes.extracting(response) }
    }
    if let compressed = try? CompressedCertificate(parsing: bytes) {
      _ = bytes.extracting(compressed.compressed)
    }
  }
}
