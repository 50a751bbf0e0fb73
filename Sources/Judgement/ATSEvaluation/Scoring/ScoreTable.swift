/// The weights of the rules, and the grades. `docs/scoring.md` contains the same table.
package enum ScoreTable {
  /// The weight of each rule, in the order of reports. A change is a change of the policy version.
  package static let weights: [(rule: String, weight: Int)] = RuleTable.all.map { rule in
    let kind = type(of: rule)
    return (kind.id, kind.weight)
  }

  /// The least score of each grade, the best grade first.
  package static let grades: [(grade: String, minimumScore: Int)] = [
    ("A+", 98), ("A", 90), ("B", 80), ("C", 65), ("D", 50), ("F", 0),
  ]

  /// The greatest score where a required rule fails: the weights of those that fail are taken from it.
  package static let greatestFailingScore = 49

  /// The weight of a rule; 0 where no rule has that name.
  package static func weight(of rule: String) -> Int { byRule[rule] ?? 0 }

  package static func grade(of score: Int) -> String {
    grades.first { score >= $0.minimumScore }?.grade ?? "F"
  }

  private static let byRule = Dictionary(weights.map { ($0.rule, $0.weight) }) { first, _ in first }
}
