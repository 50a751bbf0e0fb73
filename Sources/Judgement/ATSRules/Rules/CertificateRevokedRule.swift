import ATSEvidence
import PolicyResolution
import CertificateSignatures
import Revocation
import SessionModel
import Values

/// No certificate of the path is known to be revoked (policy text D.14).
struct CertificateRevokedRule: TrustRule {
  static let id = "ATS-CERT-REVOKED"
  static let title = "Certificate revocation"
  static let section = "D.14"
  static let evidence: Set<Evidence.Part> = [.certificates, .certificateStatus]
  static let weight = 10
  static let explanation = RuleExplanation(
    demand: "No certificate in the chain is known to be revoked. Devices continue without revocation data.",
    reason: "A CA revokes certificates whose key was lost or stolen.",
    fix: .server("replace the certificate and its key"),
    since: RuleExplanation.firstRelease,
    errors: [.url: [-1200, -1202], .stream: [-9802, -9807, -9880], .status: [-67820]],
    sources: [.revocation, .policyServer], weaknesses: [295], severity: "8.1")

  /// Checks every certificate except the last against stapled and supplied OCSP responses and CRLs.
  ///
  /// Without a status, devices continue, so an unknown outcome is not required, unless the capture lacks a part of the status.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    judgeStatuses(session, context).noting(ClientComplaint.about(.revocation, in: session))
  }

  private func judgeStatuses(_ session: SessionEvidence, _ context: JudgingContext) -> Finding {
    let expected = "no revoked certificate in the chain"
    if var unseen = unseenCertificates(context, expected: expected) {
      unseen.isRequired = false
      return unseen
    }
    if let leaf = context.certificates.leaf, BlockedLeaf.isBlocked(leaf.certificate) {
      var finding = fail(
        "the server certificate is one of nine certificates that Apple's systems reject by serial number", expected: expected,
        parts: [.certificates], certificate: leaf.position, fix: Self.fix)
      finding.fatality = .certain
      return finding.noting("They were issued to an attacker in 2011.")
    }
    let statuses = statuses(session, context)
    var doubt: Finding?
    for (element, status) in statuses {
      guard case .revoked(let time, let reason, let kind) = status else { continue }
      var finding = fail(
        "\(element.name) was revoked" + (time.map { " on \($0.date)" } ?? "")
          + (reason.flatMap { Self.reasons[$0] }.map { " (\($0))" } ?? "")
          + " according to \(Self.describe(kind))",
        expected: expected, parts: Self.parts(kind), certificate: element.position,
        fix: element.position == 0
          ? Self.fix : .server("use a certificate whose CA certificate is not revoked"))
      if !element.isCertain {
        finding.leaveOpen(settledBy: context.pathSettledBy)
        finding.notes = ["A device may have another chain, without this certificate."]
        doubt = doubt ?? finding
        continue
      }
      finding.fatality = .certain
      return finding
    }
    if let doubt { return doubt }
    if case .good(let kind)? = statuses.first?.status {
      let silent = statuses.dropFirst().filter { if case .unknown = $0.status { true } else { false } }
      return pass("the server certificate is not revoked according to \(Self.describe(kind))", expected: expected, parts: Self.parts(kind))
        .noting(silent.isEmpty ? nil : "No revocation data covers the CA certificates.")
    }
    // A device has a response of which the capture lacks a part.
    let isPartial = session.evidence.certificateStatus == .partial
    var finding = unknown(
      isPartial ? Unseen(.partial, settledBy: [session.betterCapture, .revocations]) : Unseen(nil, settledBy: [.revocations]),
      expected: expected)
    finding.isRequired = isPartial
    return finding.noting(obstacles(session, statuses, context))
  }

  /// Returns the status of each certificate whose issuer is in the path.
  private func statuses(
    _ session: SessionEvidence, _ context: JudgingContext
  ) -> [(element: ServerCertificates.Element, status: RevocationStatus)] {
    let path = context.certificates.path
    var staples = session.tls?.issuerOCSPResponses ?? [:]
    staples[0] = session.tls?.ocspResponse
    if staples.isEmpty && context.status.revocation.isEmpty { return [] }
    return zip(path, path.dropFirst()).map { element, issuer in
      // Only the CA that signed the certificate can revoke it, not another with the same name.
      guard issuer.isCertain || element.certificate.verifySignature(by: issuer.certificate).isValid else {
        return (element, .unknown([.notSignedByIssuer]))
      }
      let status = context.status.revocation.status(
        of: element.certificate, issuer: issuer.certificate,
        stapled: element.position.flatMap { staples[$0] },
        isAtOrAfter: { context.clock.isAtOrAfter($0) })
      return (element, status)
    }
  }

  /// Returns the reasons that no status is known, as sentences.
  private func obstacles(
    _ session: SessionEvidence, _ statuses: [(element: ServerCertificates.Element, status: RevocationStatus)], _ context: JudgingContext
  ) -> [String] {
    let isStapled = session.tls?.hasStapledOCSPResponse == true || session.tls?.ocspResponse != nil
    let isSupplied = !context.status.revocation.isEmpty
    guard isStapled || isSupplied else { return ["No revocation data was available; devices continue without it."] }
    if isStapled && !isSupplied && session.tls?.ocspResponse == nil { return ["The stapled OCSP response is incomplete in the capture."] }
    guard case .unknown(let obstacles)? = statuses.first?.status else {
      return ["The issuer's certificate is missing, so no response or list can be verified."]
    }
    let subject =
      isStapled && isSupplied
      ? "The stapled or supplied revocation data" : isStapled ? "The stapled OCSP response" : "The supplied revocation data"
    if obstacles.isEmpty { return ["The supplied revocation data does not cover the server certificate."] }
    return obstacles.map { "\(subject) does not count: \($0)." }
  }

  private static func describe(_ kind: RevocationEvidence.Kind) -> String {
    switch kind {
    case .stapledResponse: "the stapled OCSP response"
    case .suppliedResponse: "a supplied OCSP response"
    case .list: "a supplied CRL"
    }
  }

  private static func parts(_ kind: RevocationEvidence.Kind) -> [Evidence.Part] {
    kind == .stapledResponse ? [.certificates, .certificateStatus] : [.certificates]
  }

  /// The words for `CRLReason` values (RFC 5280 §5.3.1).
  private static let reasons = [
    1: "key compromise", 2: "CA compromise", 3: "affiliation changed", 4: "superseded",
    5: "cessation of operation", 6: "on hold", 9: "privilege withdrawn", 10: "AA compromise",
  ]
}

extension RuleID {
  /// `ATS-CERT-REVOKED`: no certificate is revoked.
  public static let certificateRevoked = RuleID(rawValue: CertificateRevokedRule.id)
}
