package import ByteParsing
package import InfoPlistReading
import PolicyResolution
import SessionRecords

/// The review of settings in the formats for programs and for web pages.
package struct LintReports {
  let report: LintReport
  let toolVersion: String
  let policyVersion: String

  package init(_ report: LintReport, toolVersion: String, policyVersion: String) {
    self.report = report
    self.toolVersion = toolVersion
    self.policyVersion = policyVersion
  }

  /// Returns an `atscope.lint/1` object on each line, one for each file.
  package func ndjson() -> Bytes {
    var bytes = Bytes()
    for file in report.files {
      let document = Bytes.jsonDocument(LintReport(release: report.release, files: [file]).writeMembers)
      bytes += document.onOneLine()
    }
    return bytes
  }

  /// Returns a CSV table with a row for each finding and each file that could not be read. Column names are stable.
  package func csv() -> Bytes {
    var bytes = Bytes()
    CSVRow.append(["file", "line", "severity", "id", "path", "message", "fix", "accepted"], to: &bytes)
    for file in report.files {
      if let error = file.error {
        CSVRow.append([DisplayText.escaped(file.name), nil, "unread", nil, nil, error, nil, nil], to: &bytes)
      }
      for finding in file.findings {
        var row = CSVRow()
        row.add(file.name)
        row.add(finding.line)
        row.add(finding.rule.severity.rawValue)
        row.add(finding.rule.rawValue)
        row.add(finding.path.description)
        row.add(finding.message)
        row.add(finding.suggestion)
        row.add(finding.accepted)
        row.end(to: &bytes)
      }
    }
    return bytes
  }

  package func markdown() -> Bytes {
    var writer = MarkdownWriter()
    writer.heading(1, "atscope lint: \(LintText.headline(of: report))")
    writer.paragraph("checked as \(report.release.displayName)")
    for file in report.files {
      writer.heading(2, MarkdownWriter.code(file.name))
      if file.findings.isEmpty {
        writer.paragraph(MarkdownWriter.markup(LintText.summary(of: file)))
        continue
      }
      writer.tableHead(["severity", "finding", "line", "at", "found", "fix"])
      for finding in file.findings.prefix(LintReports.maximumFindings) {
        writer.row([
          "**\(finding.rule.severity.label)**", finding.rule.rawValue,
          finding.line.map { "\($0)" } ?? "",
          MarkdownWriter.span(LintText.location(finding.path), inTable: true),
          MarkdownWriter.text(LintText.message(of: finding)), MarkdownWriter.text(finding.suggestion ?? ""),
        ])
      }
      writer.line()
      writer.rest(of: file.findings.count, beyond: LintReports.maximumFindings, "further finding{s}")
    }
    return writer.output
  }

  /// The maximum number of findings of one file on a page; further ones are counted.
  static let maximumFindings = 1000

  /// Returns test cases: an error is a failure, a file that could not be read is an error of the suite, other findings pass
  /// with their message as output. A file without an error fails if it has findings of the severities in `gate`.
  package func junit(gate: Set<LintRule.Severity>) -> Bytes {
    var bytes = Bytes()
    let suites = report.files.map { file in
      var suite = LintReports.suite(of: file)
      suite.addGate(LintRule.Severity.allCases.filter { gate.contains($0) && file.count($0) > 0 }.map(\.names.noun))
      return suite
    }
    JUnitSuite.write(suites, named: "atscope lint", to: &bytes)
    return bytes
  }

  private static func suite(of file: LintReport.File) -> JUnitSuite {
    let name = DisplayText.escaped(file.name)
    var suite = JUnitSuite(name: name)
    if let error = file.error {
      var entry = JUnitCase(name: "Info.plist", suite: name)
      entry.outcome = .error(type: "unread", message: error)
      suite.cases.append(entry)
    } else if file.findings.isEmpty {
      // A file without findings still requires a case.
      suite.cases.append(JUnitCase(name: "Info.plist", suite: name, output: [LintText.summary(of: file)]))
    }
    for finding in file.findings {
      let location = LintText.location(finding.path)
      var entry = JUnitCase(name: "\(finding.rule.rawValue) \(location)", suite: name)
      let message = DisplayText.escaped(LintText.message(of: finding))
      var details = [finding.line.map { "line \($0)" }, "at \(location)"].compactMap { $0 }
      if let suggestion = finding.suggestion { details.append("fix: \(DisplayText.escaped(suggestion))") }
      if finding.rule.severity == .error, finding.accepted == nil {
        entry.outcome = .failed(type: finding.rule.rawValue, message: message)
        entry.details = details
      } else {
        entry.output = ["\(finding.rule.severity.names.noun): \(message)"] + details
      }
      suite.cases.append(entry)
    }
    return suite
  }
}
