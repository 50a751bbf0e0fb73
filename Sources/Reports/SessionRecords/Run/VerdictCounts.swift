public import ATSEvaluation

/// How many sessions, or hosts, have each verdict.
public struct VerdictCounts: Hashable, Sendable {
  /// Those that fail.
  public var fail = 0
  /// Those that cannot be decided.
  public var unknown = 0
  /// Those that ATS does not govern.
  public var exempt = 0
  /// Those that pass, the relaxed included.
  public var pass = 0
  /// Those of the passing that pass only because a key allows it.
  public var relaxed = 0

  /// Creates counts of nothing.
  public init() {}

  /// All together.
  public var total: Int { fail + unknown + exempt + pass }

  /// Counts one more; `isRelaxed` says whether a pass rests on a key.
  public mutating func add(_ verdict: Verdict, isRelaxed: Bool, times: Int = 1) {
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
