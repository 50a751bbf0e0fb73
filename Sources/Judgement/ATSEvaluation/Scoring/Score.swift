/// The score of a session, its grade, and the confidence in them (`docs/scoring.md`).
package struct Score: Hashable, Sendable {
  /// 0 to 100; nil for verdicts that are UNKNOWN or EXEMPT, and when nothing is decided.
  package var points: Int?

  /// The decided share of the weight that should be decided: 0 to 100.
  package var confidencePercent: Int

  /// The grade; nil where the score is.
  package var grade: String? { points.map(ScoreTable.grade) }

  package init(_ findings: [Finding], _ verdict: Verdict, isCleartextToRemoteHost: Bool = false) {
    // Halves, so that `relaxed` counts one and `pass` two.
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
        if finding.required { failing += weight }
      case .unknown: if finding.required { undecided += weight }
      case .notApplicable: break
      }
    }
    guard decided > 0 else {
      self = .none
      return
    }
    // To the nearest whole number.
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

  /// No score: nothing is decided, or it is not a load of a URL.
  package static let none = Score()

  private init() { confidencePercent = 0 }
}
