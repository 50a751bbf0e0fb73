package import ByteParsing
import Reporting

/// The comparison of two audits in all report formats.
package struct DiffReports {
  let diff: AuditDiff
  let runs: ComparedRuns

  package init(_ diff: AuditDiff, _ runs: ComparedRuns) {
    self.diff = diff
    self.runs = runs
  }

  /// The summary of the comparison in one line.
  var headline: String { runs.areCompared ? diff.headline : "not compared" }

  /// Returns the comparison as Markdown, for the summary page of a CI job.
  package func markdown() -> Bytes {
    var writer = MarkdownWriter()
    writer.heading(1, "atscope diff: \(headline)")
    let sections: [(String, [AuditDiff.Change])] = [
      ("Regressions", diff.open(.regression)), ("No longer visible", diff.open(.noLongerVisible)),
      ("Improvements", diff.open(.improvement)), ("Other changes", diff.open(.moved)), ("Accepted", diff.accepted),
    ]
    for (title, changes) in sections where !changes.isEmpty {
      writer.heading(2, title)
      writer.tableHead(["host", "what", "before", "now", "remarks"])
      for change in changes.prefix(MarkdownReport.maximumHosts) {
        let remarks = [change.details, change.accepted.map { "accepted: \($0)" }].compactMap { $0 }
        writer.row([
          MarkdownWriter.span(change.host, inTable: true), change.subject,
          MarkdownWriter.markup(change.before ?? ""), MarkdownWriter.markup(change.after ?? ""),
          MarkdownWriter.markup(remarks.joined(separator: "; ")),
        ])
      }
      writer.line()
      if changes.count > MarkdownReport.maximumHosts {
        writer.line("and \(Wording.count(changes.count - MarkdownReport.maximumHosts, "further change"))")
        writer.line()
      }
    }
    for (title, hosts) in [("New hosts", diff.newHosts), ("Vanished hosts", diff.vanishedHosts)]
    where !hosts.isEmpty {
      writer.heading(2, title)
      for (host, verdict) in hosts.prefix(MarkdownReport.maximumHosts) {
        writer.item("\(MarkdownWriter.span(host)): \(verdict)")
      }
      writer.line()
    }
    writer.item("judged as: \(MarkdownWriter.markup(Wording.policy(of: runs.current)))")
    writer.item(
      "judged with: \(MarkdownWriter.markup(Wording.basis(of: runs.current).joined(separator: "; ")))")
    for (kind, fault) in runs.faults { writer.item("\(kind): \(MarkdownWriter.span(fault))") }
    for note in runs.notes { writer.item(MarkdownWriter.markup(note)) }
    return writer.output
  }

  /// Returns test cases: a change that counts is a failure, a rule that is no longer visible and does not count is skipped, others pass.
  package func junit() -> Bytes {
    var suites: [JUnitSuite] = []
    var indices: [String: Int] = [:]
    for change in diff.changes {
      let index = indices[change.host] ?? suites.count
      if index == suites.count {
        suites.append(JUnitSuite(name: change.host))
        indices[change.host] = index
      }
      var entry = JUnitCase(name: change.subject, suite: change.host)
      switch change.kind {
      case .regression where change.accepted == nil:
        entry.result = .failed(type: "regression", message: change.words)
      case .noLongerVisible where diff.counts(change):
        entry.result = .failed(type: "no longer visible", message: change.words)
      case .noLongerVisible where change.accepted == nil:
        entry.result = .skipped(message: "no longer visible: \(change.words)")
      default: entry.output = ["\(change.kind.rawValue): \(change.words)"]
      }
      suites[index].cases.append(entry)
    }
    var hosts = JUnitSuite(name: "hosts")
    hosts.cases.append(
      JUnitCase(
        name: "comparison", suite: "hosts", output: [headline] + JUnitReport.judging(runs.current)))
    for (host, verdict) in diff.newHosts {
      hosts.cases.append(JUnitCase(name: host, suite: "hosts", output: ["new: \(verdict)"]))
    }
    for (host, verdict) in diff.vanishedHosts {
      var entry = JUnitCase(name: host, suite: "hosts")
      if diff.countsVanished {
        entry.result = .failed(type: "vanished", message: "vanished; it was \(verdict)")
      } else {
        entry.output = ["vanished: \(verdict)"]
      }
      hosts.cases.append(entry)
    }
    for (kind, fault) in runs.faults {
      hosts.cases.append(
        JUnitCase(name: "inputs", suite: "hosts", result: .error(type: kind, message: fault)))
    }
    var bytes = Bytes()
    JUnitSuite.write([hosts] + suites, named: "atscope diff", to: &bytes)
    return bytes
  }

  /// Returns a CSV table with a row for each change.
  package func csv() -> Bytes {
    var bytes = Bytes()
    var head = CSVRow()
    for name in ["kind", "host", "subject", "before", "after", "details", "accepted"] { head.add(name) }
    head.end(to: &bytes)
    for change in diff.changes {
      var row = CSVRow()
      row.addShown(change.kind.rawValue)
      for text in [change.host, change.subject, change.before, change.after, change.details, change.accepted] {
        row.addShown(text)
      }
      row.end(to: &bytes)
    }
    for (kind, hosts) in [("newHost", diff.newHosts), ("vanishedHost", diff.vanishedHosts)] {
      for (host, verdict) in hosts {
        var row = CSVRow()
        let (before, after) = kind == "newHost" ? (nil, verdict) : (verdict, nil)
        for text in [kind, host, "verdict", before, after, nil, nil] as [String?] { row.addShown(text) }
        row.end(to: &bytes)
      }
    }
    return bytes
  }
}
