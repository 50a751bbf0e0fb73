package import InfoPlistReading
import PolicyResolution
package import SessionRecords

extension LintReport: JSONRecord {
  /// Writes the members of an `atscope.lint/1` object, with each file on a separate line.
  package func writeMembers(to json: inout JSONObject) {
    json.string("schema", "atscope.lint/1")
    json.string("os", release.name)
    json.objects("files", files, onLines: true)
    json.object("counts") { json in
      for severity in LintRule.Severity.allCases { json.number(severity.rawValue, count(severity)) }
      json.number("accepted", accepted)
    }
  }
}

extension LintReport.File: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("file", name)
    json.string("sha256", sha256)
    json.boolean("hasSettings", hasSettings)
    json.string("error", error)
    json.objects("findings", findings)
  }
}

extension LintFinding: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("id", rule.rawValue)
    json.string("severity", rule.severity.rawValue)
    json.number("line", line)
    json.texts("path", path.keys)
    json.text("message", message)
    json.text("fix", suggestion)
    if let accepted { json.text("accepted", accepted) }
  }
}
