import ATSEvaluation
import ATSRules
import ByteParsing
import Reporting
import ReportSamples
import SessionModel
import SessionRecords
import TLSParsing
import Testing
import Values

@testable import ReportFormats

@Suite struct FormatTests {
  private func report(_ form: some SessionReport, _ names: [String] = Samples.hostileNames) -> String {
    var form = form
    var output = Bytes()
    var hosts = HostCollector()
    form.begin(Samples.run(), to: &output)
    for (index, name) in names.enumerated() {
      let session = Samples.session(name, frame: UInt64(index * 20 + 1))
      var finding = Samples.finding(
        "ATS-CERT-HOST", .fail, "a certificate for \(name)", expected: name, parts: [.certificates], fix: .server(name)
      )
      finding.notes = [name]
      let judgement = Samples.judgement(.fail, [finding], exception: .impossible(.init(reason: name)))
      hosts.add(session, judgement)
      form.append(session, judgement, to: &output)
    }
    var summary = Samples.summary()
    summary.inputs[0].file = names.joined()
    summary.inputs[0].hardware = names.joined()
    summary.inputs[0].os = names.joined()
    form.end(hosts, summary, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func hasControls(_ text: String, but allowed: Set<Unicode.Scalar>) -> Bool {
    text.unicodeScalars.contains { scalar in
      let category = scalar.properties.generalCategory
      return !allowed.contains(scalar)
        && (category == .control || category == .format || scalar == "\u{2028}")
    }
  }

  @Test func `no report contains a control or bidirectional character`() {
    #expect(!hasControls(report(CSVReport(judges: true)), but: ["\r", "\n"]))
    #expect(!hasControls(report(JUnitReport(judges: true)), but: ["\n"]))
    #expect(!hasControls(report(SARIFReport(judges: true)), but: ["\n"]))
    #expect(!hasControls(report(MarkdownReport(judges: true)), but: ["\n"]))
    #expect(!hasControls(report(HTMLReport(judges: true)), but: ["\n", "\t"]))
    #expect(!hasControls(report(NDJSONReport()), but: ["\n"]))
    #expect(!hasControls(report(ECSReport()), but: ["\n"]))
  }

  @Test(arguments: ["=cmd", "+1", "-1", "@x", "x;=cmd", "x; @y", "\u{FF1D}cmd", "x;\u{FF0B}1"])
  func `a cell that could be a formula begins with an apostrophe`(name: String) {
    let rows = report(CSVReport(judges: true), [name]).split(separator: "\r\n")
    #expect(rows.count == 2)
    #expect(rows[1].contains(",\"'\(name)\","))
  }

  @Test func `a row has a cell for every column, judged or not`() {
    for judges in [true, false] {
      // The name contains no comma and no quote.
      let rows = report(CSVReport(judges: judges), ["a.example"]).split(separator: "\r\n")
      let counts = Set(rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).count })
      #expect(counts.count == 1)
    }
  }

  @Test func `a row contains the ALPN protocol that was negotiated under encryption`() {
    var session = Samples.session("api.example.com")
    session.sharedTLS?.protectedALPN = "h3"
    var report = CSVReport(judges: false)
    var table = Bytes()
    report.append(session, nil, to: &table)
    #expect(String(decoding: table, as: UTF8.self).contains(",h3,"))
  }

  @Test func `names in the HTML page cannot end a script or begin an element`() {
    let page = report(HTMLReport(judges: true))
    #expect(page.components(of: "<script").count == page.components(of: "</script>").count)
    #expect(page.components(of: "<script").count == 6)
    #expect(!page.contains("<img"))
    #expect(page.contains("\\u003c/script>"))
  }

