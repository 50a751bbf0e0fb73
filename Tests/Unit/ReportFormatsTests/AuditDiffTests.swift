import ATSEvaluation
import ATSRules
import ReportSamples
import Reporting
import SessionModel
import SessionRecords
import Testing
import TLSParsing

@testable import ReportFormats

@Suite struct AuditDiffTests {
  private func snapshot(_ sessions: [(ObservedSession, Shared<Judgement>)]) -> AuditSnapshot {
    var snapshot = AuditSnapshot()
    for (session, judgement) in sessions { snapshot.add(session, judgement) }
    return snapshot
  }

  private func judgement(_ verdict: Verdict, _ outcomes: [(String, Finding.Outcome)]) -> Shared<Judgement> {
    Samples.judgement(verdict, outcomes.map { Samples.finding($0.0, $0.1, "seen", expected: "asked") })
  }

  private func diff(
    _ before: Shared<Judgement>, _ after: Shared<Judgement>,
    counting counted: Set<AuditDiff.Concern> = [.fail]
  ) -> AuditDiff {
    AuditDiff(
      baseline: snapshot([(Samples.session("a.example"), before)]),
      current: snapshot([(Samples.session("a.example", frame: 900), after)]), counting: counted)
  }

  /// The values of `--fail-on` with which a comparison fails.
  private func concerns(_ before: Shared<Judgement>, _ after: Shared<Judgement>) -> [AuditDiff.Concern] {
    AuditDiff.Concern.allCases.filter { diff(before, after, counting: [$0]).isWorse }
  }

  private let pass = Finding.Outcome.pass

  @Test func `an audit does not differ from itself, in any order`() {
    let sessions = [
      (Samples.session("a.example"), Samples.failing), (Samples.session("b.example"), Samples.undecided),
      (Samples.cleartext("c.example"), Samples.exempt),
    ]
    let diff = AuditDiff(baseline: snapshot(sessions), current: snapshot(sessions.reversed()))
    #expect(diff.isEmpty)
    #expect(diff.commonHosts == 3)
  }

  @Test func `a load that the system begins to reject although ATS is off is a regression`() {
    let passing = judgement(.exempt, [("ATS-CERT-DATES", .pass)])
    var content = judgement(.exempt, [("ATS-CERT-DATES", .fail)]).value
    content.findings[0].isRequired = false
    content.predictedError = PredictedError(domain: "NSURLErrorDomain", code: -1202)
    let refused = Shared(content)
    #expect(diff(passing, refused).changes.map(\.kind) == [.regression])
    #expect(diff(passing, refused).changes.map(\.after) == ["refused"])
    #expect(diff(refused, passing).changes.map(\.kind) == [.improvement])
    #expect(diff(judgement(.exempt, [("ATS-CERT-DATES", .fail)]), refused).changes.map(\.kind) == [.moved])
    content.predictedError = nil
    #expect(diff(passing, Shared(content)).changes.map(\.kind) == [.moved], "not a URL load")
  }

  @Test(
    arguments: [
      (Finding.Outcome.pass, Finding.Outcome.fail, AuditDiff.Kind.regression), (.unknown, .fail, .regression),
      (.relaxed, .fail, .regression), (.pass, .relaxed, .regression), (.fail, .relaxed, .regression),
      (.pass, .unknown, .noLongerVisible), (.fail, .unknown, .noLongerVisible), (.fail, .pass, .improvement),
      (.relaxed, .pass, .improvement), (.unknown, .pass, .improvement),
    ])
  func `a changed rule is classified by its old and new outcome`(
    old: Finding.Outcome, new: Finding.Outcome, kind: AuditDiff.Kind
  ) {
    let diff = diff(judgement(.unknown, [("ATS-CIPHER", old)]), judgement(.unknown, [("ATS-CIPHER", new)]))
    #expect(diff.changes.map(\.kind) == [kind])
    #expect(diff.changes.first?.subject == .rule(.cipherSuite))
    #expect(diff.changes.first?.before == old.rawValue)
    #expect(diff.changes.first?.after == new.rawValue)
  }

