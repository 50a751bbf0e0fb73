package import ByteParsing
package import InfoPlistReading
import PolicyResolution
package import Reporting
import SessionRecords

/// The review of settings as text for a terminal: a line for each file, a block for each finding.
package enum LintText {
  /// Returns the report as UTF-8.
  package static func rendered(_ report: LintReport, _ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    for file in report.files {
      writeHeading(file, to: &writer)
      for finding in file.findings { write(finding, of: file, to: &writer) }
      if !file.findings.isEmpty { writer.endLine() }
    }
    let (found, unread) = LintText.outcome(of: report)
    let files = Wording.count(report.files.count { $0.error == nil }, "Info.plist{s}")
    writer.writeFields(
      [(found, .bold), ("\(files) checked as \(report.release.displayName)", .unstyled), (unread, .red)], indent: 0)
    return writer.output
  }

  /// Returns the tally of findings, unless no file could be read, and the number of files that could not; empty texts for neither.
  private static func outcome(of report: LintReport) -> (found: String, unread: String) {
    let unread = report.files.count { $0.error != nil }
    return (
      unread < report.files.count ? tally(report.count, accepted: report.accepted) : "", unread > 0 ? "\(unread) unreadable" : ""
    )
  }

  /// The outcome for all files in one line: `1 error, 2 warnings, 1 unreadable`.
  static func headline(of report: LintReport) -> String {
    let (found, unread) = outcome(of: report)
    return [found, unread].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func writeHeading(_ file: LintReport.File, to writer: inout TextWriter) {
    let style: TextStyle = file.error != nil ? .red : file.findings.isEmpty ? .green : .unstyled
    writer.writeFields([(DisplayText.escaped(file.name), .bold), (LintText.summary(of: file), style)], indent: 0)
  }

  /// Returns the outcome for a file in a few words.
  static func summary(of file: LintReport.File) -> String {
    if let error = file.error { return error }
    if !file.findings.isEmpty { return tally(file.count, accepted: file.accepted) }
    return file.hasSettings ? "nothing found" : "no NSAppTransportSecurity: ATS defaults apply"
  }

  private static func write(_ finding: LintFinding, of file: LintReport.File, to writer: inout TextWriter) {
    let severity = finding.rule.severity
    writer.endLine()
    writer.tab(to: 2)
    writer.write(severity.label, finding.accepted == nil ? severity.names.textStyle : .dim)
    var fields: [(text: String, style: TextStyle)] = [(finding.rule.rawValue, .bold)]
    if let line = finding.line { fields.append(("line \(line)", .unstyled)) }
    writer.writeFields(fields, indent: 11)
    writer.writeRows(LintText.rows(of: finding), indent: 4, labelWidth: 5)
  }

  /// Returns rows for the key, the message, the suggestion and the reason for accepting the finding.
  package static func rows(of finding: LintFinding) -> [TextRow] {
    var rows = [TextRow(label: "at", text: location(finding.path), style: .dim)]
    rows.add("found", DisplayText.escaped(finding.message), style: .dim)
    rows.add("fix", finding.suggestion.map(DisplayText.escaped), style: .dim)
    rows.add("ok", finding.accepted.map { "accepted: \(DisplayText.escaped($0))" }, style: .dim)
    return rows
  }

  /// Returns the message and the fix as sentences, for annotations of lines. A line of an XML file shows which key is meant; if there is
  /// none, the keys come first.
  static func sentences(of finding: LintFinding) -> [String] {
    let message = DisplayText.escaped(finding.message)
    return [finding.line == nil ? "\(location(finding.path)): \(message)" : message]
      + [finding.suggestion.map { "Fix: \(DisplayText.escaped($0))" }].compactMap { $0 }
  }

  /// Returns the keys from the root of the file, without the root key NSAppTransportSecurity.
  package static func location(_ path: SettingPath) -> String {
    let keys = path.keys.count > 1 && path.keys.first == ATSKeys.root ? path.keys.dropFirst() : path.keys[...]
    return DisplayText.escaped(SettingPath(Array(keys)).description)
  }

  /// Returns a tally such as `2 errors, 1 warning, 3 remarks, 1 accepted finding`; `nothing found` for none.
  static func tally(_ count: (LintRule.Severity) -> Int, accepted: Int = 0) -> String {
    var parts = LintRule.Severity.allCases.compactMap { severity in
      let number = count(severity)
      return number > 0 ? Wording.count(number, severity.names.noun + "{s}") : nil
    }
    if accepted > 0 { parts.append(Wording.count(accepted, "accepted finding{s}")) }
    return parts.isEmpty ? "nothing found" : parts.joined(separator: ", ")
  }

  /// Returns the message of a finding, with the reason for which the project accepts it.
  static func message(of finding: LintFinding) -> String {
    finding.message + (finding.accepted.map { " (accepted: \($0))" } ?? "")
  }
}

extension LintRule.Severity {
  /// The names and styles of the severity in report formats; Xcode and SARIF share their levels.
  package var names: (noun: String, level: String, gitHub: String, codeClimate: String, pageStyle: String, textStyle: TextStyle) {
    switch self {
    case .error: ("error", "error", "error", "major", "fail", .red)
    case .warning: ("warning", "warning", "warning", "minor", "unknown", .yellow)
    case .remark: ("remark", "note", "notice", "info", "exempt", .cyan)
    }
  }

  /// The noun in capital letters.
  var label: String { names.noun.uppercased() }
}
