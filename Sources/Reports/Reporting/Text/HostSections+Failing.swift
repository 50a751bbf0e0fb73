import ATSEvaluation
import ATSRules
import SessionRecords
import Values

// The hosts with failing and relaxed rules, and the fixes.
extension HostSections {
  /// The column at which rows of failing hosts begin.
  private static let failingColumn = 9

  /// The width of the labels of these rows, before their texts.
  private static let labelWidth = 21

  /// The texts of fixes are long, so their column begins earlier.
  private static let fixLabelWidth = 13

  /// The maximum number of repetitions of a text; one that more blocks contain is written once after them.
  private static let maximumRepetitions = 2

  mutating func writeFailing(_ hosts: [HostReport], to writer: inout TextWriter) {
    let blocks = FindingBlock.blocks(of: hosts)
    let fixes = HostSections.repeated(blocks, \.fixes)
    let exceptions = HostSections.repeated(blocks, \.exceptions)
    let errors = HostSections.repeated(blocks, \.errors)
    for block in blocks {
      writer.endLine()
      HostSections.writeVerdict(.fail, to: &writer)
      writeHeading(of: block, indent: HostSections.failingColumn, to: &writer)
      HostSections.write(rows(of: block), indent: HostSections.failingColumn, to: &writer)
      var steps = Wording.steps(of: block.fixes.filter { fixes.numbers[$0] == nil })
      let others = Set(block.fixes.compactMap { fixes.numbers[$0] }).sorted().map { "Fix \($0)" }.joined(separator: ", ")
      if !others.isEmpty { steps = steps.dropLast() + [(steps.last.map { "\($0); see also " } ?? "See ") + "\(others) below"] }
      var ways: [TextRow] = []
      ways.addEach("Fix", steps, style: .green)
      ways.addEach("Exception", block.exceptions.filter { exceptions.numbers[$0] == nil }, style: .dim)
      ways.addEach("Device error", HostSections.lines(of: block.errors.filter { errors.numbers[$0] == nil }, in: block), style: .dim)
      writer.writeRows(ways, indent: HostSections.failingColumn, labelWidth: HostSections.fixLabelWidth)
    }
    var common: [TextRow] = []
    for (number, row) in fixes.rows.enumerated() {
      common.addEach("Fix \(number + 1)", ["For \(row.hosts)"] + Wording.steps(of: row.items))
    }
    common.addEach("Exceptions", exceptions.rows.map { "\($0.items.joined(separator: "; ")): \($0.hosts)" })
    common.addEach("Device errors", errors.rows.map { "\($0.items.joined(separator: "; ")): \($0.hosts)" })
    guard !common.isEmpty else { return }
    writer.endLine()
    writer.writeRows(common, indent: HostSections.indent, labelWidth: HostSections.fixLabelWidth)
  }

  mutating func writeRelaxed(_ hosts: [HostReport], to writer: inout TextWriter) {
    for block in FindingBlock.blocks(of: hosts) {
      writer.endLine()
      HostSections.writeVerdict(.pass, isRelaxed: true, to: &writer)
      writer.tab(to: writer.column + 1)
      writeHeading(of: block, indent: HostSections.textColumn, to: &writer)
      HostSections.write(rows(of: block), indent: HostSections.textColumn, to: &writer)
    }
  }

  /// Returns errors, with the hosts to which each applies if a block has several.
  private static func lines(of errors: [String], in block: FindingBlock) -> [String] {
    guard block.errors.count > 1 else { return errors }
    let hosts = block.members.map(\.host)
    return errors.map { error in named(error, hosts.filter { FindingBlock.errors(of: $0).contains(error) }, of: hosts) }
  }

