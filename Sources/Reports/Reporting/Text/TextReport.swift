import ATSEvaluation
package import ByteParsing
package import SessionRecords
import Values

/// The text report for a terminal: the inputs and the policy, the numbers of hosts by verdict, the hosts with the worst first, and what
/// was not read.
package struct TextReport {
  private let run: RunRecord
  private let summary: SummaryRecord
  private let hosts: [HostReport]

  /// The hosts that are not listed by verdict, their sessions by verdict, and the words for them.
  private let unlisted: (hosts: VerdictCounts, sessions: VerdictCounts, text: String?)

  /// Whether frames have their file, because the report covers several files.
  private let namesFiles: Bool

  /// The maximum number of inputs and silent servers listed; further ones are counted.
  package static let maximumListed = 8

  package init(run: RunRecord, hosts: HostCollector, summary: SummaryRecord) {
    self.run = run
    self.summary = summary
    self.hosts = hosts.report()
    let further = hosts.unlistedHosts
    // Without a separate count of hosts that are not listed, `unlistedText` alone reports their sessions.
    unlisted = (further, further.total > 0 ? hosts.unlisted : VerdictCounts(), hosts.unlistedText)
    namesFiles = Set(self.hosts.flatMap { $0.groups.map(\.file) }).count > 1
  }

  /// Returns the report as UTF-8 with a line feed at the end; nothing if no input could be read.
  package func rendered(_ options: TextOptions) -> Bytes {
    if summary.isUnread { return Bytes() }
    var writer = TextWriter(options)
    var sections = HostSections(namesFiles: namesFiles, NextSteps(summary, in: run), run: run)
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
    hosts.filter { options.shown?.isHit(by: $0.verdicts) ?? true }
  }

  private func write(_ hosts: [HostReport], _ sections: inout HostSections, to writer: inout TextWriter) {
    guard writer.options.detail == .full else { return sections.write(hosts, to: &writer) }
    for host in hosts {
      writer.endLine()
      HostBlock(host: host, namesFiles: namesFiles, steps: sections.steps).write(to: &writer)
    }
    sections.writeCollectingCommands(for: hosts, to: &writer)
  }

  /// Writes the hosts of each process; processes are in the order of their worst host.
  private func writeProcesses(_ sections: inout HostSections, to writer: inout TextWriter) {
    for (process, hosts) in shown(writer.options).grouped(by: \.process) {
      writer.endLine()
      let name = process.map(DisplayText.escaped) ?? "process not known"
      let verdicts = hosts.reduce(into: VerdictCounts()) { $0.add($1.verdicts) }
      writer.writeFields(
        [
          (name, .bold), (Wording.tally(hosts, notShown: 0), .unstyled),
          (Wording.tally(verdicts, noun: "session{s}"), .unstyled),
        ], indent: 0)
      write(hosts, &sections, to: &writer)
    }
  }

  // MARK: The counts

  /// Writes `43 hosts:    FAIL 3    UNKNOWN 36    EXEMPT 1    PASS 3`, and in detailed reports also the sessions if their counts differ.
  private func writeCounts(_ writer: inout TextWriter) {
    if hosts.isEmpty {
      writer.writeFields([(SummaryRecord.absence(notShown: summary.notShown), .bold)], indent: 0)
      return
    }
    var (byHost, bySession) = (unlisted.hosts, unlisted.sessions)
    for host in hosts {
      byHost.addWorst(of: host.verdicts)
      bySession.add(host.verdicts)
    }
    let hasPorts = Set(hosts.map(\.text)).count < Set(hosts.map(\.label)).count
    let rejected = hosts.filter { $0.verdict == .exempt && !$0.systemRejections.isEmpty }
    TextReport.write(byHost, "host{s}", hasPorts ? " (each port counts separately)" : "", rejected: rejected, to: &writer)
    if writer.options.detail != .brief, byHost != bySession { TextReport.write(bySession, "session{s}", to: &writer) }
  }

  private static func write(
    _ counts: VerdictCounts, _ noun: String, _ remark: String = "", rejected: [HostReport] = [], to writer: inout TextWriter
  ) {
    let verdicts: [(Verdict, Int)] = [
      (.fail, counts.fail), (.unknown, counts.unknown), (.exempt, counts.exempt), (.pass, counts.pass),
    ]
    let fields = verdicts.filter { $0.1 > 0 }.map { verdict, count in
      var note = verdict == .pass && counts.relaxed > 0 ? " (\(Wording.grouped(counts.relaxed)) relaxed)" : ""
      if verdict == .exempt, !rejected.isEmpty {
        let surely = rejected.count(where: \.isSurelyRejected)
        let parts = [(surely, surely.form(of: "do{es|}")), (rejected.count - surely, "may")].filter { $0.0 > 0 }
        note = " (" + parts.map { "\(Wording.grouped($0.0)) \($0.1) not load" }.joined(separator: ", ") + ")"
      }
      return (
        text: "\(verdict.rawValue.uppercased()) \(Wording.grouped(count))\(note)",
        style: Wording.style(verdict)
      )
    }
    let lead = (text: "\(Wording.count(counts.total, noun))\(remark):", style: TextStyle.unstyled)
    writer.writeFields([lead] + fields, indent: 0, gap: 4)
  }

  // MARK: The header

  /// A row of the header: a label, a text, and further texts in a separate column if there is room.
  private struct HeaderRow {
    var label: String
    var text: String
    var rest: [String] = []
  }

  private func writeHeader(_ writer: inout TextWriter) {
    let rows = headerRows
    // A long file name has a separate line.
    let labels = rows.map { TextWidth.of($0.label) }.filter { $0 <= 24 }
    let start = (labels.max() ?? 0) + 4
    let widths = rows.filter { !$0.rest.isEmpty }.map { TextWidth.of($0.text) }
    let second = start + (widths.max() ?? 0) + 4
    for row in rows {
      writer.write(row.label, row.label == run.inputs.first ? .bold : .unstyled)
      if writer.column > start - 2 { writer.endLine() }
      writer.tab(to: start)
      writer.writeWrapped(row.text, indent: start)
      let isWrapped = start + TextWidth.of(row.text) > writer.width
      for (index, piece) in row.rest.enumerated() {
        let width = TextWidth.of(piece)
        let isAligned = index == 0 && writer.column <= second - 4 && second + width <= writer.width
        let column = isAligned ? second : writer.column + 4
        if column + width <= writer.width, index > 0 || !isWrapped {
          writer.tab(to: column)
        } else {
          writer.endLine()
          writer.tab(to: start)
        }
        writer.writeWrapped(piece, indent: start)
      }
      writer.endLine()
    }
  }

  private var headerRows: [HeaderRow] {
    let inputs = Wording.inputs(of: summary)
    let total = Wording.total(of: summary, hosts: hostCount)
    var rows = inputs.prefix(TextReport.maximumListed).map { input in
      HeaderRow(
        label: DisplayText.escaped(input.file), text: Wording.counts(of: input, total: inputs.count == 1 ? total : nil),
        rest: Wording.origin(of: input, in: run))
    }
    if inputs.count > TextReport.maximumListed {
      let others = inputs.dropFirst(TextReport.maximumListed)
      let packets = others.map(\.packets).clampedSum
      rows.append(
        HeaderRow(
          label: Wording.count(others.count, "more input{s}"),
          text: "\(Wording.count(packets, "packet{s}")), "
            + Wording.count(others.map(\.sessions).clampedSum, "session{s}")))
    }
    if inputs.count != 1 {
      rows.append(HeaderRow(label: "Total", text: total))
    }
    rows.append(
      HeaderRow(
        label: "Judged as", text: Wording.policy(of: run, summary), rest: [Wording.roots(of: run)].compactMap { $0 }))
    rows += Wording.notes(on: summary, in: run).map { HeaderRow(label: "Note", text: $0) }
    rows += Wording.unusable(in: summary).compactMap(Wording.fault).map { HeaderRow(label: "Unusable", text: $0) }
    rows.append(HeaderRow(label: "Judged with", text: Wording.assumptions(of: run, summary).joined(separator: "; ")))
    return rows
  }

  // MARK: The end

  private func writeFooter(_ sections: HostSections, to writer: inout TextWriter) {
    let options = writer.options
    let isBrief = options.detail == .brief && options.grouping != .session
    let overview = HostOverview(hosts: hosts, unlisted: unlisted.hosts)
    writer.endLine()
    if !hosts.isEmpty {
      let failing = hosts.count { $0.verdict == .fail } + unlisted.hosts.fail
      for sentence in overview.sentences(failing: failing, release: Wording.ageNote(of: summary, in: run) == nil ? nil : run.releaseName) {
        writer.writeLine(sentence, indent: 2)
      }
    }
    let rows = (isBrief ? HostOverview.remarks(of: sections.unremarked, without: sections.remarked) : []) + footerRows(options)
    writer.writeRows(rows, indent: 0)
    guard isBrief, !hosts.isEmpty else { return }
    let remarks = sections.hiddenRemarks
    let more = remarks > 0 ? " and \(Wording.count(remarks, "more note{s}"))" : ""
    let verdict = hosts[0].verdict.rawValue.uppercased()
    let explain =
      "Explained by: \([overview.commonestRule, verdict].compactMap { $0 }.map { "atscope explain \($0)" }.joined(separator: "; "))"
    for line in ["--details shows every finding\(more).", explain] {
      writer.writeLine(line, indent: 2, style: .dim)
    }
  }

  /// The hosts with exempt, refused or relaxed sessions, if these give exit status 1, which no other part of the text shows.
  private func gateRow(_ gate: Set<GateVerdict>) -> [TextRow] {
    let atLeast = unlisted.hosts.total > 0 ? "at least " : ""
    let parts = [GateVerdict.exempt, .refused, .relaxed].filter(gate.contains).compactMap { verdict -> String? in
      let hit = hosts.map { (host: $0, sessions: verdict.count(in: $0.verdicts)) }.filter { $0.sessions > 0 }
      let more = hit.count - TextReport.maximumListed
      let names = HostSections.counted(Array(hit.prefix(TextReport.maximumListed))).joined(separator: ", ")
      return hit.isEmpty ? nil : "\(verdict.rawValue): \(names)" + (more > 0 ? " and \(atLeast)\(Wording.grouped(more)) more" : "")
    }
    return parts.isEmpty ? [] : [TextRow(label: "--fail-on", text: parts.joined(separator: "; "), style: .yellow)]
  }

  private func footerRows(_ options: TextOptions) -> [TextRow] {
    var rows = gateRow(options.gate)
    let others = hosts.count - shown(options).count
    rows.add("Not shown", others > 0 ? Wording.count(others, "host{s}") + " without a failure" : nil)
    rows.add("Not chosen", summary.notShown > 0 ? Wording.count(summary.notShown, "session{s}") : nil)
    let ungrouped = hosts.reduce(into: VerdictCounts()) { $0.add($1.ungrouped) }
    if ungrouped.total > 0 {
      let text =
        "\(Wording.tally(ungrouped, noun: "session{s}")); only \(ungrouped.total.form(of: "{its verdict is|their verdicts are}")) kept"
      rows.add("Not grouped", text, style: .yellow)
    }
    rows.add("Not listed", unlisted.text, style: .yellow)
    let health = summary.inputs.flatMap(\.health)
    rows.add("Not read", Wording.counts(health.filter { $0.meaning == .notRead }), style: .yellow)
    let noted = health.filter {
      $0.meaning == .remark && (options.detail != .brief || !TextReport.hiddenCounts.contains($0.name))
    }
    rows.add("Also noted", Wording.counts(noted), style: .dim)
    rows.add("Limits reached", Wording.counts(summary.inputs.flatMap(\.limits) + summary.limits), style: .yellow)
    rows.add("Not judged", Wording.silent(summary.withoutHandshake), style: .dim)
    let faulty = Wording.inputs(of: summary).filter { $0.error != nil }
    for kind in ["truncated", "incomplete", "damaged", "unusable"] {
      let inputs = faulty.filter { Wording.kind(of: $0.error) == kind }
      let faults = inputs.compactMap(Wording.fault)
      for text in RepeatedMessages.grouped(faults) { rows.add(Wording.capitalized(kind), text, style: .red) }
      if inputs.contains(where: { $0.kind == .capture }) { rows.add("", TextReport.consequences[kind], style: .dim) }
    }
    return rows
  }

  /// What the faults of captures mean for the report, by kind.
  private static let consequences = [
    "truncated": "What follows is missing, so the last sessions may be incomplete.",
    "damaged": "What follows the damage may be missing: copy or record the file again.",
  ]

  /// The names of counts that only details contain.
  private static let hiddenCounts: Set = [
    "handshakeSecrets", "secretsRepeated", "applicationSecrets", "otherSecrets", "quicDatagrams",
  ]
}
