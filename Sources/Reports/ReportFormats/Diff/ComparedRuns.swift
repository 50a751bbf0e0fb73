import Reporting
package import SessionRecords

package struct ComparedRuns: Sendable {
  package var baseline: RunRecord
  package var current: RunRecord

  /// The inputs of both runs that were read for the comparison.
  package var inputs: [InputSummary] = []

  /// The file of a saved baseline; nil for a baseline that was audited.
  package var baselineFile: String?

  /// The summary of the current side.
  package var summary = SummaryRecord()

  /// Whether both sides could be read, so that the changes between them are known.
  package var areCompared = true

  /// The date with which the expiry of accepted findings was compared; nil if there are none.
  package var today: String?

  /// Further notes, one line each, escaped for display.
  package var notes: [String] = []

  package var settings: SettingLines?

  /// The settings that decide verdicts or select packets and that differ between the runs.
  package var differences: [String] {
    var parts: [String] = []
    func compare(_ name: String, _ value: (RunRecord) -> String?) {
      let (then, now) = (value(baseline), value(current))
      if then != now { parts.append("\(name) \(then ?? "not given"), now \(now ?? "not given")") }
    }
    // A file counts by its content.
    func compareFiles(_ name: String, _ files: (RunRecord) -> [RunRecord.Source]) {
      if Set(files(baseline).map(\.identity)) == Set(files(current).map(\.identity)) { return }
      let known = parts.count
      compare(name) { run in
        let names = files(run).map { DisplayText.name($0.file) }
        let others = names.count > 4 ? ["\(names.count - 3) more"] : []
        return names.isEmpty ? nil : (others.isEmpty ? names : names.prefix(3) + others).joined(separator: " and ")
      }
      let hasSameContent = Set(files(baseline).map(\.identity[0])) == Set(files(current).map(\.identity[0]))
      if parts.count == known { parts.append("\(name) \(hasSameContent ? "for other hosts or processes" : "with other content")") }
    }
    for name in ["os", "context", "at", "series", "filter", "from", "to"] { compare(name) { $0.text(name) } }
    // Hosts are selected in a saved baseline too, so that only the baseline's own selection matters.
    for name in ["host", "process"] where baseline.text(name) != nil { compare(name) { $0.text(name) } }
    compare("policy version") { $0.policyVersion }
    // The content of a key log belongs to one capture.
    compare("key log") { $0.text("keylog").map { _ in "given" } }
    compare("--assume app-overrides-trust") { $0.option("appOverridesTrust") == .boolean(true) ? "given" : nil }
    compare("intermediates of other sessions") { $0.option("takesShownIntermediates") == .boolean(false) ? "not used" : "used" }
    compareFiles("Info.plist") { $0.infoPlists }
    // The roots depend on the release.
    if baseline.text("os") == current.text("os"), baseline.roots?.sha256 != current.roots?.sha256 {
      parts.append("other system roots")
    }
    compareFiles("added anchors") { $0.anchors }
    compareFiles("added intermediates") { $0.intermediates }
    compareFiles("supplied chains") { $0.chains }
    compareFiles("revocations") { $0.revocations }
    compareFiles("Certificate Transparency logs") { [$0.logList].compactMap { $0 } }
    return parts
  }

  /// The names of both sides.
  var names: [(label: String, name: String)] {
    let inputs = Wording.list(baseline.inputs)
    let name = baselineFile.map { "\(DisplayText.name($0)) (of \(inputs))" } ?? inputs
    return [("baseline", name), ("current", Wording.list(current.inputs))]
  }

  /// What was not read or judged of the current side, as in an audit, after the sides with too few judged sessions.
  var omissions: [(label: String, text: String)] {
    Wording.health(of: summary).filter { ["too few", "not read", "limits reached", "not judged"].contains($0.label) }
  }

  /// The omissions and the notes, one line each.
  var remarks: [String] { omissions.map { "\($0.label): \($0.text)" } + notes }

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
  /// The value of an option or assumption; nil if it is not recorded.
  fileprivate func option(_ name: String) -> Setting.Value? { (options + assumptions).first { $0.name == name }?.value }

  /// The text of an option, escaped for display; nil if it is not given.
  fileprivate func text(_ name: String) -> String? {
    switch option(name) {
    case .text(let text): DisplayText.escaped(text)
    case .texts(let texts) where !texts.isEmpty: Wording.list(texts)
    default: nil
    }
  }
}

extension RunRecord.Source {
  /// What distinguishes the file from others: its content, and the process or host to which it applies.
  fileprivate var identity: [String] { [sha256 ?? file, appliesTo ?? ""] }
}
