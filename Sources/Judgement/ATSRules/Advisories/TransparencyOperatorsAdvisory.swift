import ATSEvidence
import CertificateParsing
import CertificateTransparency
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// Reports SCTs whose logs do not have enough different operators.
struct TransparencyOperatorsAdvisory: Advisory {
  static let id = "ADV-CT-OPERATORS"
  static let title = "Few CT log operators"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "SCTs come from logs of different operators, including an RFC 6962 log.",
    reason: "Apple's documentation requires it of certificates from 2021-04-21 on; the source does not check it.",
    fix: .server("request SCTs from logs of other operators or kinds"),
    since: RuleExplanation.anyRelease, sources: [.transparencyPolicy], weaknesses: [295], severity: "2.0")

  /// Checks verified SCTs only, because only a log list names the operators. Apple's documentation limits the SCTs of one operator for
  /// certificates from 2021-04-21 on.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let verifier = context.status.transparency else { return notApplicable("Log operators are not known without a list of logs.") }
    guard policy.release.isAtLeast(12, 1), context.trust?.anchorClass == .system, let leaf = context.certificates.leaf?.certificate,
      let notBefore = leaf.notBefore, let notAfter = leaf.notAfter, notBefore >= PolicyDates.april2021,
      let needed = Transparency.embeddedNeeded(leaf, in: policy.release)
    else { return notApplicable() }
    let assessment = Transparency(session, context).assessment(verifier, needed: needed, in: context)
    guard assessment.passes else { return notApplicable() }
    let (period, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
    let isShort = !overflow && period <= 180 * PolicyDates.day
    let names = assessment.operators.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    let observed = "logs of " + names.joined(separator: ", ")
    let isDiverse =
      assessment.hasDelivered ? assessment.operators.count >= 2 : assessment.isDiverse(needed: needed, atMost: isShort ? 1 : 2)
    if isDiverse && assessment.hasRFC6962Log { return pass(observed, parts: [.certificates]) }
    return fail(
      observed,
      expected: isDiverse
        ? "SCTs including one from an RFC 6962 log" : "at most \(isShort ? 1 : 2) from one operator among the \(needed) required",
      parts: [.certificates], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-CT-OPERATORS`: the SCTs are from the logs of few operators.
  public static let transparencyOperators = RuleID(rawValue: TransparencyOperatorsAdvisory.id)
}