  /// Returns the items that many blocks contain in rows with their hosts, and the number of each item's row, from 1.
  private static func repeated<Item: Hashable>(
    _ blocks: [FindingBlock], _ items: KeyPath<FindingBlock, [Item]>
  ) -> (numbers: [Item: Int], rows: [(hosts: String, items: [Item])]) {
    let uses = blocks.flatMap { block -> [(item: Item, block: FindingBlock)] in
      block[keyPath: items].map { ($0, block) }
    }
    let repeated = uses.grouped(by: \.item).filter { $0.elements.count > maximumRepetitions }
    // Hosts that share several items are listed once.
    let rows = repeated.grouped { hosts(of: $0.elements.map(\.block)) }.map { (hosts: $0.key, items: $0.elements.map(\.key)) }
    var numbers: [Item: Int] = [:]
    for (index, row) in rows.enumerated() {
      for item in row.items { numbers[item] = index + 1 }
    }
    return (numbers, rows)
  }

  private static func hosts(of blocks: [FindingBlock]) -> String {
    let names = blocks.flatMap(\.members).map { name(of: $0.host) }
    let rest = names.count > maximumHosts ? ", … \(Wording.grouped(names.count - maximumHosts)) more" : ""
    return names.prefix(maximumHosts).joined(separator: ", ") + rest
  }

  /// The maximum number of hosts listed for a block.
  static let maximumHosts = 20

  static func write(_ rows: [TextRow], indent: Int, to writer: inout TextWriter) {
    writer.writeRows(rows, indent: indent, labelWidth: labelWidth, maximum: labelWidth + 4)
  }

  private mutating func writeHeading(of block: FindingBlock, indent: Int, to writer: inout TextWriter) {
    let hosts = block.members.map(\.host)
    let sessions = hosts.reduce(into: VerdictCounts()) { $0.add($1.verdicts) }
    let isMixed = sessions.fail > 0 && sessions.fail != sessions.total
    var fields: [(text: String, style: TextStyle)] = [
      (hosts.count == 1 ? HostSections.name(of: hosts[0]) : Wording.count(hosts.count, "host{s}"), .bold),
      (Wording.count(sessions.total, "session{s}") + (isMixed ? ": " + Wording.tally(sessions) : ""), .unstyled),
    ]
    let start = indent + HostSections.labelWidth + 2
    var column = max(start, indent + TextWidth.of(fields[0].text) + 3) + TextWidth.of(fields[1].text)
    // Facts that do not fit are in the details.
    for fact in block.facts where !fact.isEmpty {
      column += 3 + TextWidth.of(fact)
      if column <= writer.width { fields.append((fact, .unstyled)) }
    }
    writer.writeFields(fields, indent: indent, secondColumn: start)
    hiddenRemarks += block.remarks
    if hosts.count > 1 { unremarked += hosts }
  }

  // MARK: The rows of a block

  private mutating func rows(of block: FindingBlock) -> [TextRow] {
    guard let first = block.members.first else { return [] }
    var rows: [TextRow] = []
    var areHostsNamed = block.members.count == 1
    for index in first.results.indices {
      let texts = block.members.map { Wording.observed($0.results[index].finding) }
      if block.members.count == 1 {
        let text = texts[0] + sessions(of: first.results[index], first.host)
        rows.append(row(first.results[index], text, of: first.host, note: note(of: first.results[index])))
      } else if texts.allSatisfy({ $0 == texts[0] }), block.members.allSatisfy({ HostSections.isWhole($0.results[index], $0.host) }) {
        let differs = block.members.contains { $0.results[index].finding.expected != first.results[index].finding.expected }
        rows.append(row(first.results[index], texts[0], of: first.host, isGeneral: differs))
      } else {
        rows.append(row(first.results[index], "", of: first.host, isGeneral: true))
        rows += hostRows(of: block, index, texts)
        areHostsNamed = true
      }
    }
    if !areHostsNamed { rows.insert(hostsRow(of: block), at: 0) }
    if block.members.count == 1 {
      rows += first.host.remarks.map { TextRow(label: $0.label, text: $0.phraseBesideLabel, style: .dim) }
    }
    if let (text, ways) = block.undecided {
      let settling = !ways.isEmpty && given.insert(ways).inserted ? "; to settle: \(ways)" : ""
      rows.add("Undecided", text + settling, style: .dim)
    }
    return rows
  }

