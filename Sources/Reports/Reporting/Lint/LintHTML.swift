public import ByteParsing
import InfoPlistReading
import PolicyResolution
import SessionRecords

/// The review of settings as one page without any script, which opens from a disk without a network.
public struct LintHTML {
  private let report: LintReport
  private let toolVersion: String
  private let policyVersion: String

  /// Takes the review, and who made it.
  public init(_ report: LintReport, toolVersion: String, policyVersion: String) {
    self.report = report
    self.toolVersion = toolVersion
    self.policyVersion = policyVersion
  }

  /// The page as UTF-8.
  public func rendered() -> Bytes {
    var output = Bytes()
    let names = report.files.prefix(3).map { DisplayText.escaped($0.name) }.joined(separator: ", ")
    output += HTMLPage.head(title: "atscope lint: \(names)", policy: HTMLPage.plainPolicy)
    output.appendRaw("<header>\n<h1>atscope lint</h1>\n")
    output.appendRaw(
      "<p class=\"title\">\(LintText.tally(report.count))</p>\n</header>\n<main>\n<dl class=\"facts\">\n")
    for (label, value) in [
      ("settings", "as \(report.release.displayName) reads them"),
      ("made by", "atscope \(toolVersion), policy \(policyVersion)"),
    ] {
      output.appendRaw("<dt>\(label)</dt><dd>")
      output.appendMarkup(value)
      output.appendRaw("</dd>\n")
    }
    output.appendRaw("</dl>\n")
    for file in report.files { LintHTML.write(file, to: &output) }
    output.appendRaw(
      "</main>\n<footer><p>Made offline. This page asks for nothing and sends nothing.</p></footer>\n</body>\n</html>\n"
    )
    return output
  }

  private static func write(_ file: LintReport.File, to output: inout Bytes) {
    output.appendRaw("<section>\n<h2 class=\"t\">")
    output.appendMarkupText(file.name)
    output.appendRaw("</h2>\n<p class=\"\(file.error == nil ? "hint" : "fail")\">")
    output.appendMarkup(LintText.summary(of: file))
    output.appendRaw("</p>\n")
    if !file.findings.isEmpty {
      output.appendRaw("<div class=\"scroll\"><table>\n<thead><tr>")
      for title in ["Severity", "Finding", "Line", "At", "Found", "Do"] {
        output.appendRaw("<th scope=\"col\">\(title)</th>")
      }
      output.appendRaw("</tr></thead>\n<tbody>\n")
      for finding in file.findings.prefix(LintForms.findingLimit) { write(finding, to: &output) }
      output.appendRaw("</tbody>\n</table></div>\n")
    }
    if file.findings.count > LintForms.findingLimit {
      let rest = Wording.count(file.findings.count - LintForms.findingLimit, "further finding")
      output.appendRaw("<p class=\"hint\">and \(rest)</p>\n")
    }
    output.appendRaw("</section>\n")
  }

  private static func write(_ finding: LintFinding, to output: inout Bytes) {
    let severity = finding.rule.severity
    output.appendRaw("<tr><td class=\"v \(style(severity))\">\(LintText.word(severity))</td>")
    output.appendRaw("<td class=\"m\">\(finding.rule.rawValue)</td><td class=\"n\">")
    if let line = finding.line { output.appendRaw("\(line)") }
    output.appendRaw("</td><td class=\"m t\">")
    output.appendMarkup(LintText.place(finding.path))
    output.appendRaw("</td><td class=\"t\">")
    output.appendMarkupText(finding.message)
    output.appendRaw("</td><td class=\"t\">")
    output.appendMarkupText(finding.suggestion ?? "")
    output.appendRaw("</td></tr>\n")
  }

  private static func style(_ severity: LintRule.Severity) -> String {
    switch severity {
    case .error: "fail"
    case .warning: "unknown"
    case .information: "exempt"
    }
  }
}
