import ATSRules
import ByteParsing
import Foundation
import InfoPlistReading
import PolicyResolution
import ReportFormats
import Reporting
import ReportSamples
import Testing

/// Lint reports in every format, with names that have a special meaning in these formats.
@Suite struct LintReportsTests {
  private static let report: LintReport = {
    var findings = Samples.hostileNames.enumerated().map { index, name in
      LintFinding(
        LintRule.allCases[index % LintRule.allCases.count],
        at: SettingPath(["NSAppTransportSecurity", name]),
        line: index % 2 == 0 ? index + 1 : nil, "found \(name)", suggestion: index % 3 == 0 ? name : nil)
    }
    findings.append(LintFinding(.keyCase, at: SettingPath(["NSExceptionDomains"]), line: 7, "upper case"))
    findings.append(LintFinding(.tlsLow, at: SettingPath(["x"]), line: 8, "low"))
    findings.append(LintFinding(.review, at: SettingPath(["x"]), line: 8, "review"))
    return LintReport(
      release: .newest,
      files: [
        LintReport.File(
          name: "a/Info.plist", sha256: String(repeating: "0", count: 64), hasSettings: true,
          findings: findings),
        LintReport.File(
          name: "b.plist", sha256: String(repeating: "1", count: 64), hasSettings: true, findings: []),
        LintReport.File(name: "c <d>.plist", error: "no such file or directory"),
      ])
  }()

  private var forms: LintReports { LintReports(LintReportsTests.report, toolVersion: "1", policyVersion: "1") }

  private func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  private var all: [String] {
    let report = LintReportsTests.report
    return [
      text(forms.csv()), text(forms.ndjson()), text(forms.markdown()), text(forms.junit(gate: [.error])),
      text(LintReports(report, toolVersion: "1", policyVersion: "1").html()),
      text(LintReports(report, toolVersion: "1", policyVersion: "1").sarif()),
    ]
  }

  /// A warning, a remark without a line, an accepted finding, and an unreadable file.
  private static let annotated: LintReport = {
    var accepted = LintFinding(.arbitrary, at: SettingPath(["NSAppTransportSecurity"]), line: 3, "all loads")
    accepted.accepted = "until the next release"
    return LintReport(
      release: .newest,
      files: [
        LintReport.File(
          name: "./My, App: 100%/Info.plist", sha256: String(repeating: "0", count: 64), hasSettings: true,
          findings: [
            LintFinding(
              .tlsLow, at: SettingPath(["x"]), line: 8, "100% low:\nTLS 1.0", suggestion: "raise it"),
            LintFinding(.review, at: SettingPath(["NSAppTransportSecurity", "NSExceptionDomains", "x"]), "review"), accepted,
          ]),
        LintReport.File(name: "c.plist", error: "no such file or directory"),
      ])
  }()

  private let annotations = LintAnnotations(LintReportsTests.annotated)

