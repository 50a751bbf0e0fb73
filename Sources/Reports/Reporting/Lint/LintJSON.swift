import ByteParsing
import InfoPlistReading
import PolicyResolution
import SessionRecords

extension ContiguousArray where Element == UInt8 {
  /// Appends a review as an object of the form `atscope.lint/1`, each file on a line of its own unless all is to be on one.
  public mutating func appendJSON(_ report: LintReport, onOneLine: Bool = false) {
    appendRaw("{\"schema\":\"atscope.lint/1\",\"os\":")
    appendJSONString(report.release.name)
    appendRaw(",\"files\":[")
    for file in report.files {
      appendJSONComma()
      if !onOneLine { append(0x0A) }
      append(file)
    }
    appendRaw(onOneLine ? "],\"counts\":{" : "\n],\"counts\":{")
    for severity in LintRule.Severity.allCases {
      appendJSONKey(severity.rawValue)
      appendJSON(report.count(severity))
    }
    appendJSONKey("accepted")
    appendJSON(report.accepted)
    appendRaw("}}\n")
  }

  private mutating func append(_ file: LintReport.File) {
    appendRaw("{\"file\":")
    appendJSONText(file.name)
    appendRaw(",\"sha256\":")
    appendJSONString(file.sha256)
    appendRaw(",\"hasSettings\":")
    appendJSON(file.hasSettings)
    appendRaw(",\"error\":")
    appendJSONString(file.error)
    appendRaw(",\"findings\":[")
    for finding in file.findings {
      appendJSONComma()
      append(finding)
    }
    appendRaw("]}")
  }

  mutating func append(_ finding: LintFinding) {
    appendRaw("{\"id\":")
    appendJSONString(finding.rule.rawValue)
    appendRaw(",\"severity\":")
    appendJSONString(finding.rule.severity.rawValue)
    appendRaw(",\"line\":")
    appendJSON(finding.line)
    appendRaw(",\"path\":")
    appendJSONTexts(finding.path.keys)
    appendRaw(",\"message\":")
    appendJSONText(finding.message)
    appendRaw(",\"suggestion\":")
    appendJSONText(finding.suggestion)
    if let accepted = finding.accepted {
      appendRaw(",\"accepted\":")
      appendJSONText(accepted)
    }
    append(0x7D)
  }
}
