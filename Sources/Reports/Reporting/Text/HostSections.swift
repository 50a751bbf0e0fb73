import ATSEvaluation
import ATSRules
import SessionModel
import SessionRecords
import Values

/// The hosts in brief: hosts with equal findings share a block, failing ones are sorted by severity, and nothing is repeated.
package struct HostSections {
  /// Whether frames have their file, because the report covers several files.
  let namesFiles: Bool

  let steps: NextSteps

  /// The names of the inputs as given, for commands.
  let inputs: [String]

  /// The other options of the run, for commands.
  let options: String

  /// Whether the chains of other sessions are assumed already.
  let takesCapturedChains: Bool

  /// The number of remarks that only `--details` lists.
  var hiddenRemarks = 0

  /// The hosts whose remarks are not in any block.
  var unremarked: [HostReport] = []

  /// The number of rows by rule and observation, and the host of the first.
  var observations: [String: (count: Int, host: String)] = [:]

  /// The requirements and notes that are written already.
  var given: Set<String> = []

  /// The remarks about hosts, by `key`, that are written already.
  var remarked: Set<[String?]> = []

  /// Whether the commands that collect chains are written already.
  var hasCollectingCommands = false

  /// The column at which verdicts begin.
  static let indent = 2

  /// The column at which the text after verdicts begins.
  static let textColumn = 11

  /// The maximum number of lines of a list of hosts; the rest is counted.
  static let maximumListLineCount = 2

  init(namesFiles: Bool, _ steps: NextSteps, run: RunRecord) {
    self.namesFiles = namesFiles
    self.steps = steps
    inputs = run.inputs
    options = ShellText.judgingOptions(of: run, without: steps.unusableFiles)
    takesCapturedChains = run.chains.contains(.captured)
  }

  /// Writes the sections of hosts, which are sorted by verdict.
  mutating func write(_ hosts: [HostReport], to writer: inout TextWriter) {
    writeFailing(hosts.filter { $0.verdict == .fail }, to: &writer)
    let exempt = hosts.filter { $0.verdict == .exempt }
    writeRejected(exempt.filter { !$0.systemRejections.isEmpty }, to: &writer)
    let unknown = hosts.filter { $0.verdict == .unknown }
    writeUnknown(unknown, to: &writer)
    writeExempt(exempt.filter(\.systemRejections.isEmpty), to: &writer)
    writeRelaxed(hosts.filter(\.isRelaxed), to: &writer)
    let passing = hosts.filter { $0.verdict == .pass && !$0.isRelaxed }
    writePassing(passing, to: &writer)
    unremarked += unknown + exempt + passing
  }

  // MARK: Lists of hosts

  /// Returns the host, without the default port of HTTPS unless it is required.
  static func name(of host: HostReport) -> String {
    let label = host.label
    return DisplayText.escaped(label.hasSuffix(":443") && !host.needsPort ? String(label.dropLast(4)) : label)
  }

  /// Returns names such as `api.example.com (4 sessions), cdn.example.com (2 of 6)`: with the number of sessions if there are several, or
  /// not all of the host's are counted. Only the first number has a noun.
  static func counted(_ hosts: [(host: HostReport, sessions: Int)]) -> [String] {
    var noun = " sessions"
    return hosts.map { host, sessions in
      guard sessions > 1 || sessions < host.sessions else { return name(of: host) }
      defer { noun = "" }
      let all = sessions < host.sessions ? " of \(Wording.grouped(host.sessions))" : ""
      return "\(name(of: host)) (\(Wording.grouped(sessions))\(all)\(noun))"
    }
  }

  /// Returns the number of hosts or other entries that are left out of a list, and the option that lists them.
  static func rest(_ number: Int) -> String { "… \(Wording.grouped(number)) more: --details" }

  /// Writes names separated by commas; the rest is counted.
  static func writeList(_ names: [String], lead: String = "", indent: Int, to writer: inout TextWriter) {
    let fields = names.enumerated().map { $0.offset + 1 < names.count ? $0.element + "," : $0.element }
    var column = max(writer.column, indent) + (lead.isEmpty ? -1 : TextWidth.of(lead))
    var (line, shown) = (1, 0)
    for (index, field) in fields.enumerated() {
      let width = TextWidth.of(field)
      if column + 1 + width > writer.width, column > indent {
        line += 1
        column = indent - 1
      }
      if line > maximumListLineCount { break }
      column += 1 + width
      let isWhole = index + 1 == fields.count
      let room = column + 1 + TextWidth.of(rest(names.count - index - 1))
      if isWhole || room <= writer.width || line < maximumListLineCount || shown == 0 { shown = index + 1 }
    }
    var pieces = fields.prefix(shown).map { (text: $0, style: TextStyle.unstyled) }
    if shown < fields.count { pieces.append((rest(names.count - shown), .dim)) }
    writer.writeFields((lead.isEmpty ? [] : [(lead, .unstyled)]) + pieces, indent: indent, gap: 1)
  }

  static func writeVerdict(_ verdict: Verdict, isRelaxed: Bool = false, to writer: inout TextWriter) {
    writer.tab(to: indent)
    writer.write(Wording.word(verdict, isRelaxed: isRelaxed), Wording.style(verdict))
  }

  // MARK: Exempt and passing hosts

  private func writeExempt(_ hosts: [HostReport], to writer: inout TextWriter) {
    if !hosts.isEmpty { writer.endLine() }
    for (reason, hosts) in hosts.grouped(by: \.exemption) { HostSections.writeExempt(hosts, reason, to: &writer) }
  }

  private static func writeExempt(_ hosts: [HostReport], _ reason: String, isRejected: Bool = false, to writer: inout TextWriter) {
    writeVerdict(.exempt, to: &writer)
    let names = counted(hosts.map { ($0, isRejected ? $0.verdicts.refused : $0.sessions) })
    writer.tab(to: textColumn)
    writer.write(names.count == 1 ? names[0] : Wording.count(names.count, "host{s}"), .bold)
    let plural = reason.replacing("for this host", with: "for these hosts").replacing("rejects it", with: "rejects them")
    writer.writeLine(names.count == 1 ? reason : plural, from: writer.column + 3, indent: textColumn)
    if names.count > 1 { writeList(names, indent: textColumn, to: &writer) }
  }

  /// Writes the hosts for which ATS is off but which the system rejects, with the reasons and the fixes.
  private mutating func writeRejected(_ hosts: [HostReport], to writer: inout TextWriter) {
    for (reason, hosts) in hosts.grouped(by: \.exemption) {
      writer.endLine()
      HostSections.writeExempt(hosts, reason + ", but the system rejects it", isRejected: true, to: &writer)
      let rejections = hosts.flatMap { host in host.systemRejections.map { (host: host, finding: $0.finding, error: $0.error) } }
      func named(_ text: String, _ some: [HostReport]) -> String { HostSections.named(text, some, of: hosts) }
      var rows: [TextRow] = []
      for (id, found) in rejections.grouped(by: \.finding.id) {
        rows.addEach(
          Wording.title(id),
          found.grouped { rejection($0.finding, of: $0.host) }.map { text, found in named(text, found.map(\.host)) }, style: .red)
      }
      let fixes = rejections.compactMap { rejection in rejection.host.fix(of: rejection.finding).map { ($0, rejection.host) } }
      let concerned = fixes.grouped { $0.0 }.map { (fix: $0.key, hosts: $0.elements.map { $0.1 }) }
      for (names, items) in concerned.grouped(by: { $0.hosts.map(HostSections.name).distinct() }) {
        let steps = Wording.steps(of: items.map(\.fix))
        rows.addEach("Fix", names.count == hosts.count ? steps : steps.map { named($0, items[0].hosts) }, style: .green)
      }
      for host in hosts where host.exceptions.contains(where: { !$0.exception.settings.isEmpty }) {
        rows.addEach("Exception", Wording.exceptions(of: host, Wording.shortException), style: .dim)
      }
      let errors = rejections.grouped { Wording.deviceError($0.error) }
      rows.addEach("Device error", errors.map { text, found in named(text, found.map(\.host)) })
      HostSections.write(rows, indent: HostSections.textColumn, to: &writer)
      for host in hosts {
        remarked.formUnion(host.remarks.filter { $0.label == "System" }.map { HostSections.key($0.text, host) })
      }
    }
  }

  /// Returns the identity of a remark about a host.
  static func key(_ remark: String, _ host: HostReport) -> [String?] { [host.process, host.label, remark] }

  /// Returns a text with the hosts to which it applies, if they are not all hosts of a block.
  static func named(_ text: String, _ some: [HostReport], of hosts: [HostReport]) -> String {
    let names = some.map(name).distinct()
    if hosts.count == 1 { return text }
    let more = names.count - maximumHosts
    return "\(text): \(names.prefix(maximumHosts).joined(separator: ", "))" + (more > 0 ? ", \(rest(more))" : "")
  }

  /// Returns the observation for which the system rejects a load, and what it requires, if that is the same for all hosts.
  private func rejection(_ finding: Finding, of host: HostReport) -> String {
    let requirement = finding.expected.map(DisplayText.escaped).flatMap { Wording.generalized($0, host: host) == $0 ? $0 : nil }
    return Wording.observed(finding) + (requirement.map { "; the system requires \($0)" } ?? "")
  }

  private func writePassing(_ hosts: [HostReport], to writer: inout TextWriter) {
    guard !hosts.isEmpty else { return }
    writer.endLine()
    HostSections.writeVerdict(.pass, to: &writer)
    HostSections.writeList(
      HostSections.counted(hosts.map { ($0, $0.sessions) }), lead: Wording.count(hosts.count, "host{s}") + ":",
      indent: HostSections.textColumn, to: &writer)
  }
}
