import Reporting
package import SessionRecords

package struct ComparedRuns: Sendable {
  package var baseline: RunRecord
  package var current: RunRecord

  /// The inputs of both runs that were read for the comparison.
  package var inputs: [InputSummary] = []

  /// Whether both sides could be read, so that the changes between them are known.
  package var areCompared = true

  /// The date with which the expiry of accepted findings was compared; nil if there are none.
  package var today: String?

  /// Further notes, one line each, escaped for display.
  package var notes: [String] = []

  package var settings: SettingLines?

  /// The settings that decide verdicts or select packets, apart from the app's own, and that differ between the runs.
  package var differences: [String] {
    var parts: [String] = []
    func compare(_ name: String, _ then: String?, _ now: String?) {
      if then != now { parts.append("\(name) \(then ?? "not given"), now \(now ?? "not given")") }
    }
    for name in ["os", "context", "at", "filter", "from", "to"] {
      compare(name, baseline.text(name), current.text(name))
    }
    compare("policy version", baseline.policyVersion, current.policyVersion)
    // The roots depend on the release.
    if baseline.text("os") == current.text("os"), baseline.roots?.sha256 != current.roots?.sha256 {
      parts.append("other system roots")
    }
    if Set(baseline.anchors.map(\.sha256)) != Set(current.anchors.map(\.sha256)) { parts.append("other anchors") }
    return parts
  }

  /// The faults of inputs, with their kinds.
  var faults: [(kind: String, text: String)] {
    inputs.compactMap { input in Wording.fault(of: input).map { (Wording.kind(of: input.error), $0) } }
  }

  package init(baseline: RunRecord, current: RunRecord) {
    self.baseline = baseline
    self.current = current
  }
}

extension RunRecord {
  /// The text of an option, escaped for display; nil if it is not given.
  fileprivate func text(_ option: String) -> String? {
    guard case .text(let text) = options.first(where: { $0.name == option })?.value else { return nil }
    return DisplayText.escaped(text)
  }
}
