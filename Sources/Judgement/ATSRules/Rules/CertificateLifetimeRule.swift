import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import Values

/// The validity period of the leaf is within the system's limit (policy text D.13).
struct CertificateLifetimeRule: TrustRule {
  static let id = "ATS-CERT-LIFETIME"
  static let title = "Certificate lifetime"
  static let section = "D.13"
  static let weight = 5
  static let explanation = RuleExplanation(
    demand:
      "The server certificate is valid for at most 398 days under system roots (if issued from September 2020), 825 under others.",
    reason: "Short lifetimes limit the harm of a lost key and of outdated rules.",
    fix: .server("use a certificate for at most 397 days, or the current CA/Browser Forum maximum"),
    since: "iOS 13 and macOS 10.15; 398 days from iOS 14 and macOS 11",
    errors: RuleExplanation.pathErrors(status: [-67901]),
    sources: [.policy, .policyServer, .trustedCertificates2019, .certificateLimits], weaknesses: [295], severity: "5.3")

  /// Checks the validity period against the limit for its first day and the class of the anchor.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.release.isAtLeast(13) else { return notApplicable() }
    if let unseen = unseenCertificates(context, expected: "a validity period within the system's limit") { return unseen }
    guard let leaf = context.certificates.leaf?.certificate else { return notApplicable() }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      return unknown(
        .unreadable, expected: "a validity period within the system's limit",
        note: "The validity dates of the server certificate cannot be read.")
    }
    let (seconds, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
    let period = overflow ? Int64.max : max(0, seconds)
    return judgeAnchors(of: context) { anchor in
      guard let limit = Self.limit(anchor, from: notBefore, in: policy.release) else {
        return pass(Self.describe(period), expected: "no limit", parts: [.certificates])
      }
      let days = "\(limit / PolicyDates.day) days"
      // The limit's additional hour is stated only if the period has the same number of days.
      let expected = "at most \(period / PolicyDates.day == limit / PolicyDates.day ? Self.describe(limit) : days)"
      if period <= limit { return pass(Self.describe(period), expected: expected, parts: [.certificates]) }
      return fail(
        "the server certificate is valid for \(Self.describe(period))", expected: expected, parts: [.certificates], certificate: 0,
        fix: anchor.isOfSystem ? Self.fix : .server("use a certificate for at most \(days)"))
    }
  }

  /// Returns the maximum validity period in seconds; nil if there is no limit.
  static func limit(_ anchor: Anchor, from notBefore: Timestamp, in release: SystemRelease) -> Int64? {
    let hour: Int64 = 3600
    let days825 = 825 * PolicyDates.day + hour
    guard release.isAtLeast(13), !anchor.isLeaf else { return nil }
    // Up to iOS 15.4 and macOS 12.3, older certificates had limits, and one comparison was strict.
    let isOlder = release.platform == .macos ? release.version < SystemVersion(12, 4) : !release.isAtLeast(15, 5)
    if anchor.isOfSystem {
      if notBefore >= PolicyDates.september2020, release.isAtLeast(14) { return 398 * PolicyDates.day }
      if notBefore >= PolicyDates.march2018 { return days825 }
      guard isOlder else { return nil }
      return (notBefore >= PolicyDates.july2016 ? 1188 : 1827) * PolicyDates.day + hour
    }
    let counts = isOlder ? notBefore > PolicyDates.july2019 : notBefore >= PolicyDates.july2019
    return counts ? days825 : nil
  }

  /// Returns a period in days, with the rest in hours, minutes and seconds.
  static func describe(_ seconds: Int64) -> String {
    let rest = seconds % PolicyDates.day
    let days = "\(seconds / PolicyDates.day) days"
    if rest == 0 { return days }
    let parts = [rest / 3600, rest / 60 % 60, rest % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
    return days + " and " + parts.joined(separator: ":")
  }
}

extension RuleID {
  /// `ATS-CERT-LIFETIME`: the certificate's validity period is short enough.
  public static let certificateLifetime = RuleID(rawValue: CertificateLifetimeRule.id)
}
