import ATSEvaluation
import SessionModel
import SessionRecords

/// The hosts in short: those with the same findings in one block, failing ones by severity, nothing twice.
struct HostSections {
  /// Whether frames are named with their file, because the report covers several.
  let namesFiles: Bool

  /// The inputs as they were named, for commands.
  let inputs: [String]

  /// Remarks and lines that only `--details` shows in full.
  var remarks = 0
  private(set) var shortenedLines = 0

  /// Requirements and fixes that an earlier line gave.
  var given: Set<String> = []

  static let indent = 2
  static let verdictWidth = 9
  static let labelWidth = 17

  /// How many hosts of a block are named; the others are counted.
  private static let hostLimit = 50
  private static let exceptionLimit = 8

  init(namesFiles: Bool, inputs: [String] = []) {
    self.namesFiles = namesFiles
    self.inputs = inputs
  }

  /// Writes the sections of hosts that come in the order of their verdicts.
  mutating func write(_ hosts: [HostReport], to writer: inout TextWriter) {
    let failing = hosts.filter { $0.verdict == .fail }
    write(HostSections.blocks(of: failing), to: &writer)
    writeExceptions(failing, to: &writer)
    writeUnknown(hosts.filter { $0.verdict == .unknown }, to: &writer)
    writeExempt(hosts.filter { $0.verdict == .exempt }, to: &writer)
    write(HostSections.blocks(of: hosts.filter(\.isRelaxed)), to: &writer)
    writePassing(hosts.filter { $0.verdict == .pass && !$0.isRelaxed }, to: &writer)
  }

  // MARK: Lists of hosts

  /// The host without the port of HTTPS.
  static func name(of host: HostReport) -> String {
    let label = host.label
    return DisplayText.escaped(label.hasSuffix(":443") ? String(label.dropLast(4)) : label)
  }

  /// Names with remarks in parentheses, of which a line takes as many as fit; beyond the limit they are counted.
  static func writeList(
    _ items: [(name: String, remarks: [String])], lead: String = "", limit: Int = hostLimit, indent: Int,
    to writer: inout TextWriter
  ) {
    var fields = items.prefix(limit).enumerated().map { index, item in
      let remarks = item.remarks.filter { !$0.isEmpty }
      let text = remarks.isEmpty ? item.name : "\(item.name) (\(remarks.joined(separator: ", ")))"
      return (text + (index + 1 < items.count ? "," : ""), TextStyle.plain)
    }
    if items.count > limit {
      fields.append(("and \(Wording.count(items.count - limit, "more host")): --details", .plain))
    }
    writer.writeFields((lead.isEmpty ? [] : [(lead, .plain)]) + fields, indent: indent, gap: 1)
  }

  static func writeList(
    _ label: String, _ items: [(name: String, remarks: [String])], to writer: inout TextWriter
  ) {
    let start = writer.writeLabel(label, .dim, indent: indent, labelWidth: labelWidth)
    writeList(items, indent: start, to: &writer)
  }

  static func writeVerdict(_ verdict: Verdict, isRelaxed: Bool = false, to writer: inout TextWriter) {
    writer.endLine()
    writer.write(HostBlock.word(verdict, isRelaxed: isRelaxed), HostBlock.style(verdict))
  }

  /// `4`, where a host has more than one session.
  static func times(_ sessions: Int) -> String { sessions > 1 ? Wording.grouped(sessions) : "" }

  // MARK: Failing and relaxed hosts

  /// Hosts with the same findings.
  private struct Block {
    let results: [RuleResult]
    var hosts: [HostReport]
    var remarks: Int
  }

