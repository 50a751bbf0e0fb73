public import ATSEvaluation

/// How many sessions, or hosts, have each verdict.
public struct VerdictCounts: Hashable, Sendable {
  /// Those that fail.
  public package(set) var fail = 0
  /// Those that cannot be decided.
  public package(set) var unknown = 0
  /// Those that ATS does not govern.
  public package(set) var exempt = 0
  /// Those that pass, the relaxed included.
  public package(set) var pass = 0
  /// Those that pass only because a key allows it.
  public package(set) var relaxed = 0

  package init() {}

  /// The total.
  public var total: Int { fail + unknown + exempt + pass }

  /// The worst verdict that was counted; passing where none was.
  public var worst: Verdict {
    if fail > 0 { return .fail }
    if unknown > 0 { return .unknown }
    return exempt > 0 ? .exempt : .pass
  }

  /// Whether the worst verdict is a pass that rests on a key.
  public var isWorstRelaxed: Bool { worst == .pass && relaxed > 0 }

  /// The best verdict that was counted; failing where none was.
  public var best: Verdict {
    if pass > 0 { return .pass }
    if exempt > 0 { return .exempt }
    return unknown > 0 ? .unknown : .fail
  }

  /// Counts those of others as well.
  package mutating func add(_ other: VerdictCounts) {
    fail += other.fail
    unknown += other.unknown
    exempt += other.exempt
    pass += other.pass
    relaxed += other.relaxed
  }

  /// Counts one more; `isRelaxed` says whether a pass rests on a key.
  package mutating func add(_ verdict: Verdict, isRelaxed: Bool, times: Int = 1) {
    switch verdict {
    case .fail: fail += times
    case .unknown: unknown += times
    case .exempt: exempt += times
    case .pass:
      pass += times
      if isRelaxed { relaxed += times }
    }
  }
}

extension VerdictCounts: JSONRecord {
  /// Writes the counts by verdict; `relaxed` are among those that pass.
  package func writeMembers(to json: inout JSONObject) {
    json.number("fail", fail)
    json.number("unknown", unknown)
    json.number("exempt", exempt)
    json.number("pass", pass)
    json.number("relaxed", relaxed)
  }
}
