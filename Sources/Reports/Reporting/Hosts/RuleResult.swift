import ATSEvaluation
package import ATSRules
import SessionModel

/// The outcome of a rule for one host: the worst over its sessions.
package struct RuleResult {
  package let id: String
  package let finding: Finding

  package let group: SessionGroup
  /// The number of sessions with this outcome of the rule.
  package let sessions: Int

  /// The number of these sessions in which the observation is that of the finding.
  let alike: Int

  /// Whether all these sessions have the same observation.
  var isUniform: Bool { alike == sessions }

  /// Whether this is the failure of a required rule.
  package var isFailure: Bool { finding.isFailure }
}

extension HostReport {
  /// The outcomes of the rules for this host, in the order of the rule table. Rules that are applicable to none of its
  /// sessions are omitted.
  package var ruleResults: [RuleResult] {
    var worst: [String: (finding: Finding, group: SessionGroup, rank: Int, sessions: Int, alike: Int)] = [:]
    for group in groups {
      for finding in group.kept.findings where finding.outcome != .notApplicable {
        let rank = HostReport.rank(finding.outcome, required: finding.isRequired)
        if let known = worst[finding.id], known.rank <= rank {
          guard known.rank == rank else { continue }
          worst[finding.id]?.sessions += group.sessions
          let isAlike = finding.observed == known.finding.observed && finding.offerRemark == known.finding.offerRemark
          if isAlike { worst[finding.id]?.alike += group.sessions }
        } else {
          worst[finding.id] = (finding, group, rank, group.sessions, group.sessions)
        }
      }
    }
    return RuleCatalogue.all.compactMap { rule in
      worst[rule.id].map { RuleResult(id: rule.id, finding: $0.finding, group: $0.group, sessions: $0.sessions, alike: $0.alike) }
    }
  }

  /// Returns the worst `rank` of a rule; nil if the sessions have no finding of it.
  func worstRank(of rule: RuleID) -> Int? {
    let findings = groups.lazy.flatMap(\.kept.unsettled).filter { $0.id == rule.rawValue }
    return findings.map { HostReport.rank($0.outcome, required: $0.isRequired) }.min()
  }

  /// The worst `rank` of each rule, without the other properties of `ruleResults`.
  var worstRanks: [String: Int] {
    var ranks: [String: Int] = [:]
    for group in groups {
      let findings = group.kept.unsettled
      for index in findings.indices {
        let rank = HostReport.rank(findings[index].outcome, required: findings[index].isRequired)
        ranks[findings[index].id] = min(ranks[findings[index].id] ?? rank, rank)
      }
    }
    return ranks
  }

  package var failingRules: [String] {
    let failing = worstRanks.filter { $0.value == 0 }.keys
    return failing.sorted { RuleCatalogue.index(of: $0) < RuleCatalogue.index(of: $1) }
  }

  /// The lowest score of its sessions, with its grade; nil if the verdict is neither fail nor pass.
  package var lowestScore: (score: Int, grade: String?)? {
    guard verdict == .fail || verdict == .pass else { return nil }
    return groups.compactMap(\.kept.score).min { $0.points < $1.points }.map { (score: $0.points, grade: $0.grade) }
  }

  /// The sessions by verdict with their scores: `1 fails, 24 pass   score 12 to 100`.
  var summary: String {
    let scores = groups.compactMap { $0.kept.score?.points }
    guard let least = scores.min(), let greatest = scores.max() else { return Wording.tally(verdicts) }
    return Wording.tally(verdicts) + (least == greatest ? "   score \(least)" : "   score \(least) to \(greatest)")
  }

  /// Returns the rank of an outcome; lower is worse.
  static func rank(_ outcome: Finding.Outcome, required: Bool) -> Int {
    switch outcome {
    case .fail: required ? 0 : 3
    case .unknown: required ? 1 : 4
    case .relaxed: 2
    case .pass: 5
    case .notApplicable: 6
    }
  }
}