  private static func blocks(of hosts: [HostReport]) -> [Block] {
    var blocks: [Block] = []
    var places: [[String?]: Int] = [:]
    for host in hosts {
      let results = host.ruleResults.filter { $0.isFailure || $0.finding.outcome == .relaxed }
      var key: [String?] = facts(of: host)
      for result in results {
        let finding = result.finding
        key += [
          finding.id, finding.outcome.rawValue, finding.observed, finding.expected, finding.fix,
          finding.relaxedBy.map(Wording.key),
        ]
      }
      let remarks = results.reduce(0) { $0 + $1.finding.notes.count }
      if let place = places[key] {
        blocks[place].hosts.append(host)
        blocks[place].remarks += remarks
      } else {
        places[key] = blocks.count
        blocks.append(Block(results: results, hosts: [host], remarks: remarks))
      }
    }
    return blocks
  }

  /// What the failing sessions negotiated, their score, what the app sees, and how much is open.
  private static func facts(of host: HostReport) -> [String] {
    guard let group = host.groups.first else { return [] }
    let content = group.judgement.content
    let open = content.findings.count { $0.required && $0.outcome == .unknown }
    return [
      HostBlock.protocolName(of: group),
      content.score.map { "score \($0)" + (content.grade.map { " \($0)" } ?? "") } ?? "",
      content.predictedError.map { "error \(Wording.shortError($0))" } ?? "",
      open > 0 ? "\(Wording.count(open, "rule")) undecided" : "",
    ]
  }

  private mutating func write(_ blocks: [Block], to writer: inout TextWriter) {
    for block in blocks {
      guard let host = block.hosts.first else { continue }
      let isSingle = block.hosts.count == 1
      let sessions = block.hosts.reduce(into: VerdictCounts()) { $0.add($1.verdicts) }
      HostSections.writeVerdict(host.verdict, isRelaxed: host.isRelaxed, to: &writer)
      let isMixed = sessions.fail != sessions.total && host.verdict == .fail
      var fields: [(text: String, style: TextStyle)] = [
        (isSingle ? HostSections.name(of: host) : Wording.count(block.hosts.count, "host"), .bold),
        (
          Wording.count(sessions.total, "session") + (isMixed ? ": " + HostBlock.tally(sessions) : ""), .plain
        ),
      ]
      // One field, which the place makes unlike that of other hosts.
      let facts =
        HostSections.facts(of: host) + [
          isSingle ? host.groups.first.map { "from \(place(of: $0))" } ?? "" : ""
        ]
      fields.append((facts.filter { !$0.isEmpty }.joined(separator: ", "), .plain))
      writer.writeFields(fields, indent: HostSections.verdictWidth)
      if !isSingle {
        let items = block.hosts.map { host in
          (
            HostSections.name(of: host),
            [HostSections.times(host.sessions), host.groups.first.map(place) ?? ""]
          )
        }
        HostSections.writeList("hosts", items, to: &writer)
      }
      // The frames of one host are not those of the others, whose first frames the list of hosts has.
      let notes = block.results.map { isSingle ? note(of: $0) : "" }
      let noteWidth = notes.map(TextWidth.of).max() ?? 0
      for (result, note) in zip(block.results, notes) {
        write(result, note: note, noteWidth: noteWidth, of: host, to: &writer)
      }
      remarks += block.remarks
    }
  }

  /// A rule in a line. What it requires and the fix stand below the first line that they belong to.
  private mutating func write(
    _ result: RuleResult, note: String, noteWidth: Int, of host: HostReport, to writer: inout TextWriter
  ) {
    let finding = result.finding
    var text = finding.observed ?? finding.outcome.rawValue
    let isRequirementNew = given.insert("\(finding.id) \(finding.expected ?? "")").inserted
    if isRequirementNew { text = Wording.comparison(finding) }
    text = DisplayText.escaped(text)
    if result.sessions < host.sessions { text = "in \(Wording.count(result.sessions, "session")): \(text)" }
    if let key = finding.relaxedBy {
      text += "; \(finding.outcome == .relaxed ? "allowed" : "required") by \(Wording.key(key))"
    }
    let fix = finding.outcome == .fail ? finding.fix : nil
    let isFixNew = fix.map { given.insert($0).inserted } ?? false
    let row = TextRow(
      label: finding.id, text: text, note: note, style: finding.outcome == .fail ? .red : .yellow)
    if isRequirementNew || isFixNew || finding.outcome == .relaxed {
      writer.writeRow(
        row, indent: HostSections.indent, labelWidth: HostSections.labelWidth, noteWidth: noteWidth)
    } else if !writer.writeLine(row, indent: HostSections.indent, labelWidth: HostSections.labelWidth) {
      shortenedLines += 1
    }
    guard isFixNew, let fix else { return }
    writer.writeRow(
      TextRow(label: "  fix", text: DisplayText.escaped(fix), style: .green), indent: HostSections.indent,
      labelWidth: HostSections.labelWidth)
  }

