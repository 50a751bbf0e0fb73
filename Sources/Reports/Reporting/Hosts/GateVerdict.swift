package import SessionRecords

/// A verdict that may give exit status 1.
package enum GateVerdict: String, CaseIterable, Hashable, Sendable {
  case fail
  case unknown
  case exempt
  /// An exempt session that the system rejects although ATS is off.
  case refused
  /// A pass that requires an ATS key.
  case relaxed

  /// The number of sessions with this verdict.
  func count(in counts: VerdictCounts) -> Int {
    switch self {
    case .fail: counts.fail
    case .unknown: counts.unknown
    case .exempt: counts.exempt
    case .refused: counts.refused
    case .relaxed: counts.relaxed
    }
  }
}

extension VerdictCounts {
  /// Adds the verdicts of the sessions of a group.
  mutating func add(_ group: SessionGroup) {
    let kept = group.kept
    add(kept.verdict, isRelaxed: kept.isRelaxed, isRefused: kept.isRejected, times: group.sessions)
  }
}

extension Set<GateVerdict> {
  /// Whether one of these verdicts was counted.
  package func isHit(by counts: VerdictCounts) -> Bool { contains { $0.count(in: counts) > 0 } }

  /// Those of these verdicts that were counted, in the order of their declaration.
  package func counted(in counts: VerdictCounts) -> [GateVerdict] {
    GateVerdict.allCases.filter { contains($0) && $0.count(in: counts) > 0 }
  }
}
