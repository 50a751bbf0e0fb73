package import ByteParsing
import InfoPlistReading
import PolicyResolution
import Reporting
import SessionRecords

/// The review of settings as a self-contained HTML page without scripts.
extension LintReports {
  /// The page as UTF-8.
  package func html() -> Bytes {
    var output = Bytes()
    let names = report.files.prefix(3).map { DisplayText.escaped($0.name) }.joined(separator: ", ")
    output += HTMLPage.head(title: "atscope lint: \(names)", policy: HTMLPage.scriptlessPolicy)
    HTMLPage.heading("atscope lint", LintText.headline(of: report), to: &output)
    output.appendRaw("<dl class=\"facts\">\n")
    for (label, value) in [
      ("settings", "checked as \(report.release.displayName)"),
      ("tool", "atscope \(toolVersion), policy \(policyVersion)"),
    ] {
      output.appendRaw("<dt>\(label)</dt><dd>")
      output.appendMarkup(value)
      output.appendRaw("</dd>\n")
    }
    output.appendRaw("</dl>\n")
    for file in report.files { LintReports.write(file, to: &output) }
    output.appendRaw(HTMLPage.end)
    return output
  }

  private static func write(_ file: LintReport.File, to output: inout Bytes) {
    output.appendRaw("<section>\n<h2 class=\"t\">")
    output.appendMarkupText(file.name)
    output.appendRaw("</h2>\n<p class=\"\(file.error == nil ? "hint" : "fail")\">")
    output.appendMarkup(LintText.summary(of: file))
    output.appendRaw("</p>\n")
    if !file.findings.isEmpty {
      HTMLPage.writeTable(
        DisplayText.escaped(file.name), ["Severity", "Finding", "Line", "At", "Found", "Fix"],
        file.findings.prefix(LintReports.maximumFindings), to: &output, cells)
    }
    if file.findings.count > LintReports.maximumFindings {
      let rest = Wording.count(file.findings.count - LintReports.maximumFindings, "further finding{s}")
      output.appendRaw("<p class=\"hint\">and \(rest)</p>\n")
    }
    output.appendRaw("</section>\n")
  }

  private static func cells(of finding: LintFinding) -> [HTMLPage.Cell] {
    let severity = finding.rule.severity
    return [
      (severity.label, "v \(severity.names.pageStyle)"), (finding.rule.rawValue, "m"),
      (finding.line.map { "\($0)" } ?? "", "n"), (LintText.location(finding.path), "m t"),
      (DisplayText.escaped(LintText.message(of: finding)), "t"), (DisplayText.escaped(finding.suggestion ?? ""), "t"),
    ]
  }
}
