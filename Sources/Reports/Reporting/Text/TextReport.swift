import ATSEvaluation
public import ByteParsing
public import SessionRecords
import Values

/// The report for people on a terminal: a header, a block for each host with the worst first, and what was not read.
public struct TextReport {
  private let run: RunRecord
  private let summary: SummaryRecord
  private let hosts: [HostReport]
  private let unlisted: VerdictCounts

  /// Whether frames are named with their file, because there are several.
  private let namesFiles: Bool

  /// How many inputs and silent servers are named one by one; of more, the number is told.
  static let listLimit = 8

  /// Takes what a run found.
  public init(run: RunRecord, hosts: HostCollector, summary: SummaryRecord) {
    self.run = run
    self.summary = summary
    self.hosts = hosts.report()
    unlisted = hosts.unlisted
    namesFiles = Set(self.hosts.flatMap { $0.groups.map(\.file) }).count > 1
  }

  /// The report as UTF-8, ending with a line feed.
  public func rendered(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    writeHeader(&writer)
    switch options.grouping {
    case .host: for host in shown(options) { write(host, to: &writer) }
    case .session: break
    case .process: writeProcesses(&writer)
    }
    writer.endLine()
    writeFooter(&writer)
    return writer.output
  }

  private func shown(_ options: TextOptions) -> [HostReport] {
    options.onlyFailures ? hosts.filter { $0.verdict == .fail } : hosts
  }

  private func write(_ host: HostReport, to writer: inout TextWriter) {
    writer.endLine()
    HostBlock(host: host, namesFiles: namesFiles).write(to: &writer)
  }

  /// The hosts of each process; processes come in the order of their worst host.
  private func writeProcesses(_ writer: inout TextWriter) {
    var order: [String?] = []
    var byProcess: [String?: [HostReport]] = [:]
    for host in shown(writer.options) {
      if byProcess[host.process] == nil { order.append(host.process) }
      byProcess[host.process, default: []].append(host)
    }
    for process in order {
      let hosts = byProcess[process] ?? []
      writer.endLine()
      let name = process.map(DisplayText.escaped) ?? "process not known"
      var verdicts = VerdictCounts()
      for host in hosts { verdicts.add(host.verdicts) }
      writer.writeFields(
        [
          (name, .bold), (Wording.tally(hosts, notShown: 0), .plain),
          (HostBlock.tally(verdicts, noun: "session"), .plain),
        ], indent: 0)
      for host in hosts { write(host, to: &writer) }
    }
  }

  // MARK: The header

  private func writeHeader(_ writer: inout TextWriter) {
    var rows: [TextRow] = []
    let inputs = summary.inputs.filter { $0.packets > 0 || $0.sessions > 0 || $0.error != nil }
    for input in inputs.prefix(TextReport.listLimit) {
      rows.append(
        TextRow(
          label: DisplayText.escaped(input.file),
          text: Wording.facts(of: input, hosts: inputs.count == 1 ? hosts.count : nil), style: .bold))
    }
    if inputs.count > TextReport.listLimit {
      let rest = inputs.dropFirst(TextReport.listLimit)
      let packets = rest.reduce(UInt64(0)) { $0 &+ $1.packets }
      rows.append(
        TextRow(
          label: "and \(Wording.count(rest.count, "more input"))",
          text: "\(Wording.count(packets, "packet")), "
            + Wording.count(rest.reduce(UInt64(0)) { $0 &+ $1.sessions }, "session")))
    }
    if inputs.count != 1 {
      rows.append(
        TextRow(
          label: "in all",
          text: "\(Wording.count(summary.sessions, "session")) with \(Wording.count(hosts.count, "host"))"))
    }
    rows.append(TextRow(label: "policy", text: Wording.policy(of: run), style: .dim))
    rows.append(TextRow(label: "based on", text: Wording.basis(of: run).joined(separator: "; "), style: .dim))
    // A long file name takes a line of its own, so that it does not push the columns aside.
    let labelWidth = rows.map { TextWidth.of($0.label) }.filter { $0 <= 24 }.max() ?? 0
    for row in rows {
      if TextWidth.of(row.label) > labelWidth {
        writer.write(row.label, row.style)
        writer.endLine()
        writer.tab(to: labelWidth + 2)
        writer.writeWrapped(row.text, indent: labelWidth + 2)
        writer.endLine()
      } else {
        writer.writeRow(row, indent: 0, labelWidth: labelWidth)
      }
    }
  }

  // MARK: The end

  private func writeFooter(_ writer: inout TextWriter) {
    let verdicts = Wording.tally(hosts, notShown: summary.notShown)
    writer.writeFields([(verdicts, .bold)], indent: 0)
    let overview = HostOverview(hosts: hosts, sessions: summary.sessions)
    for row in overview.rows + footerRows(writer.options) {
      writer.writeRow(row, indent: 0, labelWidth: 14)
    }
  }

  private func footerRows(_ options: TextOptions) -> [TextRow] {
    var rows: [TextRow] = []
    if options.onlyFailures {
      let others = hosts.count { $0.verdict != .fail }
      if others > 0 {
        rows.append(TextRow(label: "not shown", text: Wording.count(others, "host") + " without a failure"))
      }
    }
    if summary.notShown > 0 {
      rows.append(TextRow(label: "not chosen", text: Wording.count(summary.notShown, "session")))
    }
    if unlisted.total > 0 {
      let text = HostBlock.tally(unlisted, noun: "session") + " with further hosts"
      rows.append(TextRow(label: "not listed", text: text, style: .yellow))
    }
    let health = summary.inputs.flatMap(\.health)
    rows += TextReport.row("not read", health.filter { $0.meaning == .notRead }, .yellow)
    rows += TextReport.row("also noted", health.filter { $0.meaning == .remark }, .dim)
    rows += TextReport.row("limits reached", summary.inputs.flatMap(\.limits) + summary.limits, .yellow)
    if let silent = Wording.silent(summary.withoutHandshake, limit: TextReport.listLimit) {
      rows.append(TextRow(label: "no handshake", text: silent, style: .dim))
    }
    for input in summary.inputs {
      guard let text = Wording.fault(of: input) else { continue }
      rows.append(
        TextRow(label: Wording.kind(of: input.error), text: text, style: .red))
    }
    return rows
  }

  /// One row of counts; nothing where there are none.
  private static func row(_ label: String, _ counts: [NamedCount], _ style: TextStyle) -> [TextRow] {
    Wording.counts(counts).map { [TextRow(label: label, text: $0, style: style)] } ?? []
  }
}
