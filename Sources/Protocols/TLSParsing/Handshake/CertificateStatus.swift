package import ByteParsing

/// OCSP responses that the server staples to its certificates up to TLS 1.2 (RFC 6066 §8, RFC 6961 §2.2).
package struct CertificateStatus: Hashable, Sendable {
  /// The ranges of the DER of the responses in the body, in the order of the certificates; empty if the server had none for one.
  package var responses: [Range<Int>]

  /// Parses the body of a handshake message of type `certificate_status`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    let statusType = try reader.readUInt8("status_type")
    responses = []
    switch statusType {
    // `ocsp`, and `ocsp_multi` below.
    case 1:
      let response = try reader.readVector("OCSPResponse", 1...0xFF_FFFF)
      responses.append(response.remainingRange)
    case 2:
      var list = try reader.readVector("ocsp_response_list", 1...0xFF_FFFF)
      while list.remaining > 0 {
        guard responses.count < CertificateMessage.maximumCertificateCount else {
          throw ParseError(.limitReached(CertificateMessage.maximumCertificateCount), in: "ocsp_response_list", at: list.offset)
        }
        let response = try list.readVector("OCSPResponse", 0...0xFF_FFFF)
        responses.append(response.remainingRange)
      }
    default:
      throw ParseError(.unexpectedValue(UInt64(statusType)), in: "status_type", at: 0)
    }
    try reader.requireEnd(of: "CertificateStatus")
  }
}
