import ATSEvidence
import CertificateParsing
import CertificateTransparency
import PolicyResolution
import SessionModel
import TrustEvaluation

/// Reports a leaf with exactly the required number of SCTs.
struct TransparencyMarginAdvisory: Advisory {
  static let id = "ADV-CT-MARGIN"
  static let title = "No spare SCT"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "There are more SCTs than required.", reason: "When a log retires, its SCTs no longer count.",
    fix: .server("request one more SCT from the CA: when a log retires, its SCTs no longer count"),
    since: RuleExplanation.anyRelease, sources: [.transparencyPolicy], weaknesses: [295],
    severity: "2.0")

  /// Checks certificates to which the Certificate Transparency rule applies.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.release.isAtLeast(12, 1), context.trust.map({ $0.anchorClass == .system }) ?? true,
      let leaf = context.certificates.leaf?.certificate, leaf.embeddedSCTs > 0,
      let notBefore = leaf.notBefore, notBefore >= PolicyDates.october2018,
      let needed = Transparency.embeddedNeeded(leaf, in: policy.release)
    else { return notApplicable() }
    let transparency = Transparency(session, context)
    let assessment = context.status.transparency.map {
      transparency.assessment($0, needed: needed, in: context)
    }
    let count = assessment?.countedLogs.count ?? transparency.embeddedLogs.count
    if count < needed || assessment?.passes == false { return notApplicable() }
    let observed = (assessment == nil ? "" : "valid ") + "embedded SCTs from \(count) logs"
    if count > needed { return pass(observed, parts: [.certificates]) }
    return fail(observed, expected: "more than the \(needed) required", parts: [.certificates], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-CT-MARGIN`: the certificate has no more SCTs than required.
  public static let transparencyMargin = RuleID(rawValue: TransparencyMarginAdvisory.id)
}
