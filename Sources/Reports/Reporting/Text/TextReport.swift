import ATSEvaluation
public import ByteParsing
public import SessionRecords
import Values

/// The report for people on a terminal: a header, the counts by verdict, the hosts with the worst first, and what was not read.
public struct TextReport {
  private let run: RunRecord
  private let summary: SummaryRecord
  private let hosts: [HostReport]

  /// Hosts that are not listed, by verdict, their sessions, and what is said of them.
  private let unlisted: (hosts: VerdictCounts, sessions: VerdictCounts, text: String?)

  /// Whether frames are named with their file, because there are several.
  private let namesFiles: Bool

  /// How many inputs and silent servers are named one by one; of more, the number is told.
  static let listLimit = 8

  /// Takes what a run found.
  public init(run: RunRecord, hosts: HostCollector, summary: SummaryRecord) {
    self.run = run
    self.summary = summary
    self.hosts = hosts.report()
    let further = hosts.unlistedHosts
    // Where all hosts are told apart, those that are not listed count with the others.
    unlisted = (further, further.total > 0 ? hosts.unlisted : VerdictCounts(), hosts.unlistedText)
    namesFiles = Set(self.hosts.flatMap { $0.groups.map(\.file) }).count > 1
  }

  /// The report as UTF-8, ending with a line feed.
  public func rendered(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    var sections = HostSections(namesFiles: namesFiles, inputs: run.inputs)
    writeHeader(&writer)
    writer.endLine()
    writeCounts(&writer)
    switch (options.detail, options.grouping) {
    case (.quiet, _), (_, .session): break
    case (_, .host): write(shown(options), &sections, to: &writer)
    case (_, .process): writeProcesses(&sections, to: &writer)
    }
    writeFooter(sections, to: &writer)
    return writer.output
  }

  private var hostCount: Int { hosts.count + unlisted.hosts.total }

  private func shown(_ options: TextOptions) -> [HostReport] {
    options.onlyFailures ? hosts.filter { $0.verdict == .fail } : hosts
  }

  private func write(_ hosts: [HostReport], _ sections: inout HostSections, to writer: inout TextWriter) {
    guard writer.options.detail == .full else { return sections.write(hosts, to: &writer) }
    for host in hosts {
      writer.endLine()
      HostBlock(host: host, namesFiles: namesFiles).write(to: &writer)
    }
  }

  /// The hosts of each process; processes come in the order of their worst host.
  private func writeProcesses(_ sections: inout HostSections, to writer: inout TextWriter) {
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
      let verdicts = hosts.reduce(into: VerdictCounts()) { $0.add($1.verdicts) }
      writer.writeFields(
        [
          (name, .bold), (Wording.tally(hosts, notShown: 0), .plain),
          (HostBlock.tally(verdicts, noun: "session"), .plain),
        ], indent: 0)
      write(hosts, &sections, to: &writer)
    }
  }

  // MARK: The counts

  /// `43 hosts   FAIL 3   UNKNOWN 36   EXEMPT 1   PASS 3`; the same of sessions where there are more.
  private func writeCounts(_ writer: inout TextWriter) {
    if hosts.isEmpty {
      writer.writeFields([(SummaryRecord.absence(notShown: summary.notShown), .bold)], indent: 0)
      return
    }
    var (byHost, bySession) = (unlisted.hosts, unlisted.sessions)
    for host in hosts {
      byHost.add(host.verdict, isRelaxed: host.isRelaxed)
      bySession.add(host.verdicts)
    }
    let lines =
      byHost.total == bySession.total ? [(byHost, "host")] : [(byHost, "host"), (bySession, "session")]
    let width = lines.map { Wording.count($0.0.total, $0.1).utf8.count }.max() ?? 0
    for (counts, noun) in lines {
      writer.write(Wording.count(counts.total, noun), .bold)
      var fields: [(text: String, style: TextStyle)] = []
      for (verdict, count) in [
        (Verdict.fail, counts.fail), (.unknown, counts.unknown), (.exempt, counts.exempt),
        (.pass, counts.pass),
      ] where count > 0 {
        let relaxed =
          verdict == .pass && counts.relaxed > 0 ? " (\(Wording.grouped(counts.relaxed)) relaxed)" : ""
        fields.append(
          ("\(verdict.rawValue.uppercased()) \(Wording.grouped(count))\(relaxed)", HostBlock.style(verdict)))
      }
      writer.writeFields(fields, indent: width + 4)
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
          text: Wording.facts(of: input, hosts: inputs.count == 1 ? hostCount : nil), style: .bold))
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
          text: "\(Wording.count(summary.sessions, "session")) with \(Wording.count(hostCount, "host"))"))
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

  private func writeFooter(_ sections: HostSections, to writer: inout TextWriter) {
    let options = writer.options
    var rows = HostOverview(hosts: hosts).rows(
      isBrief: options.detail == .brief && options.grouping != .session)
    if options.detail == .brief, options.grouping != .session { rows += HostOverview(hosts: hosts).remarks }
    rows += footerRows(options)
    if options.detail == .brief, options.grouping != .session, !hosts.isEmpty {
      rows.append(TextRow(label: "folded", text: folded(sections), style: .dim))
    }
    if !rows.isEmpty { writer.endLine() }
    for row in rows { writer.writeRow(row, indent: 0, labelWidth: 15) }
  }

  /// What the option for details shows besides.
  private func folded(_ sections: HostSections) -> String {
    var parts: [String] = []
    if sections.remarks > 0 { parts.append(Wording.count(sections.remarks, "remark")) }
    if sections.shortenedLines > 0 {
      parts.append(Wording.count(sections.shortenedLines, "line") + " ending in …")
    }
    return (parts + ["--details shows every finding of every host"]).joined(separator: "; ")
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
    let ungrouped = hosts.reduce(into: VerdictCounts()) { $0.add($1.ungrouped) }
    if ungrouped.total > 0 {
      let text =
        HostBlock.tally(ungrouped, noun: "session") + "; of their findings only the verdict is kept"
      rows.append(TextRow(label: "not grouped", text: text, style: .yellow))
    }
    if let text = unlisted.text {
      rows.append(TextRow(label: "not listed", text: text, style: .yellow))
    }
    let health = summary.inputs.flatMap(\.health)
    rows += TextReport.row("not read", health.filter { $0.meaning == .notRead }, .yellow)
    rows += TextReport.row("also noted", health.filter { $0.meaning == .remark }, .dim)
    rows += TextReport.row("limits reached", summary.inputs.flatMap(\.limits) + summary.limits, .yellow)
    if let silent = Wording.silent(summary.withoutHandshake, limit: TextReport.listLimit) {
      rows.append(TextRow(label: "no handshake", text: silent, style: .dim))
    }
    let faulty = summary.inputs.filter { $0.error != nil }
    for kind in ["cut off", "damaged", "cannot be used"] {
      let faults = faulty.filter { Wording.kind(of: $0.error) == kind }.compactMap(Wording.fault)
      rows += RepeatedMessages.grouped(faults).map { TextRow(label: kind, text: $0, style: .red) }
    }
    return rows
  }

  /// One row of counts; nothing where there are none.
  private static func row(_ label: String, _ counts: [NamedCount], _ style: TextStyle) -> [TextRow] {
    Wording.counts(counts).map { [TextRow(label: label, text: $0, style: style)] } ?? []
  }
}
