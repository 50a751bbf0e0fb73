package import SessionRecords

package struct ComparedRuns: Sendable {
  package var baseline: RunRecord
  package var current: RunRecord

  /// The inputs of both, as far as they were read now.
  package var inputs: [InputSummary] = []

  /// The day that accepted findings were compared with; nil where none are.
  package var today: String?

  /// What else is to be said, a line each, made safe to show.
  package var notes: [String] = []

  package var settings: SettingLines?

  /// What of the inputs could not be read, with its kind.
  var faults: [(kind: String, text: String)] {
    inputs.compactMap { input in Wording.fault(of: input).map { (Wording.kind(of: input.error), $0) } }
  }

  package init(baseline: RunRecord, current: RunRecord) {
    self.baseline = baseline
    self.current = current
  }
}