  @Test func `a host that passed and is now unknown is reported as no longer visible`() {
    let asked = diff(judgement(.pass, []), judgement(.unknown, [("ATS-PIN", .unknown)]))
    #expect(asked.open(.noLongerVisible).map(\.subject) == [.verdict])
    #expect(asked.open(.regression).isEmpty)
    #expect(concerns(judgement(.pass, []), judgement(.unknown, [("ATS-PIN", .unknown)])) == [.unknown])
    let hidden = diff(
      judgement(.pass, [("ATS-CT", .pass)]), judgement(.unknown, [("ATS-CT", .unknown)]))
    #expect(hidden.open(.noLongerVisible).map(\.subject) == [.rule(.certificateTransparency)])
  }

  @Test func `a host that becomes exempt is a regression`() {
    let diff = diff(judgement(.pass, []), judgement(.exempt, []))
    #expect(diff.open(.regression).map(\.subject) == [.verdict])
  }

  @Test func `only the failing rules of a new host are regressions`() {
    let diff = AuditDiff(
      baseline: snapshot([]),
      current: snapshot([
        (Samples.session("a.example"), Samples.failing), (Samples.session("b.example"), Samples.relaxed),
      ]))
    #expect(Set(diff.open(.regression).map(\.subject)) == [.rule(.tlsVersion), .rule(.certificateDates)])
    #expect(diff.newHosts.map(\.host) == ["a.example:443", "b.example:443"])
  }

  @Test func `a vanished host is reported but is not a regression`() {
    let diff = AuditDiff(
      baseline: snapshot([(Samples.session("a.example"), Samples.failing)]), current: snapshot([]))
    #expect(diff.vanishedHosts.map(\.host) == ["a.example:443"])
    #expect(diff.changes.isEmpty && !diff.isEmpty)
  }

  @Test func `Markdown counts the hosts and changes that it does not list`() {
    let hosts = (0..<502).map { (Samples.session("h\($0).example"), Samples.failing) }
    let (none, all) = (snapshot([]), snapshot(hosts))
    let added = String(decoding: DiffReports(AuditDiff(baseline: none, current: all), runs).markdown(), as: UTF8.self)
    #expect(added.contains("further changes\n"))
    for (baseline, current) in [(none, all), (all, none), (all, all)] {
      let markdown = String(decoding: DiffReports(AuditDiff(baseline: baseline, current: current), runs).markdown(), as: UTF8.self)
      #expect(markdown.contains("and 2 further hosts\n"))
    }
  }

  @Test func `changed versions, cipher suites and groups are reported as moved`() {
    let diff = AuditDiff(
      baseline: snapshot([(Samples.session("a.example"), Samples.passing)]),
      current: snapshot([
        (Samples.session("a.example", version: .tls13, suite: 0x1301, group: 0x11EC), Samples.passing)
      ]))
    #expect(diff.changes.map(\.kind) == [.moved, .moved, .moved])
    #expect(diff.changes.map(\.subject) == [.versions, .cipherSuites, .groups])
  }

  @Test func `a key exchange without a group is not reported as not observed`() {
    let diff = AuditDiff(
      baseline: snapshot([(Samples.session("a.example"), Samples.passing)]),
      current: snapshot([(Samples.session("a.example", suite: 0x009C, group: nil), Samples.passing)]))
    #expect(diff.changes.map(\.subject) == [.cipherSuites, .groups])
    #expect(diff.changes.last?.words == "x25519 -> no group observed")
    let reports = DiffReports(diff, runs)
    for bytes in [reports.text(TextOptions()), reports.markdown(), reports.html()] {
      #expect(String(decoding: bytes, as: UTF8.self).contains("no group observed"))
    }
  }

