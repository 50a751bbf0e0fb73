import ATSEvaluation
import ATSRules
import SessionRecords

/// The severity of a set of failing rules; lower is worse.
package struct Severity: Comparable {
  /// 0 for cleartext, 1 for an untrusted or revoked certificate, 2 for other rules.
  package let rank: Int

  /// The sum of the rules' weights.
  package let weight: Int

  package init(_ rules: [String]) {
    rank =
      rules.contains(RuleID.https.rawValue)
      ? 0 : rules.contains(RuleID.certificateTrust.rawValue) || rules.contains(RuleID.certificateRevoked.rawValue) ? 1 : 2
    weight = rules.reduce(0) { $0 + ScoreTable.weight(of: $1) }
  }

  package static func < (one: Severity, other: Severity) -> Bool {
    (one.rank, -one.weight) < (other.rank, -other.weight)
  }
}

extension [HostReport] {
  /// Returns the hosts by verdict, the worst first; failing ones by severity, then by failing sessions; equals keep their order.
  func sortedBySeverity() -> [HostReport] {
    let keyed = enumerated().map { index, host in
      let severity = Severity(host.verdict == .fail ? host.failingRules : [])
      return (HostReport.rank(host.verdict, isRelaxed: host.isRelaxed), severity, -host.verdicts.fail, index)
    }
    return keyed.sorted { $0 < $1 }.map { self[$0.3] }
  }
}
