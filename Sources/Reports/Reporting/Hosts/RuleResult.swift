import ATSEvaluation
package import ATSRules
import SessionModel
import Values

/// The outcome of a rule for one host: the worst over its sessions.
package struct RuleResult {
  package let id: String

  /// The finding in the first of the sessions; if possible, one that the client's offer does not limit: it shows what the server supports.
  package let finding: Finding

  /// The sessions of the finding.
  package let group: SessionGroup

  /// The number of sessions with this outcome of the rule.
  package let sessions: Int

  /// The number of these sessions in which the observation is that of the finding.
  package let alike: Int

  /// The distinct fixes for these sessions; those that an offer limits only if it limits all.
  let fixes: [Fix]

  /// Creates the result from the findings with the same outcome; nil if there are none.
  fileprivate init?(_ findings: [(finding: Finding, group: SessionGroup)]) {
    let certain = findings.filter { !$0.finding.isLimitedByOffer }
    guard let shown = certain.first ?? findings.first else { return nil }
    id = shown.finding.id
    finding = shown.finding
    group = shown.group
    sessions = findings.reduce(0) { $0 + $1.group.sessions }
    alike = findings.reduce(0) { count, other in
      let isAlike = other.finding.observed == shown.finding.observed && other.finding.offerRemark == shown.finding.offerRemark
      return count + (isAlike ? other.group.sessions : 0)
    }
    fixes = (certain.isEmpty ? findings : certain).compactMap(\.finding.fix).distinct()
  }

  /// Returns `2 of 3 sessions, and in 1 more with a different observation or offer`, for example.
  package func count(in host: HostReport) -> String {
    let others = sessions - alike
    return Wording.count(alike, of: host.sessions, "session{s}")
      + (others > 0 ? ", and in \(Wording.grouped(others)) more with a different observation or offer" : "")
  }

  /// Whether this is the failure of a required rule.
  package var isFailure: Bool { finding.isFailure }
}

extension HostReport {
  /// The outcomes of the rules for this host, in the order of the rule table. Rules that are applicable to none of its
  /// sessions are omitted.
  package var ruleResults: [RuleResult] {
    var worst: [String: (rank: Int, findings: [(finding: Finding, group: SessionGroup)])] = [:]
    for group in groups {
      for finding in group.kept.findings where finding.outcome != .notApplicable {
        let rank = HostReport.rank(finding.outcome, required: finding.isRequired)
        if let known = worst[finding.id]?.rank, known <= rank {
          if known == rank { worst[finding.id]?.findings.append((finding, group)) }
        } else {
          worst[finding.id] = (rank, [(finding, group)])
        }
      }
    }
    return RuleCatalogue.all.compactMap { rule in worst[rule.id].flatMap { RuleResult($0.findings) } }
  }

  /// Returns the fix of a failing rule for the sessions of this host; nil if there is none.
  package func fix(of result: RuleResult) -> Fix? {
    guard result.fixes.count > 1, !(passesOverHTTPS && result.finding.rule == .https) else { return fix(of: result.finding) }
    return Fix.merged(result.fixes)
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
