import ATSRules

/// The weights of the rules and the grades. `docs/scoring.md` contains the same table.
package enum ScoreTable {
  /// The weight of each rule, in the order of reports. Any change requires a new policy version.
  package static let weights: [(rule: String, weight: Int)] = RuleCatalogue.all.map { ($0.id, $0.weight) }

  /// The minimum score of each grade, from the best grade down.
  package static let grades: [(grade: String, minimumScore: Int)] = [("A+", 98), ("A", 90), ("B", 80), ("C", 65), ("D", 50), ("F", 0)]

  /// The score from which the weights of failing required rules are subtracted.
  package static let greatestFailingScore = 49

  /// The weight of a rule; 0 if there is no rule with this id.
  package static func weight(of rule: String) -> Int { RuleCatalogue.rule(withID: rule)?.weight ?? 0 }

  package static func grade(of score: Int) -> String {
    grades.first { score >= $0.minimumScore }?.grade ?? "F"
  }
}
