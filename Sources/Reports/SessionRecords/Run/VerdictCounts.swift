public import ATSEvaluation
package import SessionModel

/// The numbers of sessions, or hosts, by verdict.
public struct VerdictCounts: Hashable, Sendable {
  /// The number that fail.
  public package(set) var fail = 0
  /// The number that cannot be decided.
  public package(set) var unknown = 0
  /// The number that ATS does not govern.
  public package(set) var exempt = 0
  /// The number that pass, including `relaxed`.
  public package(set) var pass = 0
  /// The number that pass only because an ATS key allows it.
  public package(set) var relaxed = 0
  /// The number of exempt ones that the system rejects although ATS is off. Records do not contain it.
  package private(set) var refused = 0

  package init() {}

  /// The counts by their names in records.
  package static var members: [(name: String, count: WritableKeyPath<VerdictCounts, Int>)] {
    [("fail", \.fail), ("unknown", \.unknown), ("exempt", \.exempt), ("pass", \.pass), ("relaxed", \.relaxed)]
  }

  /// The sum over all verdicts.
  public var total: Int { fail + unknown + exempt + pass }

  /// The worst counted verdict; `pass` if nothing is counted.
  public var worst: Verdict {
    if fail > 0 { return .fail }
    if unknown > 0 { return .unknown }
    return exempt > 0 ? .exempt : .pass
  }

  /// Whether the worst counted verdict is a pass and at least one pass requires an ATS key.
  package var isWorstRelaxed: Bool { worst == .pass && relaxed > 0 }

  /// The best counted verdict; `fail` if nothing is counted.
  package var best: Verdict {
    if pass > 0 { return .pass }
    if exempt > 0 { return .exempt }
    return unknown > 0 ? .unknown : .fail
  }

  package mutating func add(_ other: VerdictCounts) {
    for (_, count) in VerdictCounts.members { self[keyPath: count] += other[keyPath: count] }
    refused += other.refused
  }

  /// Adds the verdict of a session.
  package mutating func add(_ judgement: Shared<Judgement>) {
    add(judgement.verdict, isRelaxed: judgement.isRelaxed, isRefused: judgement.isRejected)
  }

  /// Adds the worst of the verdicts of a host's sessions.
  package mutating func addWorst(of sessions: VerdictCounts) {
    add(sessions.worst, isRelaxed: sessions.isWorstRelaxed, isRefused: sessions.refused > 0)
  }

  /// Adds a verdict `times` times; `isRelaxed` marks a pass that requires an ATS key, `isRefused` a session that the system rejects.
  package mutating func add(_ verdict: Verdict, isRelaxed: Bool, isRefused: Bool, times: Int = 1) {
    switch verdict {
    case .fail: fail += times
    case .unknown: unknown += times
    case .exempt:
      exempt += times
      if isRefused { refused += times }
    case .pass:
      pass += times
      if isRelaxed { relaxed += times }
    }
  }
}

extension VerdictCounts: JSONRecord {
  /// Writes the counts by verdict; `pass` includes `relaxed`.
  package func writeMembers(to json: inout JSONObject) {
    for (name, count) in VerdictCounts.members { json.number(name, self[keyPath: count]) }
  }
}
