import ATSEvaluation
public import ByteParsing
import SessionRecords

/// The comparison as SARIF 2.1.0, a result a change: regressions are errors, everything else has no level.
public struct DiffSARIF {
  private let diff: AuditDiff
  private let runs: ComparedRuns

  /// Takes the comparison and its runs.
  public init(_ diff: AuditDiff, _ runs: ComparedRuns) {
    self.diff = diff
    self.runs = runs
  }

  private static let subjects = [
    SARIFDriver.Subject(id: "verdict", title: "The verdict of a host changed."),
    SARIFDriver.Subject(id: "outcome", title: "Handshakes with a host came out another way."),
    SARIFDriver.Subject(id: "trust", title: "The chains of a host lead to another kind of root."),
    SARIFDriver.Subject(id: "issuers", title: "The certificates of a host have another issuer."),
    SARIFDriver.Subject(id: "versions", title: "The protocol versions of a host changed."),
    SARIFDriver.Subject(id: "cipherSuites", title: "The cipher suites of a host changed."),
    SARIFDriver.Subject(id: "groups", title: "The key exchange groups of a host changed."),
    SARIFDriver.Subject(id: "chains", title: "The certificate chains of a host changed."),
    SARIFDriver.Subject(id: "pins", title: "The public keys of a host's chains changed."),
    SARIFDriver.Subject(id: "newHost", title: "A host is new."),
    SARIFDriver.Subject(id: "vanishedHost", title: "A host has vanished."),
  ]

  /// The log, ending with a line feed.
  public func rendered() -> Bytes {
    var output = Bytes()
    let driver = SARIFDriver(
      version: runs.current.toolVersion, policyVersion: runs.current.policyVersion,
      command: "diff", subjects: DiffSARIF.subjects)
    SARIFReport.begin(driver, to: &output)
    for change in diff.changes where !isUnknown(change) { write(change, driver, to: &output) }
    for (host, verdict) in diff.newHosts {
      write(host, "newHost", "new host: \(verdict)", runs.current, driver, to: &output)
    }
    for (host, verdict) in diff.vanishedHosts {
      write(host, "vanishedHost", "vanished host; it was \(verdict)", runs.baseline, driver, to: &output)
    }
    var summary = SummaryRecord()
    summary.inputs = runs.inputs
    var notes = SARIFReport.notes(on: summary, unlisted: nil)
    for note in runs.notes { notes.append(SARIFReport.Note(level: "note", text: note)) }
    SARIFReport.endResults(runs.inputs, runs.settings, notes, to: &output)
    output.appendRaw(",\n\"properties\":{\"baseline\":")
    output.appendJSON(runs.baseline)
    output.appendRaw(",\"current\":")
    output.appendJSON(runs.current)
    output.appendRaw("}}]}\n")
    return output
  }

  /// Whether a change says only that a rule is unknown now, and nothing counts it as a failure or accepts it.
  private func isUnknown(_ change: AuditDiff.Change) -> Bool {
    change.kind == .noLongerVisible && !diff.counts(change) && change.accepted == nil
  }

  private func write(_ change: AuditDiff.Change, _ driver: SARIFDriver, to output: inout Bytes) {
    begin(change.subject, driver, to: &output)
    switch change.kind {
    case .regression: output.appendRaw(",\"kind\":\"fail\",\"level\":\"error\",\"baselineState\":\"new\"")
    case .noLongerVisible where diff.counts(change):
      output.appendRaw(",\"kind\":\"fail\",\"level\":\"error\",\"baselineState\":\"updated\"")
    case .noLongerVisible:
      output.appendRaw(",\"kind\":\"open\",\"level\":\"none\",\"baselineState\":\"updated\"")
    case .improvement:
      output.appendRaw(",\"kind\":\"pass\",\"level\":\"none\",\"baselineState\":\"absent\"")
    case .moved:
      output.appendRaw(",\"kind\":\"informational\",\"level\":\"none\",\"baselineState\":\"updated\"")
    }
    output.appendRaw(",\"message\":")
    output.appendSARIFMessage("\(change.host): \(change.kind.words): \(change.words)")
    writeLocations(of: change, to: &output)
    if let accepted = change.accepted {
      output.appendRaw(",\"suppressions\":[{\"kind\":\"external\",\"justification\":")
      output.appendJSONString(accepted)
      output.appendRaw("}]")
    }
    end(change.host, change.subject, kind: change.kind.rawValue, to: &output)
  }

  /// A host that only one side has.
  private func write(
    _ host: String, _ subject: String, _ text: String, _ run: RunRecord, _ driver: SARIFDriver,
    to output: inout Bytes
  ) {
    begin(subject, driver, to: &output)
    let counts = subject == "vanishedHost" && diff.countsVanished
    output.appendRaw(
      counts ? ",\"kind\":\"fail\",\"level\":\"error\"" : ",\"kind\":\"informational\",\"level\":\"none\"")
    output.appendRaw(",\"baselineState\":\"\(subject == "newHost" ? "new" : "absent")\"")
    output.appendRaw(",\"message\":")
    output.appendSARIFMessage("\(host): \(text)")
    output.appendRaw(",\"locations\":[")
    DiffSARIF.writeLocation(run.inputs.first ?? "", to: &output)
    output.append(0x5D)
    end(host, subject, kind: subject, to: &output)
  }

  private func begin(_ subject: String, _ driver: SARIFDriver, to output: inout Bytes) {
    output.appendRaw(output.last == 0x5B ? "\n" : ",\n")
    output.appendRaw("{\"ruleId\":")
    output.appendJSONString(subject)
    if let index = driver.index(of: subject) {
      output.appendRaw(",\"ruleIndex\":")
      output.appendJSON(index)
    }
  }

  private func end(_ host: String, _ subject: String, kind: String, to output: inout Bytes) {
    output.appendRaw(",\"partialFingerprints\":{\"hostAndChange/v1\":")
    output.appendJSONString("\(host) \(subject)")
    output.appendRaw("},\"properties\":{\"host\":")
    output.appendJSONString(host)
    output.appendRaw(",\"change\":")
    output.appendJSONString(kind)
    output.appendRaw("}}")
  }

  /// A policy that was loosened lies where the Info.plist loosens it, everything else in the capture.
  private func writeLocations(of change: AuditDiff.Change, to output: inout Bytes) {
    output.appendRaw(",\"locations\":[")
    if let settings = runs.settings, let line = change.relaxedBy.flatMap({ settings.line(of: $0) }) {
      output.append(0x7B)
      output.appendSARIFPhysicalLocation(settings.file, line: line)
      output.appendRaw("}],\"relatedLocations\":[")
    }
    guard let sighting = change.sighting else {
      DiffSARIF.writeLocation(runs.current.inputs.first ?? "", to: &output)
      output.append(0x5D)
      return
    }
    output.append(0x7B)
    output.appendSARIFPhysicalLocation(sighting.file)
    output.appendRaw(",\"logicalLocations\":[")
    output.appendSARIFFrames(sighting.frames)
    output.appendRaw("]}]")
  }

  private static func writeLocation(_ file: String, to output: inout Bytes) {
    output.append(0x7B)
    output.appendSARIFPhysicalLocation(file)
    output.append(0x7D)
  }
}

extension AuditDiff.Kind {
  /// The kind in words.
  var words: String {
    switch self {
    case .regression: "regression"
    case .noLongerVisible: "no longer visible"
    case .improvement: "improvement"
    case .moved: "other change"
    }
  }
}
