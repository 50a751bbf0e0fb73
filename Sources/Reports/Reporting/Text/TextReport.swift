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

  /// How many inputs and silent servers are named one by one; of more, the number is told.
  private static let listLimit = 8

  /// Takes what a run found.
  public init(run: RunRecord, hosts: HostCollector, summary: SummaryRecord) {
    self.run = run
    self.summary = summary
    self.hosts = hosts.report()
    unlisted = hosts.unlisted
  }

  /// The report as UTF-8, ending with a line feed.
  public func rendered(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    writeHeader(&writer)
    let namesFiles = Set(hosts.flatMap { $0.groups.map(\.file) }).count > 1
    for host in hosts where !options.onlyFailures || host.verdict == .fail {
      writer.endLine()
      HostBlock(host: host, namesFiles: namesFiles).write(to: &writer)
    }
    writer.endLine()
    writeFooter(&writer)
    return writer.output
  }

  // MARK: The header

  private func writeHeader(_ writer: inout TextWriter) {
    var rows: [TextRow] = []
    let inputs = summary.inputs.filter { $0.packets > 0 || $0.sessions > 0 || $0.error != nil }
    for input in inputs.prefix(TextReport.listLimit) {
      rows.append(
        TextRow(
          label: DisplayText.escaped(input.file), text: facts(of: input, isOnly: inputs.count == 1),
          style: .bold))
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
    rows.append(TextRow(label: "policy", text: policyText, style: .dim))
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

  private func facts(of input: InputSummary, isOnly: Bool) -> String {
    var parts: [String] = []
    if input.packets > 0 || input.kind == "capture" { parts.append(Wording.count(input.packets, "packet")) }
    let with = isOnly ? " with \(Wording.count(hosts.count, "host"))" : ""
    parts.append(Wording.count(input.sessions, "session") + with)
    if let first = input.firstTime, let last = input.lastTime { parts.append(Wording.span(first, last)) }
    return parts.joined(separator: ", ")
  }

  /// `ATS defaults, iOS 26.5, loads by the app`.
  private var policyText: String {
    var parts: [String] = []
    if run.infoPlists.isEmpty {
      parts.append("ATS defaults")
    } else {
      let files = run.infoPlists.map { source in
        DisplayText.escaped(source.file) + (source.appliesTo.map { " for \(DisplayText.escaped($0))" } ?? "")
      }
      parts.append(files.joined(separator: " and "))
    }
    if let release = run.releaseName { parts.append(release) }
    for setting in run.options + run.assumptions where setting.name == "context" {
      switch setting.value {
      case .text("web"): parts.append("loads by web views")
      case .text("media"): parts.append("loads by AVFoundation")
      default: parts.append("loads by the app")
      }
    }
    return parts.joined(separator: ", ")
  }

  // MARK: The end

  private func writeFooter(_ writer: inout TextWriter) {
    var byHost = VerdictCounts()
    for host in hosts { byHost.add(host.verdict, isRelaxed: host.isRelaxed) }
    let verdicts = hosts.isEmpty ? "no sessions were found" : HostBlock.tally(byHost, noun: "host")
    writer.writeFields([(verdicts, .bold)], indent: 0)
    for row in footerRows(writer.options) {
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
    if !summary.withoutHandshake.isEmpty { rows.append(silentRow) }
    for input in summary.inputs {
      guard let error = input.error else { continue }
      // Of saved sessions the text says the line.
      let offset = input.kind == "sessions" ? nil : error.offset
      let place = offset.map { " at byte \(Wording.grouped($0))" } ?? ""
      let text = "\(DisplayText.escaped(input.file))\(place): \(DisplayText.escaped(error.text))"
      rows.append(TextRow(label: error.isCutOff ? "cut off" : "damaged", text: text, style: .red))
    }
    return rows
  }

  private var silentRow: TextRow {
    let servers = summary.withoutHandshake
    let connections = servers.reduce(UInt64(0)) { $0 &+ $1.connections }
    var names = servers.prefix(TextReport.listLimit).map {
      "\($0.server) (\(Wording.grouped($0.connections)))"
    }
    if servers.count > TextReport.listLimit {
      names.append("and \(Wording.count(servers.count - TextReport.listLimit, "more server"))")
    }
    return TextRow(
      label: "no handshake",
      text: "\(Wording.count(connections, "connection")) without one: \(names.joined(separator: ", "))",
      style: .dim)
  }

  /// One row of counts, those of one name added up; nothing where there are none.
  private static func row(_ label: String, _ counts: [NamedCount], _ style: TextStyle) -> [TextRow] {
    var sums: [NamedCount] = []
    for item in counts where item.count > 0 {
      if let index = sums.firstIndex(where: { $0.name == item.name }) {
        sums[index].count &+= item.count
      } else {
        sums.append(item)
      }
    }
    if sums.isEmpty { return [] }
    let text = sums.map { "\(Wording.grouped($0.count)) \(DisplayText.escaped($0.text))" }.joined(
      separator: ", ")
    return [TextRow(label: label, text: text, style: style)]
  }
}
