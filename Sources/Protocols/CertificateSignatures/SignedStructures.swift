package import CertificateParsing

extension Certificate {
  /// Verifies the signature of the certificate with the key of a possible issuer.
  ///
  /// Names and dates are not checked.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    guard !tbsCertificateRange.isEmpty, !signatureValueRange.isEmpty else { return .notVerifiable(.unreadable) }
    guard !has(.signatureAlgorithmMismatch) else { return .invalid(.algorithmsDiffer) }
    return key.verify(
      der[signatureValueRange.clamped(to: der.indices)], over: der[tbsCertificateRange.clamped(to: der.indices)], algorithm: signature)
  }

  /// Verifies the signature of the certificate with the key of another one.
  package func verifySignature(by issuer: Certificate) -> SignatureVerification {
    verifySignature(with: VerificationKey(of: issuer))
  }

  /// Verifies the signature of the certificate with its own key.
  package func verifyOwnSignature() -> SignatureVerification { verifySignature(by: self) }
}

extension CertificateRevocationList {
  /// Verifies the signature of the list with a key.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    key.verify(
      der[signatureValueRange.clamped(to: der.indices)], over: der[tbsCertListRange.clamped(to: der.indices)], algorithm: signature)
  }
}

extension OCSPResponse {
  /// Verifies the signature of the response with a key.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    guard !responseDataRange.isEmpty else { return .notVerifiable(.unreadable) }
    return key.verify(
      der[signatureValueRange.clamped(to: der.indices)], over: der[responseDataRange.clamped(to: der.indices)], algorithm: signature)
  }
}
