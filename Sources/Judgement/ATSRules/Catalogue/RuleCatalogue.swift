/// The rules as `atscope explain` describes them.
package enum RuleCatalogue {
  /// Every rule, in the order of reports.
  package static let all: [RuleDescription] = RuleTable.all.map { RuleDescription(kind: type(of: $0)) }

  /// The rule with this name, compared without regard to case; nil if there is none.
  package static func rule(named name: String) -> RuleDescription? {
    rule(withID: name.uppercased())
  }

  package static func rule(withID id: String) -> RuleDescription? { indices[id].map { all[$0] } }

  /// The index of a rule in the order of reports; for an unknown id, the number of rules.
  package static func index(of id: String) -> Int { indices[id] ?? all.count }

  private static let indices = Dictionary(
    all.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })

  /// Whether the rule with this id gives advice and never decides a verdict.
  package static func isAdvisory(_ id: String) -> Bool { rule(withID: id)?.isAdvisory == true }

  /// The version of the policy text and of the score weights that judgements follow.
  package static let policyVersion = "2"
}
