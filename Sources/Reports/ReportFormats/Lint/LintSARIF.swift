package import ByteParsing
import InfoPlistReading
import PolicyResolution
import SessionRecords

/// The review of settings as SARIF 2.1.0: a result for each finding, at the line of its key if the file is XML.
extension LintReports {
  /// The log as UTF-8.
  package func sarif() -> Bytes {
    var log = SARIFLog(version: toolVersion, policyVersion: policyVersion, command: "lint")
    log.summary = "Reviews settings of App Transport Security."
    log.artifacts = report.files.map { SARIFLog.Artifact($0.name, sha256: $0.sha256) }
    log.isSuccessful = !report.files.contains { $0.error != nil }
    log.notes = report.files.compactMap { file in
      file.error.map { SARIFLog.Note(level: "error", text: "\(DisplayText.escaped(file.name)): \($0)") }
    }
    var output = Bytes()
    log.write(to: &output) { json in
      json.objects(LintRule.allCases, onLines: true) { LintReports.write($1, to: &$0) }
    } results: { json in
      for (index, file) in report.files.enumerated() {
        json.objects(file.findings, onLines: true) { LintReports.write($1, of: file, at: index, to: &$0) }
      }
      json.newLine()
    } properties: { json in
      json.string("os", report.release.name)
    }
    return output
  }

  private static func write(_ rule: LintRule, to json: inout JSONObject) {
    json.string("id", rule.rawValue)
    json.message("shortDescription", rule.meaning)
    json.message("help", "Fix: \(rule.fix)\n\nSources: \(rule.sources.joined(separator: "; "))")
    json.string("helpUri", SARIFClassification.documentation)
    json.object("defaultConfiguration") { $0.string("level", rule.severity.names.level) }
    json.object("properties") { $0.properties(of: SARIFClassification(rule), tag: "ats") }
  }

  private static func write(_ finding: LintFinding, of file: LintReport.File, at index: Int, to json: inout JSONObject) {
    json.string("ruleId", finding.rule.rawValue)
    if let index = LintRule.allCases.firstIndex(of: finding.rule) { json.number("ruleIndex", index) }
    json.string("level", finding.rule.severity.names.level)
    json.message("message", LintText.sentences(of: finding).joined(separator: "\n"))
    json.array("locations") { json in
      json.object { json in
        json.physicalLocation(file.name, line: finding.line, index: index)
        json.objects("logicalLocations", [finding.path.description]) { json, name in
          json.text("fullyQualifiedName", name)
          json.string("kind", "member")
        }
      }
    }
    json.object("partialFingerprints") { json in
      json.text("fileAndKey/v1", "\(file.name) \(finding.path) \(finding.rule.rawValue)")
    }
    if let accepted = finding.accepted { json.suppression(DisplayText.escaped(accepted)) }
  }
}
