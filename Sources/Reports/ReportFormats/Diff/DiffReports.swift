package import ByteParsing
import Reporting
import SessionRecords
import Values

/// The comparison of two audits in all report formats.
package struct DiffReports {
  let diff: AuditDiff
  let runs: ComparedRuns

  /// Whether the files of changes are named, because the current side has several inputs, a folder, an archive or saved sessions.
  private let namesFiles: Bool

  package init(_ diff: AuditDiff, _ runs: ComparedRuns) {
    self.diff = diff
    self.runs = runs
    namesFiles = diff.changes.compactMap { $0.sighting?.file }.contains { [$0] != runs.current.inputs }
  }

  /// The summary of the comparison in one line.
  var headline: String { runs.areCompared ? diff.headline : "not compared" }

  /// The changes by kind in display order, with the styles of a terminal and of a web page.
  var sections: [(title: String, changes: [AuditDiff.Change], style: TextStyle, pageStyle: String)] {
    [
      ("Regressions", diff.open(.regression), .red, "fail"),
      ("No longer visible", diff.open(.noLongerVisible), .yellow, "unknown"),
      ("Improvements", diff.open(.improvement), .green, "pass"),
      ("Other changes", diff.open(.moved), .cyan, "plain"), ("Accepted", diff.accepted, .dim, "exempt"),
    ]
  }

  /// The hosts that are listed with their verdicts, in display order.
  var lists: [(title: String, hosts: [(host: String, verdict: String)])] {
    func listed(_ hosts: [(host: String, verdicts: VerdictCounts)]) -> [(host: String, verdict: String)] {
      hosts.map { (host: $0.host, verdict: $0.verdicts.word) }
    }
    let lasting = diff.lastingFailures.map { (host: "\($0.host): \($0.words)", verdict: "fail") }
    return [("Fail on both sides", lasting), ("New hosts", listed(diff.newHosts)), ("Vanished hosts", listed(diff.vanishedHosts))]
  }

  /// Returns the packets that show a regression or a rule that is no longer visible, with the file if that is not the only input:
  /// `frames 6, 8`. Nil for other changes.
  func location(of change: AuditDiff.Change) -> String? {
    guard [.regression, .noLongerVisible].contains(change.kind), let sighting = change.sighting else { return nil }
    let frames = Wording.frames(sighting.frames, in: sighting.parts)
    return frames + (namesFiles && sighting.parts.isEmpty ? " of \(DisplayText.escaped(sighting.file))" : "")
  }

  /// Returns the location of a change, and the remarks on it, which may end with a fix: `frame 6: TLS 1.0; requires TLS 1.2 or later`.
  func remarks(on change: AuditDiff.Change) -> String {
    [location(of: change) ?? "", change.remarks].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// Returns the comparison as Markdown, for the summary page of a CI job.
  package func markdown() -> Bytes {
    var writer = MarkdownWriter()
    writer.heading(1, "atscope diff: \(headline)")
    for (title, changes, _, _) in sections where !changes.isEmpty {
      writer.heading(2, title)
      writer.tableHead(["host", "what", "before", "now", "remarks"])
      for change in changes.prefix(MarkdownReport.maximumHosts) {
        writer.row([
          MarkdownWriter.span(change.host, inTable: true), MarkdownWriter.text(change.wholeTitle),
          MarkdownWriter.markup(change.state(change.before)), MarkdownWriter.markup(change.state(change.after)),
          MarkdownWriter.markup(remarks(on: change)),
        ])
      }
      writer.line()
      writer.rest(of: changes.count, beyond: MarkdownReport.maximumHosts, "further change{s}")
    }
    for (title, hosts) in lists where !hosts.isEmpty {
      writer.heading(2, title)
      for (host, verdict) in hosts.prefix(MarkdownReport.maximumHosts) {
        writer.item("\(MarkdownWriter.span(host)): \(verdict)")
      }
      writer.line()
      writer.rest(of: hosts.count, beyond: MarkdownReport.maximumHosts, "further host{s}")
    }
    for (label, name) in runs.names { writer.item("\(label): \(MarkdownWriter.span(name))") }
    for line in Wording.judging(runs.current, files: runs.summary) { writer.item(MarkdownWriter.markup(line)) }
    for (kind, fault) in runs.faults { writer.item("\(kind): \(MarkdownWriter.span(fault))") }
    for note in runs.remarks { writer.item(MarkdownWriter.markup(note)) }
    return writer.output
  }

  /// Returns test cases: a change that counts is a failure, a rule that is no longer visible and does not count is skipped, others pass.
  package func junit() -> Bytes {
    let suites = diff.changes.grouped(by: \.host).map { host, changes in
      JUnitSuite(name: host, cases: changes.map { entry(for: $0, of: host) })
    }
    var hosts = JUnitSuite(name: "hosts")
    let names = runs.names.map { "\($0.label): \($0.name)" }
    hosts.cases.append(
      JUnitCase(
        name: "comparison", suite: "hosts",
        output: [headline] + names + Wording.judging(runs.current, files: runs.summary) + runs.remarks))
    for failure in diff.lastingFailures {
      hosts.cases.append(JUnitCase(name: failure.host, suite: "hosts", output: ["fails on both sides: \(failure.words)"]))
    }
    for (host, verdicts) in diff.newHosts {
      hosts.cases.append(JUnitCase(name: host, suite: "hosts", output: ["new: \(verdicts.word)"]))
    }
    for (host, verdicts) in diff.vanishedHosts {
      var entry = JUnitCase(name: host, suite: "hosts")
      if diff.countsVanished {
        entry.outcome = .failed(type: "vanished", message: "vanished; it was \(verdicts.word)")
      } else {
        entry.output = ["vanished: \(verdicts.word)"]
      }
      hosts.cases.append(entry)
    }
    for (kind, fault) in runs.faults {
      hosts.cases.append(JUnitCase(name: "inputs", suite: "hosts", outcome: .error(type: kind, message: fault)))
    }
    if let shortfall = runs.summary.shortfall {
      hosts.cases.append(JUnitCase(name: "sessions", suite: "hosts", outcome: .failed(type: "gate", message: shortfall)))
    }
    var bytes = Bytes()
    JUnitSuite.write([hosts] + suites, named: "atscope diff", to: &bytes)
    return bytes
  }

  private func entry(for change: AuditDiff.Change, of host: String) -> JUnitCase {
    var entry = JUnitCase(name: change.subject.description, suite: host)
    entry.details = [location(of: change)].compactMap { $0 }
    switch change.kind {
    case .regression where change.accepted == nil:
      entry.outcome = .failed(type: "regression", message: change.words)
    case .noLongerVisible where diff.counts(change):
      entry.outcome = .failed(type: "no longer visible", message: change.words)
    case .noLongerVisible where change.accepted == nil:
      entry.outcome = .skipped(message: "no longer visible: \(change.words)")
    default: entry.output = ["\(change.kind.words): \(change.words)"]
    }
    return entry
  }

  /// Returns a CSV table with a row for each change.
  package func csv() -> Bytes {
    var bytes = Bytes()
    CSVRow.append(["kind", "host", "subject", "before", "after", "details", "accepted"], to: &bytes)
    for change in diff.changes {
      CSVRow.append(
        [
          change.kind.rawValue, change.host, change.subject.description, change.before, change.after, change.details, change.accepted,
        ], to: &bytes)
    }
    for failure in diff.lastingFailures {
      for rule in failure.rules {
        CSVRow.append(["lastingFailure", failure.host, rule, "fail", "fail", failure.expired.joined(separator: "; "), nil], to: &bytes)
      }
    }
    for (host, verdicts) in diff.newHosts {
      CSVRow.append(["newHost", host, "verdict", nil, verdicts.word, nil, nil], to: &bytes)
    }
    for (host, verdicts) in diff.vanishedHosts {
      CSVRow.append(["vanishedHost", host, "verdict", verdicts.word, nil, nil, nil], to: &bytes)
    }
    return bytes
  }
}
