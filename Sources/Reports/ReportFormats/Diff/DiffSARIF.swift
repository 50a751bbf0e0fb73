package import ByteParsing
import SessionRecords

/// The comparison as SARIF 2.1.0 with a result for each change; regressions are errors, other changes have no level.
extension DiffReports {
  private static let subjects = [
    SARIFRules.Subject(id: "verdict", title: "The verdict of a host changed."),
    SARIFRules.Subject(id: "outcome", title: "The handshake outcomes of a host changed."),
    SARIFRules.Subject(id: "trust", title: "The root types of a host changed."),
    SARIFRules.Subject(id: "issuers", title: "The certificate issuers of a host changed."),
    SARIFRules.Subject(id: "versions", title: "The protocol versions of a host changed."),
    SARIFRules.Subject(id: "cipherSuites", title: "The cipher suites of a host changed."),
    SARIFRules.Subject(id: "groups", title: "The key exchange groups of a host changed."),
    SARIFRules.Subject(id: "chains", title: "The certificate chains of a host changed."),
    SARIFRules.Subject(id: "pins", title: "The public keys of a host's chains changed."),
    SARIFRules.Subject(id: "newHost", title: "A host is new."), SARIFRules.Subject(id: "vanishedHost", title: "A host has vanished."),
  ]

  package func sarif() -> Bytes {
    let rules = SARIFRules(subjects: DiffReports.subjects)
    var log = SARIFLog(version: runs.current.toolVersion, policyVersion: runs.current.policyVersion, command: "diff")
    var summary = runs.summary
    summary.inputs = runs.inputs
    log.addArtifacts(runs.inputs, runs.settings)
    if summary.shortfall != nil { log.isSuccessful = false }
    log.notes = SARIFReport.notes(on: summary, unlisted: nil)
    for note in runs.notes { log.notes.append(SARIFLog.Note(level: "note", text: note)) }
    // The captures of a saved baseline may no longer exist.
    let baseline = runs.baselineFile ?? runs.baseline.inputs.first
    var output = Bytes()
    log.write(to: &output, rules: rules.write) { json in
      json.objects(diff.changes.filter { !isUnknown($0) }, onLines: true) { write($1, rules, to: &$0) }
      json.objects(diff.newHosts, onLines: true) { json, host in
        write(host.host, "newHost", "new host: \(host.verdicts.word)", runs.current.inputs.first, rules, to: &json)
      }
      json.objects(diff.vanishedHosts, onLines: true) { json, host in
        write(host.host, "vanishedHost", "vanished host; it was \(host.verdicts.word)", baseline, rules, to: &json)
      }
    } properties: { json in
      json.object("baseline", runs.baseline)
      json.object("current", runs.current)
    }
    return output
  }

  /// Whether a change means only that a rule is undecided now, and it neither counts as a failure nor is accepted.
  private func isUnknown(_ change: AuditDiff.Change) -> Bool {
    change.kind == .noLongerVisible && !diff.counts(change) && change.accepted == nil
  }

  private func write(_ change: AuditDiff.Change, _ rules: SARIFRules, to json: inout JSONObject) {
    json.rule(change.subject.description, of: rules)
    switch change.kind {
    case .regression: json.kind("fail", level: "error", baselineState: "new")
    case .noLongerVisible where diff.counts(change):
      json.kind("fail", level: "error", baselineState: "updated")
    case .noLongerVisible: json.kind("open", level: "none", baselineState: "updated")
    case .improvement: json.kind("pass", level: "none", baselineState: "absent")
    case .moved: json.kind("informational", level: "none", baselineState: "updated")
    }
    json.message("message", "\(change.host): \(change.kind.words): \(change.words)")
    // A relaxed policy is located in the Info.plist, everything else in the capture.
    json.locations(
      setting: runs.settings?.location(of: change.relaxedBy),
      capture: change.sighting?.file ?? runs.current.inputs.first ?? "", frames: change.sighting?.frames)
    if let accepted = change.accepted { json.suppression(accepted) }
    writeIdentity(change.host, change.subject.description, kind: change.kind.rawValue, to: &json)
  }

  /// Writes the result for a host that only one audit contains.
  private func write(_ host: String, _ subject: String, _ text: String, _ file: String?, _ rules: SARIFRules, to json: inout JSONObject) {
    json.rule(subject, of: rules)
    let counts = subject == "vanishedHost" && diff.countsVanished
    json.kind(counts ? "fail" : "informational", level: counts ? "error" : "none", baselineState: subject == "newHost" ? "new" : "absent")
    json.message("message", "\(host): \(text)")
    json.locations(setting: nil, capture: file ?? "", frames: nil)
    writeIdentity(host, subject, kind: subject, to: &json)
  }

  private func writeIdentity(_ host: String, _ subject: String, kind: String, to json: inout JSONObject) {
    json.object("partialFingerprints") { $0.string("hostAndChange/v1", "\(host) \(subject)") }
    json.object("properties") { json in
      json.string("host", host)
      json.string("change", kind)
    }
  }
}

extension JSONObject {
  fileprivate mutating func kind(_ kind: String, level: String, baselineState: String) {
    self.kind(kind, level: level)
    string("baselineState", baselineState)
  }
}

extension AuditDiff.Kind {
  var words: String {
    switch self {
    case .regression: "regression"
    case .noLongerVisible: "no longer visible"
    case .improvement: "improvement"
    case .moved: "other change"
    }
  }
}
