import ByteParsing
import CertificateParsing
import FuzzDriver

// Any bytes either parse or throw; so do the certificates and lists inside.
fuzz { bytes in
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
