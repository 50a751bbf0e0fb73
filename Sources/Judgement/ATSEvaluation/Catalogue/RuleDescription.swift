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

  /// What it demands, in sentences.
  public var demand: String

  /// Why it is there.
  public var reason: String

  /// How to mend what fails.
  public var fix: String

  /// From which releases on it holds.
  public var since: String

  /// The keys of Info.plist that relax it; empty where none does.
  public var relaxedBy: [String]

  /// The errors that a device reports.
  public var errors: [ReportedError]

  /// Where this is said, one source a line.
  public var sources: [String]
}

extension RuleDescription {
  /// The parts that are written by hand; the rest comes from the rule itself.
  struct Text {
    var demand: String
    var reason: String
    var fix: String
    var since: String
    var relaxedBy: [String] = []
    var sources: [PolicySource]
  }

  init(_ kind: any Rule.Type, _ text: Text) {
    id = kind.id
    title = kind.title
    section = kind.section
    isAdvisory = kind.isAdvisory
    weight = ScoreTable.weight(of: kind.id)
    demand = text.demand
    reason = text.reason
    fix = text.fix
    since = text.since
    relaxedBy = text.relaxedBy
    errors = ReportedError.all.filter { $0.rules.contains(kind.id) }
    sources = text.sources.map(\.rawValue)
  }
}
