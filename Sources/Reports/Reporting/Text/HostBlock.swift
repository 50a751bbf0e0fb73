package import ATSEvaluation
import ATSRules
import SessionModel
import SessionRecords
import TLSParsing

/// All findings of one host or one session, with the rules' identifiers.
package struct HostBlock {
  let host: HostReport

  /// Whether frames have their file, because the report covers several files.
  let namesFiles: Bool

  /// The frames and the start of the only session; nil for a block of a host.
  var location: String?

  private static let indent = 2
  private static let verdictWidth = 9
  private static let labelWidth = 17

  func write(to writer: inout TextWriter) {
    let single = host.groups.count == 1 && host.ungrouped.total == 0 ? host.groups.first : nil
    writer.write(HostBlock.word(host.verdict, isRelaxed: host.isRelaxed), HostBlock.style(host.verdict))
    var fields: [(text: String, style: TextStyle)] = [
      (DisplayText.escaped(host.label), .bold),
      (location == nil ? Wording.count(host.sessions, "session") : "", .unstyled),
    ]
    if let single {
      fields += HostBlock.facts(of: single)
    } else {
      fields.append((host.summary, .unstyled))
    }
    writer.writeFields(fields, indent: HostBlock.verdictWidth)
    if !host.proxies.isEmpty {
      let row = TextRow(label: "Proxy", text: host.proxies.joined(separator: ", "), style: .dim)
      writer.writeRow(row, indent: HostBlock.indent, labelWidth: HostBlock.labelWidth)
    }
    if let single {
      writeRows(of: single, indent: HostBlock.indent, to: &writer)
      return
    }
    for group in host.groups {
      writer.tab(to: HostBlock.indent)
      let verdict = group.judgement.verdict
      writer.write(
        HostBlock.word(verdict, isRelaxed: group.judgement.isRelaxed).lowercased(), HostBlock.style(verdict))
      let count = Wording.count(group.sessions, "session")
      writer.writeFields(
        [(count, .unstyled)] + HostBlock.facts(of: group), indent: HostBlock.verdictWidth + 2)
      writeRows(of: group, indent: HostBlock.indent + 2, to: &writer)
    }
    if host.ungrouped.total > 0 {
      let rest = HostBlock.tally(host.ungrouped, noun: "further session")
      writer.writeFields([(rest, .unstyled)], indent: HostBlock.indent)
    }
  }

  // MARK: The heading

  package static func word(_ verdict: Verdict, isRelaxed: Bool) -> String {
    isRelaxed && verdict == .pass ? "PASS (relaxed)" : verdict.rawValue.uppercased()
  }

  package static func style(_ verdict: Verdict) -> TextStyle {
    switch verdict {
    case .fail: .red
    case .unknown: .yellow
    case .exempt: .cyan
    case .pass: .green
    }
  }

  /// Returns `2 fail, 1 unknown, 7 pass (3 relaxed)`; with a noun `2 hosts fail, 1 unknown, 7 pass (3 relaxed)`.
  static func tally(_ counts: VerdictCounts, noun: String? = nil) -> String {
    var parts: [String] = []
    func add(_ count: Int, _ singular: String, _ plural: String) {
      guard count > 0 else { return }
      var number = Wording.grouped(count)
      if parts.isEmpty, let noun { number = Wording.count(count, noun) }
      parts.append("\(number) \(count == 1 ? singular : plural)")
    }
    add(counts.fail, "fails", "fail")
    add(counts.unknown, "unknown", "unknown")
    add(counts.exempt, "exempt", "exempt")
    add(counts.pass, "passes", "pass")
    let text = parts.joined(separator: ", ")
    return counts.relaxed > 0 ? text + " (\(Wording.grouped(counts.relaxed)) relaxed)" : text
  }

  /// Returns `TLS 1.3 over QUIC` or `cleartext HTTP`, for example.
  package static func protocolName(of group: SessionGroup) -> String {
    if group.application == .http { return "cleartext HTTP" }
    guard let version = group.version else { return "no ServerHello observed" }
    return Wording.version(version) + (group.transport == .quic ? " over QUIC" : "")
  }

  private static func facts(of group: SessionGroup) -> [(text: String, style: TextStyle)] {
    var fields: [(text: String, style: TextStyle)] = []
    fields.append((protocolName(of: group), .unstyled))
    if group.application != .http {
      if let suite = group.cipherSuite { fields.append((Wording.suite(suite), .unstyled)) }
      if let exchange = group.group { fields.append((exchange.text, .unstyled)) }
    }
    fields.append((Wording.score(group.judgement), .unstyled))
    return fields
  }

  // MARK: The rows

  private func writeRows(of group: SessionGroup, indent: Int, to writer: inout TextWriter) {
    let rows = rows(of: group)
    let labelWidth = max(HostBlock.labelWidth, rows.map { TextWidth.of($0.label) }.max() ?? 0)
    let noteWidth = rows.map { TextWidth.of($0.note) }.max() ?? 0
    for row in rows {
      writer.writeRow(row, indent: indent, labelWidth: labelWidth, noteWidth: noteWidth)
    }
  }

  private func rows(of group: SessionGroup) -> [TextRow] {
    let judgement = group.judgement
    let findings = judgement.findings
    var rows: [TextRow] = []
    if let exemption = judgement.exemption {
      rows.append(TextRow(label: "Exempt", text: DisplayText.escaped(exemption), style: .dim))
    }
    if let ending = group.ending, ending.isFailure {
      let frames = Wording.frames([.outcome], of: group.evidence, in: group.parts)
      rows.append(TextRow(label: "Handshake", text: Wording.ending(ending), note: frames, style: .yellow))
    }
    // An exempt session also lists the rules that would fail if ATS applied.
    let failures = findings.indices(of: .fail)
    let failing = failures.filter { index in
      !findings[index].isAdvisory && (findings[index].isRequired || judgement.verdict == .exempt)
    }
    for index in failing + findings.indices(of: .relaxed) {
      rows += self.rows(of: findings[index], in: group)
    }
    rows += undecidedRows(of: judgement)
    if let error = judgement.predictedError {
      let text = Wording.wholeError(error, isLimitedByOffer: judgement.isLimitedByOffer)
      rows.append(TextRow(label: "Device error", text: text, style: .dim))
    }
    rows += fixRows(of: failing, group, judgement)
    let advice = failures.map { findings[$0].id }.filter(RuleCatalogue.isAdvisory)
    if !advice.isEmpty {
      rows.append(TextRow(label: "Advice", text: Wording.rules(advice), style: .dim))
    }
    if let subject = group.clientSubject {
      rows.append(TextRow(label: "Client certificate", text: DisplayText.escaped(subject)))
    }
    if let phrase = Wording.assumption(group.assumed, from: group.file) {
      rows.append(TextRow(label: Wording.assumptionLabel(group.assumption), text: phrase))
    }
    for capture in judgement.otherCaptures {
      rows.append(TextRow(label: "Other capture", text: "certificates from \(DisplayText.escaped(capture))"))
    }
    if let location {
      rows.append(TextRow(label: "Session", text: location, style: .dim))
    } else if !rows.isEmpty, group.sessions > 1 || namesFiles {
      rows.append(TextRow(label: "First session", text: firstSeen(group), style: .dim))
    }
    return rows
  }

  /// Returns a row for a failing or relaxed rule, followed by rows for its remarks.
  private func rows(of finding: Finding, in group: SessionGroup) -> [TextRow] {
    let isFailing = finding.isFailure
    var text = DisplayText.escaped(Wording.comparison(finding))
    if !finding.isRequired, finding.outcome == .fail { text += " (not required here)" }
    var rows = [
      TextRow(
        label: finding.id, text: text, note: Wording.frames(finding, of: group),
        style: isFailing ? .red : .yellow)
    ]
    if let key = finding.decidingKey {
      let word = finding.outcome == .relaxed ? "allowed by" : "required by"
      rows.append(TextRow(label: "", text: "\(word) \(Wording.key(key))"))
    }
    rows += finding.notes.map { TextRow(label: "", text: DisplayText.escaped($0)) }
    return rows
  }

  /// Returns rows for the undecided required rules; rules with the same reason and the same inputs that settle them share a row.
  private func undecidedRows(of judgement: Shared<Judgement>) -> [TextRow] {
    let findings = judgement.findings
    var open = findings.indices.filter { findings[$0].isUndecided }
    guard !open.isEmpty else { return [] }
    guard judgement.verdict == .unknown else {
      // Another rule determines the verdict, so undecided rules require no reasons.
      let ids = open.map { findings[$0].id }
      return [TextRow(label: "Undecided", text: Wording.rules(ids), style: .dim)]
    }
    var rows: [TextRow] = []
    while let first = open.first {
      let (missing, ways, dependsOnHost) = (findings[first].missing, findings[first].settledBy, findings[first].dependsOnHost)
      func isAlike(_ index: Int) -> Bool {
        findings[index].missing == missing && findings[index].settledBy == ways && findings[index].dependsOnHost == dependsOnHost
      }
      let alike = open.filter(isAlike)
      let rules = Wording.rules(alike.map { findings[$0].id })
      var texts = [Wording.reason(of: findings[first])]
      let observed = dependsOnHost ? alike.map { findings[$0].observed.map(DisplayText.escaped) } : []
      for case let text? in observed where !texts.contains(text) {
        texts.append(text)
      }
      rows.append(TextRow(label: "Undecided", text: "\(rules): \(texts.joined(separator: "; "))", style: .yellow))
      var notes: [String] = []
      for index in alike {
        for note in findings[index].notes where !notes.contains(note) { notes.append(note) }
      }
      rows += notes.map { TextRow(label: "", text: DisplayText.escaped($0)) }
      if !ways.isEmpty {
        rows.append(TextRow(label: "To settle", text: Wording.ways(ways), style: .dim))
      }
      open.removeAll(where: isAlike)
    }
    return rows
  }

  private func fixRows(of failures: [Int], _ group: SessionGroup, _ judgement: Shared<Judgement>) -> [TextRow] {
    var rows: [TextRow] = []
    var fixes: [String] = []
    for case let fix? in failures.map({ host.fix(of: judgement.findings[$0]) }) where !fixes.contains(fix) {
      fixes.append(fix)
    }
    if !fixes.isEmpty {
      let text = fixes.map(DisplayText.escaped).joined(separator: "; ")
      rows.append(TextRow(label: "Fix", text: text, style: .dim))
    }
    if let exception = judgement.narrowestException, !host.needsOnlyURL(group) {
      rows.append(TextRow(label: "Exception", text: Wording.exception(exception, of: judgement), style: .dim))
    }
    return rows
  }

  private func firstSeen(_ group: SessionGroup) -> String {
    var text = Wording.frame(group.firstFrame, in: group.parts)
    if namesFiles, group.parts.isEmpty { text += " of \(DisplayText.escaped(group.file))" }
    if group.sessions > 1 { text += ", and \(Wording.count(group.sessions - 1, "more session"))" }
    return text
  }
}
