import ATSEvaluation
import ATSRules
package import ByteParsing
package import Reporting
import SessionModel
package import SessionRecords
import Values

/// A SARIF 2.1.0 report: a result for each rule that fails or is relaxed, for each group of like sessions; with `--strict` also for each
/// undecided required rule. What else gives exit status 1, exempt and relaxed sessions, is a warning, and so is a rule for which the system
/// rejects a load although ATS is off.
///
/// A result is located in the capture, at the packets of its evidence, or in the Info.plist, at the line of the key that allows it.
package struct SARIFReport: SessionReport {
  private let judges: Bool
  private let shown: Set<GateVerdict>?
  private let listsUnknown: Bool
  private let gate: Set<GateVerdict>
  private let settings: SettingLines?
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")
  private var steps = NextSteps()

  /// True for an audit: the results are those of hosts.
  package var needsHosts: Bool { judges }

  /// True: the report is written at the end.
  package let waitsForEnd = true

  /// Creates a report; `gate` contains the verdicts that give exit status 1, `settings` the lines of the Info.plist if there is one.
  package init(
    judges: Bool, shown: Set<GateVerdict>? = nil, listsUnknown: Bool = false, gate: Set<GateVerdict> = [.fail],
    settings: SettingLines? = nil
  ) {
    self.judges = judges
    self.shown = shown
    self.listsUnknown = listsUnknown
    self.gate = gate
    self.settings = settings
  }

  /// Stores the run, which the log contains at its end.
  package mutating func begin(_ run: RunRecord, to output: inout Bytes) { self.run = run }

  /// Appends the log; `flush` is called after each host and may remove the output written so far.
  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    steps = NextSteps(summary, in: run)
    let reports = hosts?.report() ?? []
    var log = SARIFLog(version: run.toolVersion, policyVersion: run.policyVersion, command: run.command)
    log.addArtifacts(summary.inputs, settings)
    if summary.shortfall != nil { log.isSuccessful = false }
    log.notes = SARIFReport.notes(on: summary, unlisted: hosts?.unlistedText)
    for note in Wording.notes(on: summary, in: run) { log.notes.append(SARIFLog.Note(level: "note", text: note)) }
    let unknown = reports.count { $0.verdict == .unknown } + (hosts?.unlistedHosts.unknown ?? 0)
    if unknown > 0, !listsUnknown {
      let text = "not listed: \(Wording.count(unknown, "unknown host{s}")); --strict or --fail-on unknown lists the rules that are unknown"
      log.notes.append(SARIFLog.Note(level: "note", text: text))
    }
    log.write(to: &output, rules: rules.write) { json in
      for host in reports {
        for group in host.groups {
          if gate.contains(.exempt), let reason = group.judgement.exemption {
            json.objects([reason], onLines: true) { writeExemption($1, of: group, host, to: &$0) }
          }
          let findings = group.judgement.findings.filter { isReported($0, of: group) }
          json.objects(findings, onLines: true) { write($1, of: group, host, to: &$0) }
        }
        json.flush(flush)
      }
      json.newLine()
    } properties: { json in
      json.number("sessions", summary.sessions)
      if let verdicts = summary.verdicts { json.object("verdicts", verdicts) }
      json.object("run", run)
    }
  }

  private func isReported(_ finding: Finding, of group: SessionGroup) -> Bool {
    switch finding.outcome {
    case .fail:
      guard let shown else { return true }
      return finding.isRequired || shown.contains(.refused) && group.isRejected(for: finding)
    case .relaxed: return shown?.contains(.relaxed) ?? true
    case .unknown: return listsUnknown && finding.isRequired
    case .pass, .notApplicable: return false
    }
  }

  // MARK: Results

  /// The subject of results for exempt sessions.
  private static let exempt = SARIFRules.Subject(id: GateVerdict.exempt.rawValue, title: "ATS does not govern the sessions of a host.")

  private var rules: SARIFRules { SARIFRules(subjects: gate.contains(.exempt) ? [SARIFReport.exempt] : []) }

  private func writeExemption(_ reason: String, of group: SessionGroup, _ host: HostReport, to json: inout JSONObject) {
    json.rule(SARIFReport.exempt.id, of: rules)
    json.kind("fail", level: "warning")
    json.message("message", DisplayText.escaped("\(host.label): exempt: \(reason)"))
    json.locations(setting: nil, capture: group.file, frames: nil, of: group.parts)
    writeIdentity(SARIFReport.exempt.id, of: group, host, to: &json) { _ in }
  }

  private func write(_ finding: Finding, of group: SessionGroup, _ host: HostReport, to json: inout JSONObject) {
    json.rule(finding.id, of: rules)
    // An undecided rule is not a failure: SARIF calls it open, without a level.
    switch finding.outcome {
    case .fail: json.kind("fail", level: finding.isRequired ? "error" : group.isRejected(for: finding) ? "warning" : "note")
    case .relaxed where gate.contains(.relaxed) && group.judgement.isRelaxed: json.kind("fail", level: "warning")
    case .relaxed: json.kind("review", level: "none")
    default: json.kind("open", level: "none")
    }
    json.message("message", message(finding, group, host))
    json.locations(
      setting: settings?.location(of: finding.decidingKey), capture: group.file,
      frames: Wording.frameList(finding, of: group), of: group.parts)
    writeIdentity(finding.id, of: group, host, to: &json) { json in
      json.string("outcome", finding.outcome.rawValue)
      json.boolean("required", finding.isRequired)
    }
  }

  /// Writes what identifies a result, and the properties of its sessions, with those that `properties` writes.
  private func writeIdentity(
    _ id: String, of group: SessionGroup, _ host: HostReport, to json: inout JSONObject, _ properties: (inout JSONObject) -> Void
  ) {
    json.number("occurrenceCount", group.sessions)
    json.object("partialFingerprints") { $0.text("hostAndRule/v1", "\(host.label) \(id)") }
    json.object("properties") { json in
      json.text("host", host.name ?? host.address.description)
      json.number("port", host.port)
      json.string("verdict", group.judgement.verdict.rawValue)
      properties(&json)
      if let ending = group.ending { json.string("handshake", Wording.ending(ending)) }
      json.number("score", group.judgement.score)
    }
  }

  private func message(_ finding: Finding, _ group: SessionGroup, _ host: HostReport) -> String {
    var sentences: [String] = []
    switch finding.outcome {
    case .unknown:
      sentences.append("\(host.label): undecided: \(Wording.reason(of: finding))")
      let ways = steps.possible(finding.settledBy, of: group)
      if !ways.isEmpty { sentences.append("to settle: \(ways.map(\.text).joined(separator: ", or "))") }
    case .relaxed:
      sentences.append("\(host.label): \(Wording.comparison(finding))")
      if let key = finding.decidingKey {
        sentences.append("allowed by \(key.key)" + (key.entry.map { " of \($0)" } ?? ""))
      }
    default:
      sentences.append("\(host.label): \(Wording.comparison(finding))")
      if !finding.isRequired, !finding.isAdvisory {
        sentences.append(group.isRejected(for: finding) ? Wording.rejected : "not required here")
      }
      if let fix = finding.fix { sentences.append("fix: \(fix.text)") }
    }
    sentences += finding.notes
    if let ending = group.ending, ending.isFailure { sentences.append("outcome: \(Wording.ending(ending))") }
    if let phrase = host.proxyPhrase { sentences.append(phrase) }
    return sentences.map(DisplayText.escaped).joined(separator: "\n")
  }

  // MARK: Inputs

  /// Returns the notifications about the inputs.
  static func notes(on summary: SummaryRecord, unlisted: String?) -> [SARIFLog.Note] {
    var notes: [SARIFLog.Note] = []
    func add(_ level: String, _ label: String, _ text: String?) {
      if let text { notes.append(SARIFLog.Note(level: level, text: label + text)) }
    }
    add("error", "", summary.shortfall)
    for input in summary.inputs {
      add("error", "", Wording.fault(of: input))
      let name = DisplayText.escaped(input.file)
      add("warning", "\(name): not read: ", Wording.counts(input.health.filter { $0.meaning == .notRead }))
      add("note", "\(name): ", Wording.counts(input.health.filter { $0.meaning == .remark }))
      add("warning", "\(name): limits reached: ", Wording.counts(input.limits))
    }
    add("warning", "limits reached: ", Wording.counts(summary.limits))
    add("note", "no handshake: ", Wording.silent(summary.withoutHandshake))
    add("warning", "not listed: ", unlisted)
    return notes
  }
}

extension SARIFLog {
  /// Adds the distinct inputs of a run as artifacts (SARIF 2.1.0 §3.14.15), then the Info.plist.
  mutating func addArtifacts(_ inputs: [InputSummary], _ settings: SettingLines?) {
    isSuccessful = !inputs.contains { $0.error != nil }
    var known: Set<Artifact> = []
    for input in inputs where input.kind != .directory {
      let length = input.error == nil ? Int(exactly: input.bytes) : nil
      let artifact = Artifact(input.file, length: length, sha256: input.sha256)
      if known.insert(artifact).inserted { artifacts.append(artifact) }
    }
    if let settings { artifacts.append(Artifact(settings.file, role: "userSpecifiedConfiguration")) }
  }
}
