public import ByteParsing
import InfoPlistReading
import PolicyResolution
import SessionRecords

/// The review of settings as SARIF 2.1.0: a result a finding, at the line of its key where the file is XML.
public struct LintSARIF {
  private let report: LintReport
  private let toolVersion: String
  private let policyVersion: String

  /// Takes the review, and who made it.
  public init(_ report: LintReport, toolVersion: String, policyVersion: String) {
    self.report = report
    self.toolVersion = toolVersion
    self.policyVersion = policyVersion
  }

  /// The log as UTF-8.
  public func rendered() -> Bytes {
    var output = Bytes()
    output.appendRaw(
      "{\"$schema\":\"\(SARIFReport.schema)\",\n\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"atscope\""
        + ",\"semanticVersion\":")
    output.appendJSONString(toolVersion)
    output.appendRaw(",\"version\":")
    output.appendJSONString("\(toolVersion) (policy \(policyVersion))")
    output.appendRaw(",\"informationUri\":\"\(SARIFClassification.documentation)\"")
    output.appendRaw(
      ",\"shortDescription\":{\"text\":\"Reviews settings of App Transport Security.\"},\"rules\":[")
    for rule in LintRule.allCases {
      output.appendJSONComma()
      output.append(0x0A)
      LintSARIF.write(rule, to: &output)
    }
    output.appendRaw("\n]}}")
    output.appendSARIFAutomation("lint")
    output.appendRaw(",\n\"results\":[")
    for (index, file) in report.files.enumerated() {
      for finding in file.findings {
        output.appendJSONComma()
        output.append(0x0A)
        LintSARIF.write(finding, of: file, at: index, to: &output)
      }
    }
    output.appendRaw("\n],\n\"artifacts\":[")
    for file in report.files {
      output.appendJSONComma()
      output.appendRaw("\n{\"location\":{\"uri\":")
      output.appendSARIFURI(file.name)
      output.appendRaw("},\"roles\":[\"analysisTarget\"]")
      if let digest = file.sha256 {
        output.appendRaw(",\"hashes\":{\"sha-256\":")
        output.appendJSONString(digest)
        output.append(0x7D)
      }
      output.append(0x7D)
    }
    output.appendRaw("\n],\n\"invocations\":[")
    writeInvocation(to: &output)
    output.appendRaw("],\n\"properties\":{\"os\":")
    output.appendJSONString(report.release.name)
    output.appendRaw("}}]}\n")
    return output
  }

  private static func write(_ rule: LintRule, to output: inout Bytes) {
    output.appendRaw("{\"id\":")
    output.appendJSONString(rule.rawValue)
    output.appendRaw(",\"shortDescription\":")
    output.appendSARIFMessage(rule.meaning)
    output.appendRaw(",\"help\":")
    output.appendSARIFMessage(
      "Put right by: \(rule.fix)\n\nSources: \(rule.sources.joined(separator: "; "))")
    output.appendRaw(",\"helpUri\":\"\(SARIFClassification.documentation)\"")
    output.appendRaw(",\"defaultConfiguration\":{\"level\":\"\(level(rule.severity))\"},\"properties\":{")
    output.appendSARIFProperties(SARIFClassification(rule), tag: "ats")
    output.appendRaw("}}")
  }

  private static func level(_ severity: LintRule.Severity) -> String {
    severity == .information ? "note" : severity.rawValue
  }

  private static let ruleIndices = Dictionary(
    LintRule.allCases.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })

  private static func write(
    _ finding: LintFinding, of file: LintReport.File, at index: Int, to output: inout Bytes
  ) {
    output.appendRaw("{\"ruleId\":")
    output.appendJSONString(finding.rule.rawValue)
    if let place = ruleIndices[finding.rule] {
      output.appendRaw(",\"ruleIndex\":")
      output.appendJSON(place)
    }
    output.appendRaw(",\"level\":\"\(level(finding.rule.severity))\",\"message\":")
    let sentences = [finding.message, finding.suggestion.map { "To do: \($0)" }].compactMap { $0 }
    output.appendSARIFMessage(sentences.map(DisplayText.escaped).joined(separator: "\n"))
    output.appendRaw(",\"locations\":[{")
    output.appendSARIFPhysicalLocation(file.name, line: finding.line, index: index)
    output.appendRaw(",\"logicalLocations\":[{\"fullyQualifiedName\":")
    output.appendJSONText(finding.path.description)
    output.appendRaw(",\"kind\":\"member\"}]}],\"partialFingerprints\":{\"fileAndKey/v1\":")
    output.appendJSONText("\(file.name) \(finding.path) \(finding.rule.rawValue)")
    output.append(0x7D)
    if let accepted = finding.accepted {
      output.appendRaw(",\"suppressions\":[{\"kind\":\"external\",\"justification\":")
      output.appendJSONText(accepted)
      output.appendRaw("}]")
    }
    output.append(0x7D)
  }

  private func writeInvocation(to output: inout Bytes) {
    output.appendRaw("{\"executionSuccessful\":")
    output.appendJSON(!report.files.contains { $0.error != nil })
    output.appendRaw(",\"toolExecutionNotifications\":[")
    for file in report.files {
      guard let error = file.error else { continue }
      output.appendJSONComma()
      output.appendRaw("{\"level\":\"error\",\"message\":")
      output.appendSARIFMessage("\(DisplayText.escaped(file.name)): \(error)")
      output.append(0x7D)
    }
    output.appendRaw("]}")
  }
}
