import PolicyResolution

/// What there is to know of a rule, for people.
package struct RuleDescription: Hashable, Sendable {
  /// The name, such as `ATS-PFS`.
  package var id: String

  /// The rule in a few words.
  package var title: String

  /// Its section of the policy text.
  package var section: String

  /// Whether it gives advice and never decides a verdict.
  package var isAdvisory: Bool

  /// What it weighs in the score.
  package var weight: Int

  /// What it requires, in sentences.
  package var demand: String

  /// Why it is there.
  package var reason: String

  package var fix: String

  /// From which releases on it holds.
  package var since: String

  /// The keys of Info.plist that relax it; empty where none does.
  package var relaxedBy: [String]

  package var errors: [ReportedError]

  /// The documents that state it, one a line.
  package var sources: [String]

  package var weaknesses: [Int]

  /// How severe a failure is for code scanning, from 0.0 to 10.0: 7.0 is high, 4.0 medium.
  package var severity: String

  /// The control in MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  package var masvsControl: Int
}

extension RuleDescription {
  init(_ kind: any Rule.Type) {
    let explanation = kind.explanation
    id = kind.id
    title = kind.title
    section = kind.section
    isAdvisory = kind.isAdvisory
    weight = kind.weight
    demand = explanation.demand
    reason = explanation.reason
    fix = explanation.fix
    since = explanation.since
    relaxedBy = explanation.relaxedBy
    errors = ReportedError.all.filter { $0.rules.contains(kind.id) }
    sources = explanation.sources.map(\.rawValue)
    weaknesses = explanation.weaknesses
    severity = explanation.severity
    masvsControl = explanation.masvsControl
  }
}
