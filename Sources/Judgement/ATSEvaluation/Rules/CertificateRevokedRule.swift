package import PolicyResolution
package import SessionObservation

/// No certificate of the path is known to be revoked (policy text D.14).
package struct CertificateRevokedRule: Rule {
  package static let id = "ATS-CERT-REVOKED"
  package static let title = "Revocation"
  package static let section = "D.14"
  package static let isTrustEvaluation = true

  package init() {}

  /// Never decides without knowledge of revocations, and devices go on without it: so it is never required
  /// then.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let expected = "no sign that a certificate of the path is revoked"
    var finding =
      unseenCertificates(context, expected: expected)
      ?? unknown(
        Unseen(nil, settledBy: ["--revocations FILE"]), expected: expected,
        note: "No revocation list or response was applied; devices go on without one.")
    finding.required = false
    return finding.noting(
      session.tls?.ocspStapled == true
        ? "The server stapled an OCSP response; its signature is not verified in this version." : nil,
      ClientComplaint.about(.revocation, in: session))
  }
}
