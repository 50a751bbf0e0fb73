public import SessionRecords

/// The two runs that are compared, and what was read of them.
public struct ComparedRuns: Sendable {
  /// The record of the baseline's run.
  public var baseline: RunRecord

  /// The record of the current run.
  public var current: RunRecord

  /// The inputs of both, as far as they were read now.
  public var inputs: [InputSummary] = []

  /// The day that accepted findings were compared with; nil where none are.
  public var today: String?

  /// What else is to be said, a line each, made safe to show.
  public var notes: [String] = []

  /// The lines of the Info.plist of the current run.
  public var settings: SettingLines?

  /// What of the inputs could not be read, with its kind.
  var faults: [(kind: String, text: String)] {
    inputs.compactMap { input in Wording.fault(of: input).map { (Wording.kind(of: input.error), $0) } }
  }

  /// Takes the records of both runs.
  public init(baseline: RunRecord, current: RunRecord) {
    self.baseline = baseline
    self.current = current
  }
}
