public import ATSEvaluation
public import ByteParsing
public import SessionModel
public import SessionRecords
import Values

/// SARIF 2.1.0: a result for each rule that fails or is relaxed, of each group of like sessions; under `--strict` also for each
/// required rule that is unknown.
///
/// A result lies in the capture, at the packets that show it, or in the Info.plist, at the line of the key that allows it.
public struct SARIFReport: SessionReport {
  private let judges: Bool
  private let onlyFailures: Bool
  private let isStrict: Bool
  private let settings: SettingLines?
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")

  /// Where the schema of such logs lies.
  static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// The results are those of the hosts.
  public var needsHosts: Bool { judges }

  /// Creates the writer of one report; `settings` are the lines of the Info.plist, where there is one.
  public init(judges: Bool, onlyFailures: Bool = false, isStrict: Bool = false, settings: SettingLines? = nil)
  {
    self.judges = judges
    self.onlyFailures = onlyFailures
    self.isStrict = isStrict
    self.settings = settings
  }

  /// Appends the tool and its rules.
  public mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    self.run = run
    SARIFReport.begin(
      SARIFDriver(version: run.toolVersion, policyVersion: run.policyVersion, command: run.command),
      to: &output)
  }

  /// Appends the beginning of a log up to the results of its one run.
  static func begin(_ driver: SARIFDriver, to output: inout Bytes) {
    output.appendRaw(
      "{\"$schema\":\"\(SARIFReport.schema)\",\n"
        + "\"version\":\"2.1.0\",\"runs\":[{\"tool\":")
    driver.write(to: &output)
    output.appendRaw(",\n\"results\":[")
  }

  /// Appends nothing: results are those of groups of sessions.
  public mutating func append(
    _ session: ObservedSession, _ judgement: Judgement?, to output: inout Bytes
  ) {}

  /// Appends the results, the inputs and how the run went.
  public mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    end(hosts, summary, to: &output) { _ in }
  }

  /// The same, and hands on what there is host by host.
  public mutating func end(
    _ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void
  ) {
    var isFirst = true
    let reports = hosts?.report() ?? []
    for host in reports {
      for group in host.groups {
        for finding in group.judgement.content.findings where isTold(finding) {
          output.appendRaw(isFirst ? "\n" : ",\n")
          isFirst = false
          write(finding, of: group, host, to: &output)
        }
      }
      flush(&output)
    }
    var notes = SARIFReport.notes(on: summary, unlisted: hosts?.unlistedText)
    let unknown = reports.count { $0.verdict == .unknown }
    if unknown > 0, !isStrict {
      let text =
        "not listed: \(Wording.count(unknown, "unknown host")); --strict lists the rules that are unknown"
      notes.append(Note(level: "note", text: text))
    }
    SARIFReport.endResults(summary.inputs, settings, notes, to: &output)
    output.appendRaw(",\n\"properties\":{\"sessions\":")
    output.appendJSON(summary.sessions)
    if let verdicts = summary.verdicts {
      output.appendRaw(",\"verdicts\":")
      output.appendJSON(verdicts)
    }
    output.appendRaw(",\"run\":")
    output.appendJSON(run)
    output.appendRaw("}}]}\n")
  }

  private func isTold(_ finding: Finding) -> Bool {
    switch finding.outcome {
    case .fail: !onlyFailures || finding.required
    case .relaxed: !onlyFailures
    case .unknown: isStrict && finding.required && !onlyFailures
    case .pass, .notApplicable: false
    }
  }

  // MARK: Results

  private func write(
    _ finding: Finding, of group: SessionGroup, _ host: HostReport, to output: inout Bytes
  ) {
    output.appendRaw("{\"ruleId\":")
    output.appendJSONString(finding.id)
    if let index = SARIFDriver.ruleIndices[finding.id] {
      output.appendRaw(",\"ruleIndex\":")
      output.appendJSON(index)
    }
    // What is not known fails nothing: SARIF calls it open, and gives it no level.
    switch finding.outcome {
    case .fail: output.appendRaw(",\"kind\":\"fail\",\"level\":\"\(finding.required ? "error" : "note")\"")
    case .relaxed: output.appendRaw(",\"kind\":\"review\",\"level\":\"none\"")
    default: output.appendRaw(",\"kind\":\"open\",\"level\":\"none\"")
    }
    output.appendRaw(",\"message\":")
    output.appendSARIFMessage(SARIFReport.message(finding, group, host))
    writeLocations(of: finding, group, to: &output)
    output.appendRaw(",\"occurrenceCount\":")
    output.appendJSON(group.sessions)
    output.appendRaw(",\"partialFingerprints\":{\"hostAndRule/v1\":")
    output.appendJSONText("\(host.label) \(finding.id)")
    output.appendRaw("},\"properties\":{\"host\":")
    output.appendJSONText(host.name ?? host.address.description)
    output.appendRaw(",\"port\":")
    output.appendJSON(UInt64(host.port))
    output.appendRaw(",\"verdict\":")
    output.appendJSONString(group.judgement.content.verdict.rawValue)
    output.appendRaw(",\"outcome\":")
    output.appendJSONString(finding.outcome.rawValue)
    output.appendRaw(",\"required\":")
    output.appendJSON(finding.required)
    if let ending = group.ending {
      output.appendRaw(",\"handshake\":")
      output.appendJSONString(Wording.ending(ending))
    }
    output.appendRaw(",\"score\":")
    output.appendJSON(group.judgement.content.score)
    output.appendRaw("}}")
  }

  private static func message(_ finding: Finding, _ group: SessionGroup, _ host: HostReport) -> String {
    var sentences: [String] = []
    switch finding.outcome {
    case .unknown:
      sentences.append("\(host.label): not decided: \(Wording.reason(finding.missing))")
      if !finding.settledBy.isEmpty {
        sentences.append("settled by \(finding.settledBy.joined(separator: ", or "))")
      }
    case .relaxed:
      sentences.append("\(host.label): \(Wording.comparison(finding))")
      if let key = finding.relaxedBy {
        sentences.append("allowed by \(key.key)" + (key.entry.map { " of \($0)" } ?? ""))
      }
    default:
      sentences.append("\(host.label): \(Wording.comparison(finding))")
      if !finding.required, !finding.id.hasPrefix("ADV-") { sentences.append("not required here") }
      if let fix = finding.fix { sentences.append("put right by: \(fix)") }
    }
    sentences += finding.notes
    if let ending = group.ending, ending.isFailure { sentences.append("outcome: \(Wording.ending(ending))") }
    if let phrase = host.proxyPhrase { sentences.append(phrase) }
    return sentences.map(DisplayText.escaped).joined(separator: "\n")
  }

  private func writeLocations(of finding: Finding, _ group: SessionGroup, to output: inout Bytes) {
    let line = finding.relaxedBy.flatMap { settings?.line(of: $0) }
    output.appendRaw(",\"locations\":[")
    if let line, let settings {
      output.append(0x7B)
      output.appendSARIFPhysicalLocation(settings.file, line: line)
      output.appendRaw("}],\"relatedLocations\":[")
    }
    output.append(0x7B)
    output.appendSARIFPhysicalLocation(group.file)
    output.appendRaw(",\"logicalLocations\":[")
    let frames = Wording.frameList(finding, of: group)
    output.appendSARIFFrames(frames, in: group.parts)
    output.appendRaw("]}]")
  }

  // MARK: Inputs

  /// Appends what follows the results: the inputs, the Info.plist, and how the run went.
  static func endResults(
    _ inputs: [InputSummary], _ settings: SettingLines?, _ notes: [Note], to output: inout Bytes
  ) {
    output.appendRaw("\n],\n\"artifacts\":[")
    // Each stands there once (SARIF 2.1.0 §3.14.15), however often it was read.
    var artifacts: Set<Bytes> = []
    for input in inputs where input.kind != "directory" {
      var artifact = Bytes()
      write(input, to: &artifact)
      guard artifacts.insert(artifact).inserted else { continue }
      output.appendJSONComma()
      output.append(0x0A)
      output += artifact
    }
    if let settings {
      output.appendJSONComma()
      output.appendRaw("\n{\"location\":{\"uri\":")
      output.appendSARIFURI(settings.file)
      output.appendRaw("},\"roles\":[\"userSpecifiedConfiguration\"]}")
    }
    output.appendRaw("\n],\n\"invocations\":[{\"executionSuccessful\":")
    output.appendJSON(!inputs.contains { $0.error != nil })
    output.appendRaw(",\"toolExecutionNotifications\":[")
    for note in notes {
      output.appendJSONComma()
      output.appendRaw("{\"level\":\"\(note.level)\",\"message\":")
      output.appendSARIFMessage(note.text)
      output.append(0x7D)
    }
    output.appendRaw("]}]")
  }

  private static func write(_ input: InputSummary, to output: inout Bytes) {
    output.appendRaw("{\"location\":{\"uri\":")
    output.appendSARIFURI(input.file)
    output.appendRaw("},\"roles\":[\"analysisTarget\"]")
    if let length = Int(exactly: input.bytes), input.error == nil {
      output.appendRaw(",\"length\":")
      output.appendJSON(length)
    }
    if let digest = input.sha256 {
      output.appendRaw(",\"hashes\":{\"sha-256\":")
      output.appendJSONString(digest)
      output.append(0x7D)
    }
    output.append(0x7D)
  }

  /// Something to be said of a run, with the level that SARIF gives it.
  struct Note {
    var level: String
    var text: String
  }

  /// What is to be said of how the inputs were read.
  static func notes(on summary: SummaryRecord, unlisted: String?) -> [Note] {
    var notes: [Note] = []
    for input in summary.inputs {
      if let fault = Wording.fault(of: input) { notes.append(Note(level: "error", text: fault)) }
      let name = DisplayText.escaped(input.file)
      if let text = Wording.counts(input.health.filter { $0.meaning == .notRead }) {
        notes.append(Note(level: "warning", text: "\(name): not read: \(text)"))
      }
      if let text = Wording.counts(input.health.filter { $0.meaning == .remark }) {
        notes.append(Note(level: "note", text: "\(name): \(text)"))
      }
      if let text = Wording.counts(input.limits) {
        notes.append(Note(level: "warning", text: "\(name): limits reached: \(text)"))
      }
    }
    if let text = Wording.counts(summary.limits) {
      notes.append(Note(level: "warning", text: "limits reached: \(text)"))
    }
    if let text = Wording.silent(summary.withoutHandshake, limit: TextReport.listLimit) {
      notes.append(Note(level: "note", text: "no handshake: \(text)"))
    }
    if let unlisted { notes.append(Note(level: "warning", text: "not listed: \(unlisted)")) }
    return notes
  }
}
