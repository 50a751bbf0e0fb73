import ByteParsing
import CertificateParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; so do the certificates and SCT lists in a response.
  static let ocsp = FuzzTarget("OCSP") { bytes in
    guard let response = try? OCSPResponse(parsing: bytes) else { return }
    precondition(response.responseDataRange.upperBound <= bytes.count)
    precondition(response.signatureValueRange.upperBound <= bytes.count)
    for certificate in response.certificates {
      precondition(!certificate.isEmpty)
      _ = Certificate(parsing: certificate.span)
    }
    for list in response.responses.compactMap(\.sctList) {
      _ = try? SignedCertificateTimestampList(parsing: list.span)
    }
  }
}
