import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// Reports a leaf whose validity period exceeds what the CA/Browser Forum allows CAs to issue.
struct IssuanceLimitAdvisory: Advisory {
  static let id = "ADV-SC081"
  static let title = "CA/Browser Forum validity limit"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand:
      "The server certificate is valid for at most 200 days from 2026-03-15, 100 from 2027-03-15, 47 from 2029-03-15.",
    reason: "This limit applies to public CAs; no platform is known to enforce it.",
    fix: .server("use a certificate within the limit"), since: "2026-03-15", sources: [.ballot], weaknesses: [295], severity: "2.0")

  /// Checks the validity period, including its last second (ballot SC-081v3). Certificates that the capture lacks may show a private CA.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let leaf = context.certificates.leaf?.certificate, !leaf.isSelfIssued,
      context.trust.map({ $0.anchorClass == .system || $0.anchorClass == .apple }) ?? context.certificates.isComplete,
      let notBefore = leaf.notBefore, let notAfter = leaf.notAfter,
      let limit = PolicyDates.issuanceLimits.last(where: { notBefore >= $0.from })
    else { return notApplicable() }
    let (period, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
    let observed = "valid for " + CertificateLifetimeRule.describe(overflow ? Int64.max : max(0, period))
    if !overflow, period < limit.days * PolicyDates.day { return pass(observed, parts: [.certificates]) }
    return fail(
      observed, expected: "at most \(limit.days) days, including the last second", parts: [.certificates], certificate: 0, fix: Self.fix
    ).noting("The limit applies to public CAs; no platform is known to enforce it.")
  }
}

extension RuleID {
  /// `ADV-SC081`: the certificate's validity period exceeds a limit of the CA/Browser Forum.
  public static let issuanceLimit = RuleID(rawValue: IssuanceLimitAdvisory.id)
}
