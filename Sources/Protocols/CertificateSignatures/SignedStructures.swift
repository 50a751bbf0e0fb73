package import CertificateParsing

extension Certificate {
  /// Whether the certificate is signed with a key: that of the issuer, or of one who might be.
  ///
  /// Names and dates are not looked at.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    guard !tbsCertificateRange.isEmpty, !signatureValueRange.isEmpty else {
      return .notVerifiable(.unreadable)
    }
    guard !has(.signatureAlgorithmMismatch) else { return .invalid(.algorithmsDiffer) }
    return key.verify(
      der[signatureValueRange.clamped(to: der.indices)],
      over: der[tbsCertificateRange.clamped(to: der.indices)],
      algorithm: signature)
  }

  /// Whether the certificate is signed with the subject's key of another one.
  package func verifySignature(by issuer: Certificate) -> SignatureVerification {
    verifySignature(with: VerificationKey(of: issuer))
  }

  /// Whether the certificate is signed with its own key.
  package func verifyOwnSignature() -> SignatureVerification { verifySignature(by: self) }
}

extension CertificateRevocationList {
  /// Whether the list is signed with a key.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    key.verify(
      der[signatureValueRange.clamped(to: der.indices)], over: der[tbsCertListRange.clamped(to: der.indices)],
      algorithm: signature)
  }
}

extension OCSPResponse {
  /// Whether the response is signed with a key.
  package func verifySignature(with key: VerificationKey) -> SignatureVerification {
    guard !responseDataRange.isEmpty else { return .notVerifiable(.unreadable) }
    return key.verify(
      der[signatureValueRange.clamped(to: der.indices)],
      over: der[responseDataRange.clamped(to: der.indices)],
      algorithm: signature)
  }
}