  private func note(of result: RuleResult) -> String {
    let frames = Wording.frames(result.finding, of: result.group)
    return frames.isEmpty ? "" : frames + Wording.inFile(of: result.group, namesFiles: namesFiles)
  }

  /// The first packet of a group's first session.
  private func place(of group: SessionGroup) -> String {
    Wording.frame(group.firstFrame, in: group.parts)
      + Wording.inFile(of: group, namesFiles: namesFiles)
  }

  /// The narrowest exceptions of failing hosts, those of the same settings together.
  private func writeExceptions(_ hosts: [HostReport], to writer: inout TextWriter) {
    var order: [String] = []
    var items: [String: [(name: String, remarks: [String])]] = [:]
    for host in hosts {
      guard let exception = host.groups.first?.judgement.content.narrowestException else { continue }
      let text = Wording.settings(of: exception)
      if items[text] == nil { order.append(text) }
      items[text, default: []].append((HostSections.name(of: host), []))
    }
    guard !order.isEmpty else { return }
    writer.endLine()
    for (index, text) in order.enumerated() {
      let start = writer.writeLabel(
        index == 0 ? "exceptions" : "", .dim, indent: 0,
        labelWidth: HostSections.indent + HostSections.labelWidth)
      HostSections.writeList(
        items[text] ?? [], lead: text + ":", limit: HostSections.exceptionLimit, indent: start, to: &writer)
    }
  }

  // MARK: Exempt and passing hosts

  private func writeExempt(_ hosts: [HostReport], to writer: inout TextWriter) {
    var order: [String] = []
    var byReason: [String: [HostReport]] = [:]
    for host in hosts {
      let reason =
        host.groups.first { $0.judgement.content.verdict == .exempt }?.judgement.content.exemption ?? ""
      if byReason[reason] == nil { order.append(reason) }
      byReason[reason, default: []].append(host)
    }
    for reason in order {
      let hosts = byReason[reason] ?? []
      HostSections.writeVerdict(.exempt, to: &writer)
      let text = DisplayText.escaped(reason)
      let items = hosts.map { (HostSections.name(of: $0), [HostSections.times($0.sessions)]) }
      if items.count == 1 {
        writer.tab(to: HostSections.verdictWidth)
        let host = items[0].0 + (items[0].1[0].isEmpty ? "" : " (\(items[0].1[0]))")
        writer.write(host, .bold)
        writer.tab(to: writer.column + 3)
        writer.writeWrapped(text, indent: HostSections.verdictWidth)
        writer.endLine()
      } else {
        writer.writeFields(
          [(Wording.count(hosts.count, "host"), .bold), (text, .plain)], indent: HostSections.verdictWidth)
        HostSections.writeList("hosts", items, to: &writer)
      }
    }
  }

  private func writePassing(_ hosts: [HostReport], to writer: inout TextWriter) {
    guard !hosts.isEmpty else { return }
    HostSections.writeVerdict(.pass, to: &writer)
    let items = hosts.map { host in
      let score = host.leastScore.map { "\($0.score)" + ($0.grade.map { " \($0)" } ?? "") } ?? ""
      return (
        HostSections.name(of: host),
        [score, host.sessions > 1 ? Wording.count(host.sessions, "session") : ""]
      )
    }
    HostSections.writeList(
      items, lead: Wording.count(hosts.count, "host") + ":", indent: HostSections.verdictWidth, to: &writer)
  }
}
