package import PolicyResolution
package import SessionModel

/// One rule of the policy text: one question put to a session.
///
/// A rule finds `pass`, `fail`, `unknown` or `notApplicable`. It knows nothing of exceptions: the evaluator
/// derives `relaxed` by judging under the strict policy as well.
package protocol Rule: Sendable {
  /// The name in reports, such as `ATS-TLS-VERSION`.
  static var id: String { get }

  /// The rule in a few words.
  static var title: String { get }

  /// Its section of the policy text, such as `D.3`.
  static var section: String { get }

  /// Its weight in the score, from 0. A change is a change of the policy version.
  static var weight: Int { get }

  /// What `atscope explain` and the rule's page say about it.
  static var explanation: RuleExplanation { get }

  /// The setting of the policy that can relax or tighten the rule; nil where none can.
  static var setting: EffectivePolicy.Setting? { get }

  /// Whether the rule is part of trust evaluation, whose result app code may override where ATS leaves that
  /// to it.
  static var isTrustEvaluation: Bool { get }

  /// Whether the rule gives advice and never decides a verdict.
  static var isAdvisory: Bool { get }

  /// The parts of a session that the rule rests on, besides those that its finding names.
  static var evidence: Set<Evidence.Part> { get }

  /// Judges a session.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding
}

extension Rule {
  /// None, unless the rule says otherwise.
  package static var setting: EffectivePolicy.Setting? { nil }

  /// Not, unless the rule says otherwise.
  package static var isTrustEvaluation: Bool { false }

  /// The certificates, for rules of trust evaluation; none for others, unless the rule says otherwise.
  package static var evidence: Set<Evidence.Part> { isTrustEvaluation ? [.certificates] : [] }

  /// Not, unless the rule says otherwise.
  package static var isAdvisory: Bool { false }

  /// The fix of the explanation, as findings have it: in small letters, without a full stop.
  static var fix: String { explanation.fix.prefix(1).lowercased() + explanation.fix.dropFirst().dropLast() }

  func pass(_ observed: String? = nil, expected: String? = nil, parts: [Evidence.Part] = []) -> Finding {
    Finding(
      id: Self.id, outcome: .pass, required: !Self.isAdvisory, observed: observed, expected: expected,
      parts: parts)
  }

  func fail(
    _ observed: String, expected: String? = nil, parts: [Evidence.Part] = [], fix: String? = nil
  ) -> Finding {
    Finding(
      id: Self.id, outcome: .fail, required: !Self.isAdvisory, observed: observed, expected: expected,
      parts: parts, fix: fix)
  }

  func unknown(_ unseen: Unseen, expected: String? = nil, note: String? = nil) -> Finding {
    Finding(
      id: Self.id, outcome: .unknown, required: !Self.isAdvisory, expected: expected,
      missing: unseen.reason, settledBy: unseen.settledBy, notes: note.map { [$0] } ?? [])
  }

  func notApplicable(_ note: String? = nil) -> Finding {
    Finding(
      id: Self.id, outcome: .notApplicable, required: !Self.isAdvisory, notes: note.map { [$0] } ?? [])
  }
}

extension Finding {
  consuming func noting(_ remarks: [String]) -> Finding {
    if !remarks.isEmpty { notes += remarks }
    return self
  }

  consuming func noting(_ remarks: String?...) -> Finding {
    for case let remark? in remarks { notes.append(remark) }
    return self
  }
}
