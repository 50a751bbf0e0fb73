import ATSEvaluation
import ATSRules
import SessionModel
import SessionRecords
import TLSParsing
import Values

/// All findings of one host or one session, with the rules' identifiers.
package struct HostBlock {
  let host: HostReport

  /// Whether frames have their file, because the report covers several files.
  let namesFiles: Bool

  let steps: NextSteps

  /// The frames and the start of the only session; nil for a block of a host.
  var location: String?

  private static let indent = 2
  private static let verdictWidth = 9
  private static let labelWidth = 17

  func write(to writer: inout TextWriter) {
    let single = host.groups.count == 1 && host.ungrouped.total == 0 ? host.groups.first : nil
    writer.write(Wording.word(host.verdict, isRelaxed: host.isRelaxed), Wording.style(host.verdict))
    var fields: [(text: String, style: TextStyle)] = [
      (DisplayText.escaped(host.label), .bold),
      (location == nil ? Wording.count(host.sessions, "session{s}") : "", .unstyled),
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
      writer.writeRows(rows(of: single), indent: HostBlock.indent, labelWidth: HostBlock.labelWidth)
      return
    }
    for group in host.groups {
      writer.tab(to: HostBlock.indent)
      let verdict = group.judgement.verdict
      writer.write(Wording.word(verdict, isRelaxed: group.judgement.isRelaxed).lowercased(), Wording.style(verdict))
      let count = Wording.count(group.sessions, "session{s}")
      writer.writeFields([(count, .unstyled)] + HostBlock.facts(of: group), indent: HostBlock.verdictWidth + 2)
      writer.writeRows(rows(of: group), indent: HostBlock.indent + 2, labelWidth: HostBlock.labelWidth)
    }
    if host.ungrouped.total > 0 {
      let rest = Wording.tally(host.ungrouped, noun: "further session{s}")
      writer.writeFields([(rest, .unstyled)], indent: HostBlock.indent)
    }
  }

  // MARK: The heading

  private static func facts(of group: SessionGroup) -> [(text: String, style: TextStyle)] {
    var fields: [(text: String, style: TextStyle)] = []
    fields.append((Wording.protocolName(of: group), .unstyled))
    if group.application != .http {
      if let suite = group.cipherSuite { fields.append((Wording.suite(suite), .unstyled)) }
      if let exchange = group.group { fields.append((exchange.text, .unstyled)) }
    }
    fields.append((Wording.score(group.judgement), .unstyled))
    return fields
  }

  // MARK: The rows

  private func rows(of group: SessionGroup) -> [TextRow] {
    let judgement = group.judgement
    let findings = judgement.findings
    var rows: [TextRow] = []
    rows.add("Exempt", judgement.exemption.map(DisplayText.escaped), style: .dim)
    if let ending = group.ending, ending.isFailure {
      let frames = Wording.frames([.outcome], of: group.evidence, in: group.parts)
      rows.add("Handshake", host.phrase(of: ending), note: frames, style: .yellow)
    }
    // An exempt session also lists the rules that would fail if ATS applied.
    let failures = findings.indices(of: .fail)
    let failing = failures.filter { index in
      !findings[index].isAdvisory && (findings[index].isRequired || judgement.verdict == .exempt)
    }
    for index in failing + findings.indices(of: .relaxed) {
      rows += self.rows(of: findings[index], in: group)
    }
    rows += undecidedRows(of: judgement, group)
    rows.add("Device error", judgement.predictedError.map(Wording.wholeError), style: .dim)
    rows += fixRows(of: failing, group, judgement)
    let advice = failures.map { findings[$0].id }.filter(RuleCatalogue.isAdvisory)
    rows.add("Advice", Wording.rules(advice), style: .dim)
    if let subject = group.clientSubject {
      rows.append(TextRow(label: "Client certificate", text: DisplayText.escaped(subject)))
    }
    rows.add(Wording.assumptionLabel(group.assumption), Wording.assumption(group.assumed, from: group.file, sessions: group.sessions))
    for capture in judgement.otherCaptures {
      rows.add("Other capture", "the verdict uses certificates from \(DisplayText.escaped(capture))")
    }
    if let location {
      rows.add("Session", location, style: .dim)
    } else if !rows.isEmpty, group.sessions > 1 || namesFiles {
      rows.add("First session", firstSeen(group), style: .dim)
    }
    return rows
  }

  /// Returns a row for a failing or relaxed rule, followed by rows for its remarks.
  private func rows(of finding: Finding, in group: SessionGroup) -> [TextRow] {
    var text = DisplayText.escaped(Wording.comparison(finding))
    if !finding.isRequired, finding.outcome == .fail {
      text += group.isRejected(for: finding) ? " (a rule of the system itself; ATS is off)" : " (not required here)"
    }
    var rows = [
      TextRow(
        label: finding.id, text: text, note: Wording.frames(finding, of: group),
        style: finding.isFailure ? .red : .yellow)
    ]
    rows.add("", Wording.decision(on: finding, of: group))
    for note in finding.notes { rows.add("", DisplayText.escaped(note)) }
    return rows
  }

  /// Returns rows for the undecided required rules; rules with the same reason and the same inputs that settle them share a row.
  private func undecidedRows(of judgement: Shared<Judgement>, _ group: SessionGroup) -> [TextRow] {
    let findings = judgement.findings
    var open = findings.indices.filter { findings[$0].isUndecided }
    guard !open.isEmpty else { return [] }
    var rows: [TextRow] = []
    while let first = open.first {
      let (missing, ways, dependsOnHost) = (findings[first].missing, findings[first].settledBy, findings[first].dependsOnHost)
      func isAlike(_ index: Int) -> Bool {
        findings[index].missing == missing && findings[index].settledBy == ways && findings[index].dependsOnHost == dependsOnHost
      }
      let alike = open.filter(isAlike)
      let rules = Wording.rules(alike.map { findings[$0].id })
      let observed = dependsOnHost ? alike.compactMap { findings[$0].observed.map(DisplayText.escaped) } : []
      let texts = ([Wording.reason(of: findings[first])] + observed).distinct()
      rows.add("Undecided", "\(rules): \(texts.joined(separator: "; "))", style: judgement.verdict == .unknown ? .yellow : .dim)
      for note in alike.flatMap({ findings[$0].notes }).distinct() { rows.add("", DisplayText.escaped(note)) }
      if group.newRecording == nil { rows.add("To settle", Wording.ways(steps.possible(ways)), style: .dim) }
      open.removeAll(where: isAlike)
    }
    rows.add("To settle", group.newRecording, style: .dim)
    return rows
  }

  private func fixRows(of failures: [Int], _ group: SessionGroup, _ judgement: Shared<Judgement>) -> [TextRow] {
    var rows: [TextRow] = []
    let fixes = failures.compactMap { host.fix(of: judgement.findings[$0]) }
    rows.addEach("Fix", Wording.steps(of: fixes), style: .dim)
    if let exception = judgement.narrowestException, !host.needsOnlyURL(group) {
      rows.add("Exception", Wording.exception(exception, of: judgement), style: .dim)
    }
    return rows
  }

  private func firstSeen(_ group: SessionGroup) -> String {
    var text = Wording.frame(group.firstFrame, in: group.parts)
    if namesFiles, group.parts.isEmpty { text += " of \(DisplayText.escaped(group.file))" }
    if group.sessions > 1 { text += ", and \(Wording.count(group.sessions - 1, "more session{s}"))" }
    return text
  }
}