  @Test func `an accepted change is reported but does not count`() {
    var diff = diff(judgement(.pass, [("ATS-CIPHER", .pass)]), judgement(.fail, [("ATS-CIPHER", .fail)]))
    diff.accept { $0.subject == .rule(.cipherSuite) && $0.hostName == "a.example" ? "until March" : nil }
    #expect(diff.open(.regression).isEmpty)
    #expect(diff.accepted.map(\.accepted) == ["until March"])
    let text = String(decoding: DiffReports(diff, runs).text(TextOptions()), as: UTF8.self)
    // The text may be wrapped at any word.
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("accepted: until March"))
  }

  @Test func `a host that fails the same rule on both sides is in the headline and has a line`() {
    let failing = judgement(.fail, [("ATS-CIPHER", .fail), ("ATS-PFS", .pass)])
    #expect(diff(failing, failing).headline == "nothing changed (1 host; 1 host fails on both sides)")
    let diff = diff(failing, judgement(.fail, [("ATS-CIPHER", .fail), ("ATS-PFS", .fail)]))
    #expect(diff.headline == "1 regression, 1 host fails on both sides")
    let text = String(decoding: DiffReports(diff, runs).text(TextOptions()), as: UTF8.self)
    #expect(text.contains("fail on both sides\n  fail             a.example:443: cipher suite\n"))
    let markdown = String(decoding: DiffReports(diff, runs).markdown(), as: UTF8.self)
    #expect(markdown.contains("## Fail on both sides\n\n- `a.example:443: cipher suite`: fail\n"))
    let page = String(decoding: DiffReports(diff, runs).html(), as: UTF8.self)
    #expect(page.contains("<h2 id=\"h-fail-on-both-sides\">Fail on both sides</h2>"))
    let json = String(decoding: DiffReports(diff, runs).json(), as: UTF8.self)
    #expect(json.contains(#""lastingFailures":[{"host":"a.example:443","rules":["ATS-CIPHER"]}]"#))
    let table = String(decoding: DiffReports(diff, runs).csv(), as: UTF8.self)
    #expect(table.contains("lastingFailure,a.example:443,ATS-CIPHER,fail,fail,,"))
    let suites = String(decoding: DiffReports(diff, runs).junit(), as: UTF8.self)
    #expect(suites.contains("fails on both sides: cipher suite"))
  }

  @Test func `regressions and rules that are no longer visible have their packets in text, tables and JUnit`() {
    let after = judgement(.fail, [("ATS-CIPHER", .fail), ("ATS-CT", .unknown), ("ATS-PFS", .pass)])
    let diff = diff(judgement(.pass, [("ATS-CIPHER", .pass), ("ATS-CT", .pass), ("ATS-PFS", .unknown)]), after)
    var runs = runs
    runs.current.inputs = ["trace.pcapng"]
    let reports = DiffReports(diff, runs)
    #expect(diff.changes.filter { $0.sighting != nil }.count == 3)
    let sightings = diff.changes.map { reports.location(of: $0) }
    #expect(sightings.compactMap { $0 } == ["frame 900", "frame 900"])
    for bytes in [reports.text(TextOptions()), reports.markdown(), reports.html()] {
      #expect(String(decoding: bytes, as: UTF8.self).ranges(of: "frame 900").count == 2)
    }
    // A case that is skipped has no details.
    let suites = String(decoding: reports.junit(), as: UTF8.self)
    #expect(suites.ranges(of: "frame 900").count == 1 && suites.contains("improvement: unknown -&gt; pass"))
    // The file may be one of many in a folder, even if the others show no change.
    runs.current.inputs = ["folder"]
    #expect(diff.changes.compactMap { DiffReports(diff, runs).location(of: $0) }.first == "frame 900 of trace.pcapng")
  }

  @Test func `other changes have the same name in JUnit as elsewhere`() {
    let older = snapshot([(Samples.session("a.example"), Samples.passing)])
    let newer = snapshot([(Samples.session("a.example", suite: 0x009C, group: nil), Samples.passing)])
    let suites = String(decoding: DiffReports(AuditDiff(baseline: older, current: newer), runs).junit(), as: UTF8.self)
    #expect(suites.contains("other change: ") && !suites.contains("moved"))
  }

  @Test func `an expired acceptance is named with the host that still fails, and in the headline`() {
    let failing = judgement(.fail, [("ATS-CIPHER", .fail)])
    var diff = diff(failing, failing)
    diff.expire("expired in March") { rule, _, _ in rule == "ATS-PFS" }
    #expect(diff.lastingFailures.map(\.words) == ["cipher suite"])
    diff.expire("expired in March") { rule, host, port in rule == "ATS-CIPHER" && host == "a.example" && port == 443 }
    #expect(diff.lastingFailures.map(\.words) == ["cipher suite; expired in March"])
    #expect(diff.headline == "nothing changed (1 host; 1 host fails on both sides, 1 with an expired acceptance)")
    #expect(!diff.isWorse)
    let json = String(decoding: DiffReports(diff, runs).json(), as: UTF8.self)
    #expect(json.contains(#""expired":["expired in March"]"#))
  }

  @Test func `faults and notes are escaped once in JSON, as in the other formats`() {
    var runs = runs
    var input = InputSummary(file: "a\u{1B}.pcap", kind: .capture, format: nil)
    input.error = InputSummary.Fault("no such file or directory", at: nil)
    runs.inputs = [input]
    runs.notes = ["acceptance expired: a\\x1b"]
    let forms = DiffReports(AuditDiff(baseline: snapshot([]), current: snapshot([])), runs)
    let json = String(decoding: forms.json(), as: UTF8.self)
    #expect(json.contains(#""faults":["unusable: a\\x1b.pcap: no such file or directory"]"#))
    #expect(json.contains(#""notes":["acceptance expired: a\\x1b"]"#))
    #expect(String(decoding: forms.text(TextOptions()), as: UTF8.self).contains(#"unusable: a\x1b.pcap: no such"#))
  }

  @Test func `text, Markdown, JUnit and HTML name the inputs of both sides`() {
    let reports = DiffReports(AuditDiff(baseline: snapshot([]), current: snapshot([])), runs)
    for bytes in [reports.text(TextOptions()), reports.markdown(), reports.junit(), reports.html()] {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("before.pcap") && text.contains("after "))
    }
  }

  @Test func `regressions are failures in JUnit and rows in Markdown`() {
    let diff = diff(
      judgement(.pass, [("ATS-CIPHER", .pass), ("ATS-PFS", .pass)]),
      judgement(.fail, [("ATS-CIPHER", .fail), ("ATS-PFS", .unknown)]))
    let text = String(decoding: DiffReports(diff, runs).junit(), as: UTF8.self)
    #expect(text.contains("failures=\"1\" errors=\"0\" skipped=\"1\""))
    let markdown = String(decoding: DiffReports(diff, runs).markdown(), as: UTF8.self)
    // The remarks may end with a fix, of which the packets are no part.
    #expect(markdown.contains("| `a.example:443` | Cipher suite (ATS-CIPHER) | pass | fail | frame 900 of trace.pcapng: seen; "))
  }

  @Test(
    arguments: [
      (Finding.Outcome.fail, [AuditDiff.Concern.fail]), (.relaxed, [.fail, .relaxed]), (.unknown, [.unknown]),
      (.pass, []),
    ])
  func `a changed outcome fails the comparison under matching --fail-on values`(outcome: Finding.Outcome, concerns: [AuditDiff.Concern]) {
    let shown = self.concerns(
      judgement(.pass, [("ATS-CIPHER", .pass)]), judgement(.unknown, [("ATS-CIPHER", outcome)]))
    #expect(shown == concerns)
  }

  @Test func `a verdict that becomes exempt fails under --fail-on fail and exempt`() {
    let (before, after) = (judgement(.pass, []), judgement(.exempt, []))
    #expect(concerns(before, after) == [.fail, .exempt])
    #expect(diff(before, after, counting: [.trust]).uncountedRegressions == 1)
    #expect(diff(before, after, counting: [.exempt]).uncountedRegressions == 0)
  }

  @Test func `a vanished host is a regression in the headline, JUnit and SARIF only if it counts`() {
    let baseline = snapshot([(Samples.session("a.example"), judgement(.pass, []))])
    let (reported, counted) = (
      AuditDiff(baseline: baseline, current: snapshot([])),
      AuditDiff(baseline: baseline, current: snapshot([]), counting: [.vanished])
    )
    #expect(!reported.isWorse && counted.isWorse)
    for (diff, headline, failures, level) in [
      (reported, "no regression, 1 vanished host", "failures=\"0\"", "\"none\""),
      (counted, "1 regression (1 vanished host)", "failures=\"1\"", "\"error\""),
    ] {
      #expect(diff.headline == headline)
      #expect(String(decoding: DiffReports(diff, runs).junit(), as: UTF8.self).contains(failures))
      #expect(
        String(decoding: DiffReports(diff, runs).sarif(), as: UTF8.self).contains("\"level\":\(level)"))
    }
  }

  @Test func `a rule that is no longer visible fails its test case only if it counts`() {
    for (counted, attributes) in [
      (Set([AuditDiff.Concern.fail]), "failures=\"0\" errors=\"0\" skipped=\"1\""),
      ([.fail, .unknown], "failures=\"1\" errors=\"0\" skipped=\"0\""),
    ] {
      let diff = diff(
        judgement(.pass, [("ATS-CIPHER", .pass)]), judgement(.unknown, [("ATS-CIPHER", .unknown)]),
        counting: counted)
      #expect(String(decoding: DiffReports(diff, runs).junit(), as: UTF8.self).contains(attributes))
    }
  }

  private let runs: ComparedRuns = {
    var runs = ComparedRuns(
      baseline: RunRecord(toolVersion: "1", policyVersion: "2", command: "diff"),
      current: RunRecord(toolVersion: "1", policyVersion: "2", command: "diff"))
    runs.baseline.inputs = ["before.pcap"]
    runs.current.inputs = ["after <b>.pcap"]
    return runs
  }()

  @Test func `JSON on one line is the same object`() {
    let diff = diff(judgement(.pass, [("ATS-CIPHER", .pass)]), judgement(.fail, [("ATS-CIPHER", .fail)]))
    let (whole, line) = (DiffReports(diff, runs).json(), DiffReports(diff, runs).json(onOneLine: true))
    #expect(line.filter { $0 == 0x0A }.count == 1 && line.last == 0x0A)
    let isSame = whole.filter { $0 != 0x0A } == line.filter { $0 != 0x0A }
    #expect(isSame && whole.count > line.count)
  }

  @Test func `SARIF reports a regression as a new error, with its packets`() {
    let diff = diff(
      judgement(.pass, [("ATS-CIPHER", .pass), ("ATS-PFS", .pass)]),
      judgement(.fail, [("ATS-CIPHER", .fail), ("ATS-PFS", .unknown)]))
    let text = String(decoding: DiffReports(diff, runs).sarif(), as: UTF8.self)
    #expect(text.contains(#""kind":"fail","level":"error","baselineState":"new""#))
    #expect(text.contains(#"{"uri":"trace.pcapng"},"region":{"startLine":1}}"#))
    #expect(text.contains(#","logicalLocations":[{"name":"frame 9"#))
    #expect(!text.contains("no longer visible"))
  }

  @Test func `SARIF lists rules that are no longer visible if they fail the comparison`() {
    let diff = diff(
      judgement(.pass, [("ATS-PFS", .pass)]), judgement(.unknown, [("ATS-PFS", .unknown)]),
      counting: [.fail, .unknown])
    let text = String(decoding: DiffReports(diff, runs).sarif(), as: UTF8.self)
    #expect(text.contains(#""kind":"fail","level":"error","baselineState":"updated""#))
  }

  @Test func `SARIF suppresses accepted changes`() {
    var diff = diff(judgement(.pass, [("ATS-CIPHER", .pass)]), judgement(.fail, [("ATS-CIPHER", .fail)]))
    diff.accept { _ in "replaced \"soon\"" }
    let text = String(decoding: DiffReports(diff, runs).sarif(), as: UTF8.self)
    #expect(text.contains(#""suppressions":[{"kind":"external","justification":"replaced \"soon\""}]"#))
  }

  @Test func `the HTML page has no script, and names in it are escaped`() {
    let diff = AuditDiff(
      baseline: snapshot([]),
      current: snapshot([(Samples.session("<script>alert(1)</script>"), Samples.failing)]))
    let text = String(decoding: DiffReports(diff, runs).html(), as: UTF8.self)
    #expect(!text.contains("<script"))
    #expect(text.contains("&lt;script&gt;alert(1)"))
    #expect(text.contains("after &lt;b&gt;.pcap"))
    #expect(text.contains("default-src 'none'; style-src 'sha256-"))
  }

  @Test func `text, Markdown, JUnit, HTML and SARIF report an unreadable input`() {
    var runs = runs
    var input = InputSummary(file: "lost.pcap", kind: .capture, format: nil)
    input.error = InputSummary.Fault("no such file or directory", at: nil)
    runs.inputs = [input]
    let nothing = AuditDiff(baseline: snapshot([]), current: snapshot([]))
    let forms = DiffReports(nothing, runs)
    for bytes in [
      DiffReports(nothing, runs).text(TextOptions()), forms.markdown(), forms.junit(),
      DiffReports(nothing, runs).html(), DiffReports(nothing, runs).sarif(),
    ] { #expect(String(decoding: bytes, as: UTF8.self).contains("no such file or directory")) }
  }
}
