package import ATSRules

/// The score of a session, its grade, and the confidence in them (`docs/scoring.md`).
package struct Score: Hashable, Sendable {
  /// The score, from 0 to 100; nil if the verdict is UNKNOWN or EXEMPT, or if nothing is decided.
  package var points: Int?

  /// The percentage of the weight that could be decided and was, from 0 to 100.
  package var confidencePercent: Int

  /// The grade; nil if `points` is nil.
  package var grade: String? { points.map(ScoreTable.grade) }

  package init(_ findings: [Finding], _ verdict: Verdict, isCleartextToRemoteHost: Bool = false) {
    // Counted in halves: `relaxed` counts one and `pass` two.
    var halves = 0
    var decided = 0
    var undecided = 0
    var failing = 0
    for finding in findings {
      let weight = ScoreTable.weight(of: finding.id)
      switch finding.outcome {
      case .pass: (halves, decided) = (halves + 2 * weight, decided + weight)
      case .relaxed: (halves, decided) = (halves + weight, decided + weight)
      case .fail:
        decided += weight
        if finding.isRequired { failing += weight }
      case .unknown: if finding.isRequired { undecided += weight }
      case .notApplicable: break
      }
    }
    guard decided > 0 else {
      self = .none
      return
    }
    // Rounded to the nearest integer.
    let share = (100 * halves + decided) / (2 * decided)
    switch verdict {
    case .pass: points = share
    case .fail:
      points = isCleartextToRemoteHost ? 0 : min(share, max(0, ScoreTable.greatestFailingScore - failing))
    case .unknown, .exempt: points = nil
    }
    let due = decided + undecided
    confidencePercent = (200 * decided + due) / (2 * due)
  }

  /// No score: nothing is decided, or the session is not a load of a URL.
  package static let none = Score()

  private init() { confidencePercent = 0 }
}