  /// Returns a row for a rule; only the first row of a rule contains the requirement.
  private mutating func row(
    _ result: RuleResult, _ observed: String, of host: HostReport, isGeneral: Bool = false, note: String = ""
  ) -> TextRow {
    let finding = result.finding
    let key = "\(finding.id)\n\(observed)"
    var known = observations[key] ?? (0, HostSections.name(of: host))
    known.count += 1
    observations[key] = known
    let reference = "as for \(known.host)"
    let isRepeated = known.count > HostSections.maximumRepetitions && TextWidth.of(reference) < TextWidth.of(observed)
    var parts = [isRepeated ? reference : observed]
    if finding.outcome != .relaxed, let expected = finding.expected.map(DisplayText.escaped) {
      let text = isGeneral ? Wording.generalized(expected, host: host) : expected
      if given.insert("\(finding.id) \(text)").inserted { parts.append("requires \(text)") }
    }
    if let decision = Wording.decision(on: finding, of: result.group) { parts.append(decision) }
    return TextRow(
      label: Wording.title(finding.id), text: parts.filter { !$0.isEmpty }.joined(separator: "; "),
      note: note, style: finding.outcome == .fail ? .red : .yellow)
  }

  /// Returns `, in 1 of 3 sessions`, for example, with the number of sessions in which the rule has the same outcome, but the
  /// observation or the client's offer differs; empty if all sessions are alike.
  private func sessions(of result: RuleResult, _ host: HostReport) -> String {
    guard result.alike < host.sessions else { return "" }
    let others = Wording.count(result.sessions - result.alike, result.isFailure ? "more also {fails|fail}" : "more {is|are} also allowed")
    let rest = result.alike == result.sessions ? "" : " (\(others): --details)"
    return ", in \(Wording.count(result.alike, of: host.sessions, "session{s}"))" + rest
  }

  /// Whether a result is that of all failing sessions of its host, or of all if none fails: the row of hosts contains their number.
  private static func isWhole(_ result: RuleResult, _ host: HostReport) -> Bool {
    result.alike == (host.verdicts.fail > 0 ? host.verdicts.fail : host.sessions)
  }

  /// Returns a row for each host, for hosts with different observations or numbers of sessions.
  private func hostRows(of block: FindingBlock, _ index: Int, _ observed: [String]) -> [TextRow] {
    var rows = zip(block.members, observed).prefix(HostSections.maximumHosts).map { member, text in
      TextRow(
        label: "  " + HostSections.name(of: member.host),
        text: text + sessions(of: member.results[index], member.host), note: note(of: member.results[index]))
    }
    if block.members.count > rows.count {
      rows.add("", HostSections.rest(block.members.count - rows.count))
    }
    return rows
  }

  private func hostsRow(of block: FindingBlock) -> TextRow {
    var names = block.members.prefix(HostSections.maximumHosts).map { member in
      let (all, failing) = (member.host.sessions, member.host.verdicts.fail)
      let count = failing > 0 && failing < all ? "\(Wording.grouped(failing)) of " : ""
      let sessions = all > 1 ? "\(count)\(Wording.count(all, "session{s}")), " : ""
      return "\(HostSections.name(of: member.host)) (\(sessions)\(location(of: member.host)))"
    }
    if block.members.count > names.count {
      names.append(HostSections.rest(block.members.count - names.count))
    }
    return TextRow(label: "Hosts", text: names.joined(separator: ", "))
  }

  private func note(of result: RuleResult) -> String {
    let frames = Wording.frames(result.finding, of: result.group)
    return frames.isEmpty ? "" : frames + Wording.inFile(of: result.group, namesFiles: namesFiles)
  }

  /// Returns the first packet of the host's first failing session.
  private func location(of host: HostReport) -> String {
    guard let group = host.groups.first else { return "" }
    return Wording.frame(group.firstFrame, in: group.parts) + Wording.inFile(of: group, namesFiles: namesFiles)
  }
}