  @Test func `the parts in the HTML page give the session records, byte for byte`() {
    let page = report(HTMLReport(judges: true))
    let lines = report(NDJSONReport()).split(separator: "\n").filter {
      $0.hasPrefix("{\"schema\":\"atscope.session")
    }
    var parts: [Substring] = []
    var records: [String] = []
    for line in page.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      if fields.first == "P", fields.count == 2 { parts.append(fields[1]) }
      guard fields.first == "S", fields.count > 2 else { continue }
      records.append(
        fields[2...].enumerated().map { index, field in
          index % 2 == 0 ? String(field) : Int(field).map { String(parts[$0]) } ?? "?"
        }.joined())
    }
    let isSame = records == lines.map { String($0).replacing("<", with: "\\u003c") }
    #expect(isSame)
  }

  @Test func `markup in names is escaped in Markdown`() {
    // Removing the code span of a name with backticks would need a parser.
    let text = report(MarkdownReport(judges: true), Samples.hostileNames.filter { !$0.contains("`") })
    let outside = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
    #expect(!outside.contains("<") && !outside.contains("](") && !outside.contains("http:"))
    #expect(outside.contains("&lt;script&gt;"))
  }

  @Test(arguments: ["@team", "#1", "!2", "group$3", "~label", "%v1", "&epic"])
  func `text cannot become a mention or a reference on a code host`(text: String) {
    let shown = MarkdownWriter.text("see \(text)")
    #expect(shown.contains("&#8203;"))
  }

  @Test func `a code span is fenced with more backticks than it contains`() {
    let text = report(MarkdownReport(judges: true), ["`code` | x"])
    #expect(text.contains("| `` `code` \\| x:443 `` |"))
  }

  @Test func `a name cannot create a link or a placeholder in a SARIF message`() {
    let text = report(SARIFReport(judges: true), ["{0} [x](1)"])
    #expect(text.contains("{{0}} \\\\[x\\\\](1)"))
  }

  @Test func `SARIF lists unknown rules only if requested, and otherwise counts unknown hosts`() {
    for listsUnknown in [false, true] {
      var hosts = HostCollector()
      hosts.add(Samples.session("b.example"), Samples.undecided)
      var form = SARIFReport(judges: true, listsUnknown: listsUnknown)
      var output = Bytes()
      form.begin(Samples.run(), to: &output)
      form.end(hosts, Samples.summary(), to: &output)
      let text = String(decoding: output, as: UTF8.self)
      #expect(text.contains("\"kind\":\"open\"") == listsUnknown)
      #expect(text.contains("not listed: 1 unknown host") != listsUnknown)
    }
  }

  @Test func `JUnit skips unknown rules and passes advisories`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.failing)
    hosts.add(Samples.session("b.example"), Samples.undecided)
    hosts.add(Samples.session("c.example"), Samples.relaxed)
    var form = JUnitReport(judges: true)
    var output = Bytes()
    form.end(hosts, Samples.summary(), to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(
      text.contains("<testsuites name=\"atscope\" tests=\"13\" failures=\"2\" errors=\"0\" skipped=\"6\""))
    #expect(text.contains("<system-out>advice: fail\n"))
    #expect(text.contains("allowed by NSExceptionRequiresForwardSecrecy of old.example"))
  }

  @Test func `JUnit proposes no key for cleartext of a host that passes over HTTPS, else all keys of the host's entry`() {
    let cleartext = Samples.judgement(
      .fail, [Samples.finding("ATS-HTTPS", .fail, "HTTP without TLS", expected: "HTTPS")],
      exception: .entry(host: "a.example", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]))
    func report(_ other: Shared<Judgement>) -> String {
      var hosts = HostCollector()
      hosts.add(Samples.cleartext("a.example"), cleartext)
      hosts.add(Samples.session("a.example"), other)
      var form = JUnitReport(judges: true)
      var output = Bytes()
      form.end(hosts, Samples.summary(), to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(!report(Samples.passing).contains("exception: "))
    var relaxed = Samples.finding("ATS-PFS", .relaxed, "no forward secrecy")
    relaxed.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "example")
    let keys = "NSExceptionAllowsInsecureHTTPLoads = YES, NSExceptionRequiresForwardSecrecy = NO"
    #expect(report(Samples.judgement(.pass, [relaxed])).contains(keys))
  }

  @Test func `SARIF and JUnit reports of saved sessions propose a new audit with a key log`() {
    var summary = Samples.summary()
    summary.inputs = [InputSummary(file: "a.ndjson", kind: .sessions, format: nil)]
    func report(_ form: some SessionReport) -> String {
      var form = form
      var output = Bytes()
      var hosts = HostCollector()
      hosts.add(Samples.session("b.example"), Samples.undecided)
      form.begin(Samples.run(), to: &output)
      form.end(hosts, summary, to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    for text in [report(JUnitReport(judges: true)), report(SARIFReport(judges: true, listsUnknown: true))] {
      #expect(text.contains("audit the capture again with --keylog FILE"))
    }
  }

  @Test func `text and Markdown report a host that the system rejects with ATS off`() {
    let version = Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.0", required: false)
    var hosts = HostCollector()
    hosts.add(
      Samples.session("a.example"),
      Samples.judgement(
        .exempt, [version], exemption: "ATS is off.", error: PredictedError(domain: "NSURLErrorDomain", code: -1200)))
    hosts.add(Samples.session("b.example"), Samples.judgement(.exempt, exemption: "ATS is off."))
    let report = TextReport(run: Samples.run(), hosts: hosts, summary: Samples.summary())
    let text = String(decoding: report.rendered(TextOptions(width: 160)), as: UTF8.self)
    #expect(
      text.contains(
        "No host fails ATS.\n1 host does not load: ATS is off for it, but the system rejects it.\n"))
    let remark =
      "ATS is off, but the system still rejects it: TLS version (TLS 1.0); an app would receive NSURLErrorDomain -1200"
    #expect(text.contains("EXEMPT   a.example   ATS is off, but the system rejects it\n           TLS version            TLS 1.0\n"))
    #expect(text.contains("           Device error           NSURLErrorDomain -1200\n"))
    #expect(text.contains("EXEMPT   b.example   ATS is off\n"))
    var markdown = MarkdownReport(judges: true)
    var output = Bytes()
    markdown.begin(Samples.run(), to: &output)
    markdown.end(hosts, Samples.summary(), to: &output)
    let page = String(decoding: output, as: UTF8.self).replacing("\\", with: "")
    #expect(page.contains(remark) && page.contains("| ATS is off |"))
  }

  @Test(arguments: [true, false])
  func `an empty capture is listed, and the unusable file of an option is neither an input nor used`(isMarkdown: Bool) {
    var summary = Samples.summary()
    summary.inputs = [InputSummary(file: "empty.pcap", kind: .capture, format: "pcap")]
    summary.inputs.append(InputSummary(file: "no.keys", kind: .keyLog, format: nil))
    summary.inputs[1].error = InputSummary.Fault("no such file", at: nil)
    var run = Samples.run()
    run.options.append(.init("keylog", .texts(["no.keys"])))
    var form: any SessionReport = isMarkdown ? MarkdownReport(judges: true) : HTMLReport(judges: true)
    var output = Bytes()
    form.begin(run, to: &output)
    form.end(HostCollector(), summary, to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("0 packets, ") && text.contains("no.keys: no such file"))
    #expect(!text.contains("key log no.keys"))
    #expect(!text.contains("`no.keys`: 0 sessions") && !text.contains("\"label\":\"no.keys\""))
  }

  @Test func `Markdown names the rule and the key of a relaxed host`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("b.example"), Samples.relaxed)
    var form = MarkdownReport(judges: true)
    var output = Bytes()
    form.end(hosts, Samples.summary(), to: &output)
    let remark =
      "forward secrecy (TLS\\_RSA\\_WITH\\_AES\\_128\\_GCM\\_SHA256) allowed by NSExceptionRequiresForwardSecrecy of old.example |"
    #expect(String(decoding: output, as: UTF8.self).contains(remark))
  }

  @Test func `no format calls a rule advice for which the system rejects a load with ATS off`() {
    func report(_ form: some SessionReport) -> String {
      var form = form
      var output = Bytes()
      var hosts = HostCollector()
      form.begin(Samples.run(), to: &output)
      hosts.add(Samples.session("a.example"), Samples.rejected)
      form.append(Samples.session("a.example"), Samples.rejected, to: &output)
      form.end(hosts, Samples.summary(), to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    let words = "rejected by the system, although ATS is off"
    let junit = report(JUnitReport(judges: true))
    #expect(junit.contains("<system-out>\(words): no root; requires a trusted root") && junit.contains("failures=\"0\""))
    let sarif = report(SARIFReport(judges: true))
    #expect(sarif.contains("\"level\":\"warning\",\"message\":{\"text\":\"a.example:443: no root") && sarif.contains(words))
    let onlyFailures = report(SARIFReport(judges: true, shown: [.fail, .refused], gate: [.fail, .refused]))
    #expect(onlyFailures.contains(words) && !onlyFailures.contains("\"ruleId\":\"ADV-EMS\""))
    #expect(!report(SARIFReport(judges: true, shown: [.fail])).contains(words))
    #expect(report(JUnitReport(judges: true, gate: [.refused])).contains("REFUSED: gives exit status 1 under --fail-on or --strict"))
    let csv = report(CSVReport(judges: true))
    #expect(csv.contains(",exemption,refusedRules\r\n") && csv.contains(",ADV-EMS,") && csv.hasSuffix(",ATS-CERT-TRUST\r\n"))
    let ecs = report(ECSReport())
    #expect(ecs.contains("\"rules\":{\"advice\":[\"ADV-EMS\"],\"refused\":[\"ATS-CERT-TRUST\"]},\"fix\":[\"Server: use a public CA"))
    #expect(ecs.contains("\"reason\":\"ATS is off. Rejected by the system, although ATS is off: no root; requires a trusted root\""))
  }

  @Test func `reports of failures also contain the other causes of exit status 1`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.unknown, [Samples.finding("ATS-CERT-HOST", .unknown)]))
    var summary = Samples.summary()
    summary.shortfall = "1 session was judged; --min-sessions requires 2"
    func report(_ form: some SessionReport) -> String {
      var form = form
      var output = Bytes()
      form.begin(Samples.run(), to: &output)
      form.end(hosts, summary, to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    let junit = report(JUnitReport(judges: true, shown: [.fail, .unknown], gate: [.fail, .unknown]))
    #expect(junit.contains("failures=\"2\""))
    #expect(junit.contains("UNKNOWN: gives exit status 1"))
    #expect(report(JUnitReport(judges: true, shown: [.fail])).contains("failures=\"1\""))
    let sarif = report(SARIFReport(judges: true, shown: [.fail, .unknown], listsUnknown: true))
    #expect(sarif.contains("\"executionSuccessful\":false") && sarif.contains("\"kind\":\"open\""))
    let markdown = report(MarkdownReport(judges: true, shown: [.fail, .unknown]))
    #expect(markdown.contains("`a.example:443`") && !markdown.contains("without a failure"))
    for text in [junit, sarif, markdown, report(HTMLReport(judges: true))] { #expect(text.contains("1 session was judged")) }
  }

  @Test func `numbers of hosts include those that are only counted`() {
    var hosts = HostCollector(maximumDetails: 4, worstHosts: 2)
    for index in 0..<5 { hosts.add(Samples.session("host\(index).example"), Samples.undecided) }
    func report(_ form: some SessionReport) -> String {
      var form = form
      var output = Bytes()
      form.end(hosts, Samples.summary(), to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(report(SARIFReport(judges: true)).contains("not listed: 5 unknown hosts; --strict"))
    #expect(report(HTMLReport(judges: true)).contains("\"furtherHosts\":{\"fail\":0,\"unknown\":3,"))
  }

  @Test func `the sessions of a page are settled in the words of other reports, without chains of today for old captures`() {
    func page(_ day: String) -> String {
      var summary = Samples.summary()
      for index in summary.inputs.indices {
        summary.inputs[index].firstTime = Timestamp(iso8601: day + "T10:11:12Z")
        summary.inputs[index].lastTime = summary.inputs[index].firstTime
      }
      var form = HTMLReport(judges: true)
      var output = Bytes()
      form.begin(Samples.run(), to: &output)
      form.end(HostCollector(), summary, to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    let recent = page("2026-05-01")
    #expect(recent.contains("\"--keylog FILE\":\"add --keylog FILE if the app wrote a key log\""))
    #expect(recent.contains("\"insteadOfChain\":null"))
    #expect(page("2019-04-29").contains("\"insteadOfChain\":\"record again, since certificates fetched now are newer than the sessions\""))
  }

  @Test func `a session that the server did not answer is settled by a new recording`() {
    var session = Samples.session("a.example", version: nil)
    session.sharedTLS?.outcome = .incomplete
    session.evidence.notes = [.icmpUnreachable]
    func report(_ form: some SessionReport) -> String {
      var form = form
      var (output, hosts) = (Bytes(), HostCollector())
      form.begin(Samples.run(), to: &output)
      hosts.add(session, Samples.undecided)
      form.append(session, Samples.undecided, to: &output)
      form.end(hosts, Samples.summary(), to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    for text in [report(JUnitReport(judges: true)), report(SARIFReport(judges: true, listsUnknown: true))] {
      #expect(text.contains("to settle: record again when the server responds") && !text.contains("--chain lh3.example.com"))
    }
    #expect(report(HTMLReport(judges: true)).contains("\"recording\":\"record again when the server responds\""))
  }

  @Test func `JUnit asks for no other client if the server refused all that a device offers`() {
    var session = Samples.session("a.example", version: nil)
    session.sharedTLS?.outcome = .refusedByServer
    session.sharedTLS?.serverAlerts = [ObservedAlert(level: 2, description: .handshakeFailure, frame: 9)]
    for (judgement, recording) in [
      (Samples.undecided, "record an Apple device"),
      (Samples.judgement(.fail, Samples.failing.findings + Samples.undecided.findings), "record again when the server is fixed"),
    ] {
      var hosts = HostCollector()
      hosts.add(session, judgement)
      var report = JUnitReport(judges: true)
      var output = Bytes()
      report.begin(Samples.run(), to: &output)
      report.end(hosts, Samples.summary(), to: &output)
      #expect(String(decoding: output, as: UTF8.self).contains("to settle: \(recording)"))
    }
  }

  @Test func `SARIF warns of exempt and relaxed sessions if they give exit status 1`() {
    func report(_ gate: Set<GateVerdict>) -> String {
      var hosts = HostCollector()
      hosts.add(Samples.session("a.example"), Samples.judgement(.exempt, exemption: "ATS is off."))
      hosts.add(Samples.session("b.example"), Samples.relaxed)
      var form = SARIFReport(judges: true, gate: gate)
      var output = Bytes()
      form.end(hosts, Samples.summary(), to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    let warning = "\"kind\":\"fail\",\"level\":\"warning\",\"message\":{\"text\":\""
    #expect(!report([.fail]).contains(warning) && !report([.fail]).contains("ATS is off."))
    let exempt = report([.exempt])
    #expect(exempt.contains("{\"ruleId\":\"exempt\",") && exempt.contains(warning + "a.example:443: exempt: ATS is off."))
    #expect(exempt.contains("\"kind\":\"review\",\"level\":\"none\""))
    let relaxed = report([.relaxed])
    #expect(relaxed.contains(warning + "b.example:443: TLS_RSA_WITH_AES_128_GCM_SHA256") && !relaxed.contains("ATS is off."))
  }

  @Test(
    arguments: [
      (Timestamp(seconds: 0), Timestamp(seconds: 2, nanoseconds: 500_000_000), 2_500_000_000),
      (Timestamp(seconds: 0, nanoseconds: 999_999_999), Timestamp(seconds: 9_223_372_035), 9_223_372_034_000_000_001),
      (Timestamp(seconds: 0), Timestamp(seconds: 9_223_372_036, nanoseconds: 900_000_000), nil),
      (Timestamp(seconds: .min), Timestamp(seconds: .max), nil),
      (Timestamp(seconds: 5), Timestamp(seconds: 4), nil),
    ] as [(Timestamp, Timestamp, Int?)])
  func `a duration in ECS is in nanoseconds, and omitted if 64 bits cannot contain it`(start: Timestamp, end: Timestamp, duration: Int?) {
    var session = Samples.session("a.example")
    session.start = start
    session.end = end
    var report = ECSReport()
    var output = Bytes()
    report.append(session, nil, to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains(duration.map { "\"duration\":\($0)}" } ?? "\"end\":\"\(end)\"}"))
  }

  @Test func `every report of judged sessions notes that a capture is years older than the release`() {
    var summary = Samples.summary()
    summary.inputs[0].firstTime = Timestamp(iso8601: "2016-05-01T10:11:12Z")
    summary.inputs[0].lastTime = summary.inputs[0].firstTime
    func report(_ form: some SessionReport) -> String {
      var form = form
      var output = Bytes()
      form.begin(Samples.run(), to: &output)
      form.end(HostCollector(), summary, to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    let reports = [
      report(SARIFReport(judges: true)), report(JUnitReport(judges: true)), report(MarkdownReport(judges: true)),
      report(HTMLReport(judges: true)),
    ]
    for text in reports { #expect(text.contains("the capture is from 2016")) }
  }

  @Test func `JUnit contains the limits of the run and the connections without a handshake`() {
    var summary = Samples.summary()
    summary.limits = [NamedCount("capturedChains", "session{s} whose chain{s} {is|are} not assumed for others", count: 2)]
    var form = JUnitReport(judges: false)
    var output = Bytes()
    form.end(nil, summary, to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("<system-out>not judged: 4 connections show no handshake: 1.2.3.4:443 (4)\n"))
    #expect(text.contains("limits reached: 2 sessions whose chains are not assumed for others</system-out>"))
  }

  @Test(arguments: [true, false])
  func `JUnit and Markdown count only the sessions with the stated observation`(isMarkdown: Bool) {
    var report: any SessionReport = isMarkdown ? MarkdownReport(judges: true) : JUnitReport(judges: true)
    var (output, hosts) = (Bytes(), HostCollector())
    report.begin(Samples.run(), to: &output)
    for observed in ["TLS 1.0", "TLS 1.0", "TLS 1.1"] {
      hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [Samples.finding("ATS-TLS-VERSION", .fail, observed)]))
    }
    report.end(hosts, Samples.summary(), to: &output)
    #expect(String(decoding: output, as: UTF8.self).contains("in 2 of 3 sessions, and in 1 more with a different observation or offer"))
  }

  @Test func `JUnit gives the fixes of all sessions of a host that break a rule`() {
    var (output, hosts) = (Bytes(), HostCollector())
    for fix in ["renew the certificate", "send the chain"] {
      let finding = Samples.finding("ATS-CERT-TRUST", .fail, "no root", fix: .server(fix))
      hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [finding]))
    }
    var form = JUnitReport(judges: true)
    form.end(hosts, Samples.summary(), to: &output)
    #expect(String(decoding: output, as: UTF8.self).contains("fix: Server: renew the certificate; send the chain"))
  }

  @Test func `JUnit does not say that an archive or a key log has no sessions`() {
    var summary = Samples.summary()
    summary.inputs = [InputSummary(file: "a.zip", kind: .archive, format: nil), InputSummary(file: "a.log", kind: .keyLog, format: nil)]
    var form = JUnitReport(judges: false)
    var output = Bytes()
    form.end(nil, summary, to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("name=\"a.zip\"") && text.contains("name=\"a.log\"") && !text.contains(">0 sessions"))
  }

  @Test func `a truncated input is an error in JUnit`() {
    var summary = Samples.summary()
    summary.inputs[0].error = .init("cut off at byte 7: too short", at: 7, isTruncated: true)
    var form = JUnitReport(judges: false)
    var output = Bytes()
    form.end(nil, summary, to: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(
      text.contains("<error type=\"truncated\" message=\"trace.pcapng: cut off at byte 7: too short\"/>"))
  }
}

extension String {
  /// The indices at which `text` begins.
  fileprivate func components(of text: String) -> [String.Index] { ranges(of: text).map(\.lowerBound) }
}