  @Test func `the Xcode format has the file, line, severity and finding`() {
    #expect(
      text(annotations.xcode()) == """
        ./My, App: 100%/Info.plist:8: warning: 100% low:\\x0aTLS 1.0. Fix: raise it [LINT-TLS-LOW]
        ./My, App: 100%/Info.plist:1: note: NSExceptionDomains > x: review [LINT-REVIEW]
        c.plist:1: error: cannot be read: no such file or directory [unread]

        """)
  }

  @Test func `the GitHub format has escaped workflow commands`() {
    #expect(
      text(annotations.gitHub()) == """
        ::warning file=./My%2C App%3A 100%25/Info.plist,line=8,title=LINT-TLS-LOW::100%25 low:\\x0aTLS 1.0. Fix: raise it
        ::notice file=./My%2C App%3A 100%25/Info.plist,line=1,title=LINT-REVIEW::NSExceptionDomains > x: review
        ::error file=c.plist,line=1,title=unread::cannot be read: no such file or directory

        """)
  }

  @Test func `the GitLab format is a code quality report with a fingerprint for each finding`() {
    let digests = [
      "3680c767f6612c086f825e91243fa03e53d95c8c196ee401a3d8e16163326d78",
      "bfbf4c71c78323fd3610c06e1edc60843b9d78290cdc54c14b34e2c9ba722010",
      "0d3028ef6b69fa0aba66c3951a8e43f9dcf92f3f9863358592f490cc65c18af5",
    ]
    #expect(
      text(annotations.codeClimate()) == """
        [
        {"type":"issue","check_name":"LINT-TLS-LOW","description":"100% low:\\\\x0aTLS 1.0. Fix: raise it",\
        "categories":["Security"],"severity":"minor","fingerprint":"\(digests[0])",\
        "location":{"path":"My, App: 100%/Info.plist","lines":{"begin":8}}},
        {"type":"issue","check_name":"LINT-REVIEW","description":"NSExceptionDomains > x: review",\
        "categories":["Security"],"severity":"info","fingerprint":"\(digests[1])",\
        "location":{"path":"My, App: 100%/Info.plist","lines":{"begin":1}}},
        {"type":"issue","check_name":"unread","description":"cannot be read: no such file or directory",\
        "categories":["Security"],"severity":"blocker","fingerprint":"\(digests[2])",\
        "location":{"path":"c.plist","lines":{"begin":1}}}
        ]

        """)
  }

  @Test func `an accepted finding does not count, and every report gives its reason`() {
    let report = LintReportsTests.annotated
    #expect(report.count(.warning) == 1 && report.accepted == 1)
    let forms = LintReports(report, toolVersion: "1", policyVersion: "1")
    for form in [
      text(forms.csv()), text(forms.ndjson()), text(forms.markdown()), text(forms.junit(gate: [.error])),
      text(LintReports(report, toolVersion: "1", policyVersion: "1").html()),
      text(LintReports(report, toolVersion: "1", policyVersion: "1").sarif()),
      text(LintText.rendered(report, TextOptions())),
    ] {
      #expect(form.contains("until the next release"))
    }
  }

  @Test func `no format contains a control or bidirectional character`() {
    for form in all {
      let bad = form.unicodeScalars.first { scalar in
        let category = scalar.properties.generalCategory
        return scalar != "\n" && scalar != "\r"
          && (category == .control || category == .format || scalar == "\u{2028}")
      }
      #expect(bad == nil)
    }
  }

  @Test func `every format lists every finding and the unreadable file`() {
    for form in all {
      for finding in LintReportsTests.report.files[0].findings { #expect(form.contains(finding.rule.rawValue)) }
      #expect(form.contains("no such file or directory"))
    }
  }

  @Test func `no heading says that nothing was found in a file that could not be read`() {
    let unread = LintReport.File(name: "c.plist", error: "no such file or directory")
    let read = LintReport.File(name: "b.plist", sha256: "", hasSettings: true, findings: [])
    for (files, heading) in [([unread], "1 unreadable"), ([read, unread], "nothing found, 1 unreadable"), ([read], "nothing found")] {
      let forms = LintReports(LintReport(release: .newest, files: files), toolVersion: "1", policyVersion: "1")
      #expect(text(forms.markdown()).hasPrefix("# atscope lint: \(heading)\n"))
      #expect(text(forms.html()).contains("<h1>\(heading)</h1>"))
    }
  }

  @Test func `the CSV report has a row for each finding, and no cell is a formula`() {
    let lines = text(forms.csv()).components(separatedBy: "\r\n")
    #expect(lines.first == "file,line,severity,id,path,message,fix,accepted")
    #expect(lines.count == LintReportsTests.report.files[0].findings.count + 3)
    #expect(
      !lines.contains { $0.contains(",=") || $0.contains(",+") || $0.contains(",@") || $0.contains(",-") })
    #expect(lines.contains("\"c <d>.plist\",,unread,,,\"no such file or directory\",,"))
    #expect(lines.contains("a/Info.plist,7,error,LINT-KEY-CASE,NSExceptionDomains,\"upper case\",,"))
  }

  @Test func `each NDJSON line is the report of one file`() throws {
    let lines = text(forms.ndjson()).split(separator: "\n")
    #expect(lines.count == 3)
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["schema"] as? String == "atscope.lint/1")
      #expect((object?["files"] as? [Any])?.count == 1)
    }
  }

  @Test func `JUnit reports errors as failures, unreadable files as errors, the rest as passed`() {
    let report = LintReportsTests.report
    let junit = text(forms.junit(gate: [.error]))
    let cases = report.files[0].findings.count + 2
    #expect(
      junit.contains("tests=\"\(cases)\" failures=\"\(report.count(.error))\" errors=\"1\" skipped=\"0\""))
    #expect(junit.contains("<failure type=\"LINT-KEY-CASE\" message=\"upper case\">line 7"))
    #expect(!junit.contains("<script"))
    #expect(junit.contains("nothing found"))
  }

  @Test(arguments: [([LintRule.Severity.error], 0), ([.error, .warning], 1), ([.remark], 0)])
  func `a JUnit case fails for a file that gives exit status 1 without an error`(gate: [LintRule.Severity], failures: Int) {
    let finding = LintFinding(.tlsLow, at: SettingPath(["x"]), line: 8, "low")
    let file = LintReport.File(name: "a.plist", sha256: "", hasSettings: true, findings: [finding, finding])
    let forms = LintReports(LintReport(release: .newest, files: [file]), toolVersion: "1", policyVersion: "1")
    let junit = text(forms.junit(gate: Set(gate)))
    #expect(junit.contains("failures=\"\(failures)\""))
    #expect(junit.contains("message=\"WARNING: gives exit status 1 under --fail-on or --strict\"") == (failures > 0))
  }

  @Test func `SARIF results have the line of the key`() throws {
    let log = LintReports(LintReportsTests.report, toolVersion: "1.2.3", policyVersion: "1").sarif()
    let object = try JSONSerialization.jsonObject(with: Data(log)) as? [String: Any]
    let run = try #require((object?["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == LintReportsTests.report.files[0].findings.count)
    let upper = try #require(
      results.first { $0["ruleId"] as? String == "LINT-KEY-CASE" && "\($0)".contains("upper") })
    #expect(upper["level"] as? String == "error")
    let location = (upper["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
    #expect((location?["region"] as? [String: Any])?["startLine"] as? Int == 7)
    let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
    let rules = driver?["rules"] as? [[String: Any]] ?? []
    #expect(rules.map { $0["id"] as? String } == LintRule.allCases.map(\.rawValue))
    for result in results {
      #expect(rules[result["ruleIndex"] as? Int ?? 0]["id"] as? String == result["ruleId"] as? String)
    }
    let invocation = (run["invocations"] as? [[String: Any]])?.first
    #expect(invocation?["executionSuccessful"] as? Bool == false)
  }

  @Test func `the HTML page has no script and no markup from the file`() {
    let page = text(LintReports(LintReportsTests.report, toolVersion: "1", policyVersion: "1").html())
    #expect(page.contains("default-src 'none'; style-src 'sha256-"))
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<d>"))
    #expect(
      page.components(separatedBy: "<tr role=\"row\">").count == LintReportsTests.report.files[0].findings.count
        + 2)
  }

  @Test func `every row of the Markdown table has the same number of cells`() {
    let rows = text(forms.markdown()).split(separator: "\n").filter { $0.hasPrefix("| **") }
    #expect(rows.count == LintReportsTests.report.files[0].findings.count)
    for row in rows {
      // An escaped bar is text.
      let plain = row.replacingOccurrences(of: "\\|", with: "")
      #expect(plain.count { $0 == "|" } == 7, "\(row)")
    }
  }
}
