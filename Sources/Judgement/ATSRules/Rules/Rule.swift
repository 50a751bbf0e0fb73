package import ATSEvidence
package import PolicyResolution
package import SessionModel

/// A rule of the policy text, which checks one requirement of a session.
///
/// A rule returns `pass`, `fail`, `unknown` or `notApplicable`. Rules do not know exceptions: the evaluation derives `relaxed` by
/// judging under the strict policy as well.
package protocol Rule: Sendable {
  /// The identifier in reports, such as `ATS-TLS-VERSION`.
  static var id: String { get }

  /// The title of the rule: a few words.
  static var title: String { get }

  /// The section of the policy text, such as `D.3`.
  static var section: String { get }

  /// The weight in the score, at least 0. A change requires a new policy version.
  static var weight: Int { get }

  /// The explanation in `atscope explain` and on the page of rules.
  static var explanation: RuleExplanation { get }

  /// The policy setting that can relax or tighten the rule; nil if there is none.
  static var setting: EffectivePolicy.Setting? { get }

  /// Whether the rule is part of trust evaluation, whose result app code may override if ATS allows that.
  static var isTrustEvaluation: Bool { get }

  /// Whether the rule is advisory and never decides a verdict.
  static var isAdvisory: Bool { get }

  /// Whether the rule applies to cleartext HTTP; the others are not applicable there.
  static var appliesToCleartext: Bool { get }

  /// The parts of a session on which the rule depends, besides those in its finding.
  static var evidence: Set<Evidence.Part> { get }

  /// Judges a session.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding
}

/// A rule that is part of trust evaluation.
protocol TrustRule: Rule {}

extension TrustRule {
  package static var isTrustEvaluation: Bool { true }
}

extension Rule {
  package static var setting: EffectivePolicy.Setting? { nil }

  package static var isTrustEvaluation: Bool { false }

  /// The certificates by default for rules of trust evaluation, otherwise none.
  package static var evidence: Set<Evidence.Part> { isTrustEvaluation ? [.certificates] : [] }

  package static var isAdvisory: Bool { false }

  package static var appliesToCleartext: Bool { false }

  static var fix: Fix { explanation.fix }

  func pass(_ observed: String? = nil, expected: String? = nil, parts: [Evidence.Part] = []) -> Finding {
    Finding(id: Self.id, outcome: .pass, isRequired: !Self.isAdvisory, observed: observed, expected: expected, parts: parts)
  }

  func fail(
    _ observed: String, expected: String? = nil, parts: [Evidence.Part] = [], certificate: Int? = nil,
    fix: Fix? = nil
  ) -> Finding {
    Finding(
      id: Self.id, outcome: .fail, isRequired: !Self.isAdvisory, observed: observed, expected: expected,
      parts: parts, certificateIndex: certificate, fix: fix)
  }

  func unknown(
    _ unseen: Unseen, expected: String? = nil, parts: [Evidence.Part] = [], certificate: Int? = nil, note: String? = nil
  ) -> Finding {
    Finding(
      id: Self.id, outcome: .unknown, isRequired: !Self.isAdvisory, expected: expected, parts: parts,
      certificateIndex: certificate, missing: unseen.reason, settledBy: unseen.settledBy, notes: note.map { [$0] } ?? [])
  }

  func notApplicable(_ note: String? = nil) -> Finding {
    Finding(
      id: Self.id, outcome: .notApplicable, isRequired: !Self.isAdvisory, notes: note.map { [$0] } ?? [])
  }
}

extension Finding {
  /// Leaves open what would fail; the inputs would decide it.
  mutating func leaveOpen(settledBy inputs: [DecidingInput]) {
    outcome = .unknown
    fix = nil
    fatality = .none
    settledBy = inputs
  }

  consuming func noting(_ remarks: [String]) -> Finding {
    if !remarks.isEmpty { notes += remarks }
    return self
  }

  consuming func noting(_ remarks: String?...) -> Finding {
    for case let remark? in remarks { notes.append(remark) }
    return self
  }

  /// Returns the finding with an observation and the part of the session that contains it.
  func observing(_ text: String, _ part: Evidence.Part) -> Finding {
    var finding = self
    finding.observed = text
    finding.parts = [part]
    return finding
  }

  /// Returns the finding; if the client offered none of `what`, it is marked, and its fix first suggests a client that does.
  func limited(to what: String, isOffered: Bool) -> Finding {
    guard !isOffered, let fix else { return self }
    var finding = self
    finding.isLimitedByOffer = true
    finding.fix = .recording("record again with an Apple device, or another client that offers \(what)").and(fix.ifRepeated())
    return finding
  }
}
