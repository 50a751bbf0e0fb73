import PolicyResolution

/// What there is to know of a rule, for people.
public struct RuleDescription: Hashable, Sendable {
  /// The name, such as `ATS-PFS`.
  public var id: String

  /// The rule in a few words.
  public var title: String

  /// Its section of the policy text.
  public var section: String

  /// Whether it gives advice and never decides a verdict.
  public var isAdvisory: Bool

  /// What it weighs in the score.
  public var weight: Int

  /// What it requires, in sentences.
  public var demand: String

  /// Why it is there.
  public var reason: String

  /// How to fix what fails.
  public var fix: String

  /// From which releases on it holds.
  public var since: String

  /// The keys of Info.plist that relax it; empty where none does.
  public var relaxedBy: [String]

  /// The errors that a device reports.
  public var errors: [ReportedError]

  /// The documents that state it, one a line.
  public var sources: [String]

  /// The weaknesses that a failure exposes, by their numbers in CWE.
  public var weaknesses: [Int]

  /// How severe a failure is for code scanning, from 0.0 to 10.0: 7.0 is high, 4.0 medium.
  public var severity: String

  /// The control in MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  public var masvsControl: Int
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
