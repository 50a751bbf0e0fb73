/// The rules as `atscope explain` describes them.
package enum RuleCatalogue {
  /// Every rule, in the order of reports.
  package static let all: [RuleDescription] = RuleTable.all.map { RuleDescription(type(of: $0)) }

  /// The rule with this name, compared without regard to case; nil if there is none.
  package static func rule(named name: String) -> RuleDescription? {
    let upper = name.uppercased()
    return all.first { $0.id == upper }
  }

  /// The index of a rule in the order of reports; for an unknown id, the number of rules.
  package static func index(of id: String) -> Int { indices[id] ?? all.count }

  private static let indices = Dictionary(
    all.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })

  /// Whether the rule with this id gives advice and never decides a verdict.
  package static func isAdvisory(_ id: String) -> Bool { advisories.contains(id) }

  private static let advisories = Set(all.filter(\.isAdvisory).map(\.id))

  /// The version of the policy text and of the score weights that judgements follow.
  package static let policyVersion = "2"
}
