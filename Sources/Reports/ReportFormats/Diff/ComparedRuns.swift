import Reporting
package import SessionRecords

package struct ComparedRuns: Sendable {
  package var baseline: RunRecord
  package var current: RunRecord

  /// The inputs of both runs that were read for the comparison.
  package var inputs: [InputSummary] = []

  /// The date with which the expiry of accepted findings was compared; nil if there are none.
  package var today: String?

  /// Further notes, one line each, escaped for display.
  package var notes: [String] = []

  package var settings: SettingLines?

  /// The faults of inputs, with their kinds.
  var faults: [(kind: String, text: String)] {
    inputs.compactMap { input in Wording.fault(of: input).map { (Wording.kind(of: input.error), $0) } }
  }

  package init(baseline: RunRecord, current: RunRecord) {
    self.baseline = baseline
    self.current = current
  }
}
