package import ATSEvaluation
import ATSRules
package import ByteParsing
package import Reporting
package import SessionModel
package import SessionRecords
import TLSParsing

/// A Markdown report for the summary page of a CI job: hosts in a table, the worst first, then failures and their reasons.
package struct MarkdownReport: SessionReport {
  private let judges: Bool
  private let shown: Set<GateVerdict>?
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")
  private var rows = 0

  /// The limits keep the page below one megabyte; further hosts and sessions are counted.
  static let maximumHosts = 500
  static let maximumDetails = 50
  static let maximumFixHosts = 10
  static let maximumSessions = 5000

  package var needsHosts: Bool { judges }

  package init(judges: Bool, shown: Set<GateVerdict>? = nil) {
    self.judges = judges
    self.shown = shown
  }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    self.run = run
    guard !judges else { return }
    var writer = MarkdownWriter()
    writer.heading(1, "atscope: sessions")
    writer.tableHead(["host", "protocol", "cipher suite", "group", "outcome", "frames", "file"])
    output.append(contentsOf: writer.output)
  }

  /// Appends the row of a session for commands that do not judge.
  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    guard !judges else { return }
    rows += 1
    guard rows <= MarkdownReport.maximumSessions else { return }
    var writer = MarkdownWriter()
    let serverHello = session.sharedTLS?.sharedServerHello
    writer.row([
      MarkdownWriter.code("\(session.host):\(session.hostPort)", inTable: true),
      session.sharedTLS == nil
        ? "cleartext HTTP" : serverHello.map { Wording.version($0.version) } ?? "no ServerHello observed",
      serverHello?.cipherSuite.map { MarkdownWriter.text(Wording.suite($0)) } ?? "",
      session.sharedTLS?.group.map { MarkdownWriter.text($0.text) } ?? "",
      session.ending.map { MarkdownWriter.text(Wording.ending($0)) } ?? "",
      "\(session.firstFrame)-\(session.lastFrame)", MarkdownWriter.code(session.file, inTable: true),
    ])
    output.append(contentsOf: writer.output)
  }

  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    var writer = MarkdownWriter()
    if let hosts, judges {
      let all = hosts.report()
      writer.heading(1, "atscope: " + Wording.tally(all, further: hosts.unlistedHosts, notShown: summary.notShown))
      writeAbout(summary, hosts: hosts.hostCount, to: &writer)
      let shown = all.filter { self.shown?.isHit(by: $0.verdicts) ?? true }
      writeFixList(all, run, NextSteps(summary, in: run), to: &writer)
      writeTable(shown, all.count - shown.count, hosts.unlistedText, to: &writer)
      writeDetails(shown, to: &writer)
    } else {
      writer.line()
      writer.rest(of: rows, beyond: MarkdownReport.maximumSessions, "further session{s}")
      writeAbout(summary, hosts: nil, to: &writer)
    }
    writeHealth(summary, to: &writer)
    output.append(contentsOf: writer.output)
  }

  // MARK: Parts

  private func writeAbout(_ summary: SummaryRecord, hosts: Int?, to writer: inout MarkdownWriter) {
    let inputs = Wording.inputs(of: summary)
    let total = hosts.map { Wording.total(of: summary, hosts: $0) }
    for input in inputs.prefix(TextReport.maximumListed) {
      let facts = Wording.facts(of: input, total: inputs.count == 1 ? total : nil, in: run)
      writer.item("\(MarkdownWriter.code(input.file)): \(MarkdownWriter.markup(facts))")
    }
    if inputs.count > TextReport.maximumListed {
      writer.item("and \(Wording.count(inputs.count - TextReport.maximumListed, "more input{s}"))")
    }
    if inputs.count != 1, let total { writer.item("total: \(total)") }
    if judges {
      for line in Wording.judging(run, summary) { writer.item(MarkdownWriter.markup(line)) }
    }
    writer.item("atscope \(run.toolVersion), policy version \(run.policyVersion)")
    writer.line()
  }

  private func writeFixList(_ hosts: [HostReport], _ run: RunRecord, _ steps: NextSteps, to writer: inout MarkdownWriter) {
    let list = FixList(hosts, of: run, steps)
    if list.fixes.isEmpty && list.settlements.isEmpty { return }
    writer.heading(2, "What to do first")
    for (lead, items) in [("", list.fixes), ("to settle: ", list.settlements)] {
      for item in items {
        let words = item.verdict == .exempt ? "rejected although ATS is off: " : lead
        let instruction = MarkdownWriter.markup(Wording.capitalized(item.steps.joined(separator: ". ")))
        let names = item.hosts.map { MarkdownWriter.code(hosts[$0].label) }
        writer.item("\(words)**\(instruction)**: \(Wording.joined(names, first: MarkdownReport.maximumFixHosts, "more host{s}"))")
      }
    }
    for command in list.commands { writer.item("command: \(MarkdownWriter.code(command))") }
    writer.line()
  }

  private func writeTable(_ hosts: [HostReport], _ hidden: Int, _ unlisted: String?, to writer: inout MarkdownWriter) {
    if !hosts.isEmpty {
      let hasRemarks = hosts.prefix(MarkdownReport.maximumHosts).contains { !$0.remarkPhrases.isEmpty }
      writer.tableHead(["verdict", "host", "sessions", "score", "failing rules"] + (hasRemarks ? ["remarks"] : []))
      for host in hosts.prefix(MarkdownReport.maximumHosts) {
        let score = host.lowestScore.map { "\($0.score)" + ($0.grade.map { " \($0)" } ?? "") } ?? ""
        writer.row(
          [
            "**\(Wording.word(host.verdict, isRelaxed: host.isRelaxed))**", MarkdownWriter.code(host.label, inTable: true),
            Wording.grouped(host.sessions), score, MarkdownWriter.text(host.failingRules.map(Wording.title).joined(separator: ", ")),
          ] + (hasRemarks ? [MarkdownWriter.markup(host.remarkPhrases.joined(separator: "; "))] : []))
      }
      writer.line()
    }
    writer.rest(of: hosts.count, beyond: MarkdownReport.maximumHosts, "further host{s}")
    if hidden > 0 { writer.paragraph("not shown: \(Wording.count(hidden, "host{s}")) without a failure") }
    if let unlisted { writer.paragraph("not listed: \(unlisted)") }
  }

  private func writeDetails(_ hosts: [HostReport], to writer: inout MarkdownWriter) {
    let failing = hosts.filter { $0.verdict == .fail }
    if failing.isEmpty { return }
    writer.heading(2, "What fails")
    for host in failing.prefix(MarkdownReport.maximumDetails) {
      writer.heading(3, MarkdownWriter.code(host.label))
      writer.tableHead(["rule", "observed", "required", "frames"])
      for result in host.ruleResults where result.isFailure {
        let observed = Wording.observed(result.finding) + (result.alike < host.sessions ? ", in \(result.count(in: host))" : "")
        writer.row([
          "\(MarkdownWriter.text(Wording.title(result.id))) (\(result.id))", MarkdownWriter.markup(observed),
          MarkdownWriter.text(result.finding.expected ?? ""), MarkdownWriter.text(Wording.frames(result.finding, of: result.group)),
        ])
      }
      writer.line()
      writeFixes(host, to: &writer)
    }
    writer.rest(of: failing.count, beyond: MarkdownReport.maximumDetails, "further failing host{s}")
  }

  private func writeFixes(_ host: HostReport, to writer: inout MarkdownWriter) {
    for error in host.predictedErrors {
      writer.item("device error: \(Wording.wholeError(error))")
    }
    let fixes = host.ruleResults.filter(\.isFailure).compactMap { host.fix(of: $0) }
    if !fixes.isEmpty { writer.item("fix: \(MarkdownWriter.text(Fix.merged(fixes).text))") }
    for exception in Wording.exceptions(of: host, Wording.exception) {
      writer.item("exception: \(MarkdownWriter.markup(exception))")
    }
    writer.line()
  }

  private func writeHealth(_ summary: SummaryRecord, to writer: inout MarkdownWriter) {
    let rows = Wording.health(of: summary)
    if rows.isEmpty { return }
    writer.heading(2, "Not read, and other notes")
    // The text is escaped for display already; escaping it twice would double its backslashes.
    for row in rows { writer.item("\(row.label): \(MarkdownWriter.markup(row.text))") }
    writer.line()
  }
}
