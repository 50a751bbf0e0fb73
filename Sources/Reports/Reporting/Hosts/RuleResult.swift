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

  /// Whether this is the failure of a required rule.
  package var isFailure: Bool { finding.isFailure }
}

extension HostReport {
  /// The outcomes of the rules for this host, in the order of the rule table. Rules that are applicable to none of its
  /// sessions are omitted.
  package var ruleResults: [RuleResult] {
    var order: [String] = []
    var worst: [String: (finding: Finding, group: SessionGroup, rank: Int, sessions: Int)] = [:]
    for group in groups {
      for finding in group.kept.findings where finding.outcome != .notApplicable {
        let rank = HostReport.rank(finding.outcome, required: finding.isRequired)
        guard let known = worst[finding.id] else {
          order.append(finding.id)
          worst[finding.id] = (finding, group, rank, group.sessions)
          continue
        }
        if rank < known.rank {
          worst[finding.id] = (finding, group, rank, group.sessions)
        } else if rank == known.rank {
          worst[finding.id] = (known.finding, known.group, rank, known.sessions + group.sessions)
        }
      }
    }
    return order.sorted { RuleCatalogue.index(of: $0) < RuleCatalogue.index(of: $1) }.compactMap { id in
      worst[id].map { RuleResult(id: id, finding: $0.finding, group: $0.group, sessions: $0.sessions) }
    }
  }

  /// The rules with their worst `rank`, without the other properties of `ruleResults`.
  var worstRanks: [(id: String, rank: Int)] {
    var ranks: [(id: String, rank: Int)] = []
    for group in groups {
      let findings = group.kept.unsettled
      if ranks.isEmpty {
        ranks = findings.indices.map {
          (findings[$0].id, HostReport.rank(findings[$0].outcome, required: findings[$0].isRequired))
        }
        continue
      }
      // Judgements list the same rules in the same order, so the first attempt usually finds the index.
      var index = 0
      for number in findings.indices {
        let id = findings[number].id
        let rank = HostReport.rank(findings[number].outcome, required: findings[number].isRequired)
        if index < ranks.count, ranks[index].id == id {
          ranks[index].rank = min(ranks[index].rank, rank)
        } else if let known = ranks.firstIndex(where: { $0.id == id }) {
          ranks[known].rank = min(ranks[known].rank, rank)
          index = known
        } else {
          ranks.append((id, rank))
          index = ranks.count - 1
        }
        index += 1
      }
    }
    return ranks
  }

  package var failingRules: [String] {
    let failing = worstRanks.filter { $0.rank == 0 }.map(\.id)
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
    guard let least = scores.min(), let greatest = scores.max() else { return HostBlock.tally(verdicts) }
    return HostBlock.tally(verdicts)
      + (least == greatest ? "   score \(least)" : "   score \(least) to \(greatest)")
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
