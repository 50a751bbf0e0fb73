import ATSEvaluation
import ByteParsing
import InfoPlistReading
import Reporting
import ReportSamples
import SessionModel
import SessionRecords
import Testing
import TLSParsing

@Suite struct ExplainTextTests {
  private func sessions(_ session: ObservedSession, width: Int = 80) -> String {
    var bytes = Bytes()
    SessionsText(TextOptions(width: width)).append(session, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func explain(_ query: String?, width: Int = 80) -> String? {
    let explained = query.flatMap(Explained.init)
    if query != nil, explained == nil { return nil }
    return String(decoding: ExplainText(TextOptions(width: width)).rendered(explained), as: UTF8.self)
  }

  @Test(arguments: [
    ("NSAllowsArbitraryLoads", "disables ATS"), ("nspinneddomains", "since         iOS 14, macOS 11"),
    ("NSExceptionRequiresForwardSecrecy", "relaxes       ATS-PFS"), ("NSTemporaryExceptionMinimumTLSVersion", "LINT-ALIAS"),
    ("NSThirdPartyExceptionRequiresForwardSecrecy", "relaxes       ATS-PFS"), ("-9802", "next"), ("-1202", "TN2232"),
    ("-1001", "no response in time"),
    ("-1003", "DNS found no such host"), ("-1004", "no connection to the host"), ("-999", "canceled"),
  ])
  func `keys of Info.plist and errors that ATS does not cause are explained`(query: String, words: String) {
    #expect(explain(query)?.contains(words) == true)
  }

  @Test(arguments: [
    (
      "Task <6A>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 \"An SSL error has occurred\"",
      ["NSURLErrorDomain -1200"]
    ),
    (
      "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)",
      ["kCFStreamErrorDomainSSL -9802"]
    ),
    (
      "{NSLocalizedDescription=x, _kCFStreamErrorCodeKey=-9836, NSUnderlyingError=0x60 {Code=-1200}}",
      ["kCFStreamErrorDomainSSL -9836", "NSURLErrorDomain -1200"]
    ),
    (
      "App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure.",
      ["NSURLErrorDomain -1022", "kCFErrorDomainCFNetwork -1022"]
    ),
    ("ATS failed system trust", ["kCFStreamErrorDomainSSL -9802"]),
    (
      "boringssl_context_handle_fatal_alert(1991) [C1.1:2] read alert, level: fatal, description: protocol version",
      ["kCFStreamErrorDomainSSL -9836"]
    ),
    ("boringssl [C1.1:2] write alert, level: fatal, description: certificate unknown", nil),
    ("NSURLErrorSecureConnectionFailed", ["NSURLErrorDomain -1200"]),
    ("caught errSSLPeerHandshakeFail(1)", ["kCFStreamErrorDomainSSL -9824"]),
    ("2026-11-23 10:00:00.123 App[77:1200] nothing of ours 9802", nil), ("---", nil),
    ("-99999999999999999999", nil),
  ])
  func `a line of a log is explained by the errors that it names`(line: String, headings: [String]?) {
    let shown = explain(line)?.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
    #expect(shown == headings)
  }

  @Test(arguments: [
    ("ATS-CIPER", "ATS-CIPHER"), ("NSAllowArbitraryLoads", "NSAllowsArbitraryLoads"), ("x", nil),
    ("no such thing at all", nil),
  ])
  func `a misspelt name is put beside the one that was meant`(query: String, name: String?) {
    #expect(Explained.suggestion(for: query) == name)
  }

  @Test func `a session is summarized in a few lines`() {
    var session = Samples.session("api.example.com")
    session.tls?.clientAlerts = [
      ObservedAlert(level: 2, description: AlertDescription(rawValue: 48), frame: 20)
    ]
    session.tls?.outcome = .refusedByClient
    session.tunnel = ["vlan 12", "\u{1B}"]
    session.evidence.incomplete = .loss
    session.evidence.notes = ["tls-not-at-start"]
    #expect(
      sessions(session) == """
        api.example.com:443   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
        refused by the client (unknown_ca)
          frames       12-21 of trace.pcapng
          start        2026-05-01T10:11:12Z
          from         10.0.0.2:52011 to 203.0.113.7:443
          inside       vlan 12, \\x1b
          client says  unknown_ca (fatal)                                       frame 20
          incomplete   bytes are missing
          notes        tls-not-at-start


        """)
  }

  @Test func `requests are told without judging them`() {
    #expect(
      sessions(Samples.cleartext("cdn.example")) == """
        cdn.example:80   cleartext HTTP
          frames       3-5 of trace.pcapng
          from         10.0.0.2:52012 to 203.0.113.8:80
          name from    http-host
          request      GET cdn.example/ -> 301 to https://cdn.example            frame 3
                       and 17 more requests


        """)
  }

  @Test func `without a query every rule is listed with its weight`() throws {
    let text = try #require(explain(nil))
    for rule in RuleCatalogue.all {
      #expect(text.contains(rule.id) && text.contains(rule.title) && text.contains("weight \(rule.weight)"))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: RuleCatalogue.all.map(\.id))
  func `a rule is explained whole, in any case of its name`(id: String) throws {
    let text = try #require(explain(id.lowercased(), width: 60))
    let rule = try #require(RuleCatalogue.rule(named: id))
    let words = Set(text.split(whereSeparator: \.isWhitespace))
    for part in [rule.title, rule.demand, rule.reason, rule.fix, rule.since] + rule.sources
      + rule.relaxedBy
    {
      for word in part.split(separator: " ") {
        #expect(words.contains(word) || words.contains(word + ","), "\(word)")
      }
    }
    #expect(text.contains("policy text \(rule.section)"))
  }

  @Test(arguments: LintRule.allCases)
  func `a finding of lint is explained whole, in any case of its name`(finding: LintRule) throws {
    let text = try #require(explain(finding.rawValue.lowercased(), width: 60))
    let words = Set(text.split(whereSeparator: \.isWhitespace))
    for part in [finding.rawValue, finding.meaning, finding.fix] + finding.sources {
      for word in part.split(separator: " ") { #expect(words.contains(word), "\(word)") }
    }
    #expect(!finding.sources.isEmpty && finding.fix.hasSuffix("."))
    let json = ExplainJSON.rendered(Explained(finding.rawValue))
    #expect(String(decoding: json, as: UTF8.self).contains("\"id\":\"\(finding.rawValue)\""))
    #expect(try #require(explain(nil)).contains(finding.rawValue))
  }

  @Test func `a session shows the protocol that was agreed on under encryption`() {
    var session = Samples.session("api.example.com")
    session.tls?.protectedALPN = "h3"
    var text = Bytes()
    SessionsText(TextOptions()).append(session, to: &text)
    #expect(String(decoding: text, as: UTF8.self).contains("h3"))
    var report = CSVReport(judges: false)
    var table = Bytes()
    report.append(session, nil, to: &table)
    #expect(String(decoding: table, as: UTF8.self).contains(",h3,"))
  }

  @Test func `a session shows probable certificates and names that the capture hints at`() {
    var session = Samples.session("api.example.com")
    session.assumedChain = Shared(
      AssumedChain(
        chain: CertificateChain([], isComplete: true), source: .probable,
        origin: AssumedChain.Origin(session: "00112233445566aa", file: "b.pcap", frames: FrameList([6]))))
    session.nameHints = [NameHint(name: "cdn.example.net", source: .dns, frame: 3)]
    let text = sessions(session, width: 200)
    #expect(text.contains("probable: no subject, frame 6 of session 00112233445566aa in b.pcap"))
    #expect(text.contains("name hints"))
    #expect(text.contains("cdn.example.net (dns, frame 3)"))
  }

  @Test(arguments: ["-1200", "1200", "\u{2212}1200"])
  func `an error code leads to the rules that can be behind it`(query: String) throws {
    let text = try #require(explain(query))
    #expect(text.hasPrefix("NSURLErrorDomain -1200\n"))
    #expect(text.contains("ATS-TLS-VERSION"))
  }

  @Test(arguments: ["", "ATS", "0", "-1", "ATS-", "9999999999999999999999", "\u{1B}"])
  func `what is neither rule nor code has no answer`(query: String) {
    #expect(explain(query) == nil)
  }

  @Test func `the JSON report is one object with the records in it`() {
    var report = JSONReport()
    var bytes = Bytes()
    let session = Samples.session("api.example.com")
    var encoder = SessionEncoder()
    var record = Bytes()
    encoder.append(session, Samples.failing, to: &record)
    var run = Bytes()
    run.appendJSON(Samples.run())
    var summary = Bytes()
    summary.appendJSON(Samples.summary())
    var hosts = HostCollector()
    report.begin(Samples.run(), to: &bytes)
    for _ in 0..<2 {
      report.append(session, Samples.failing, to: &bytes)
      hosts.add(session, Samples.failing)
    }
    report.end(hosts, Samples.summary(), to: &bytes)
    let host = """
      {"host":"api.example.com","port":443,"verdict":"fail","best":"fail","relaxed":false,"sessions":2,\
      "verdicts":{"fail":2,"unknown":0,"exempt":0,"pass":0,"relaxed":0},"score":12,"bestScore":12,\
      "failingRules":["ATS-TLS-VERSION","ATS-CERT-DATES"]}
      """
    let line = String(decoding: record, as: UTF8.self)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"run":\(String(decoding: run, as: UTF8.self)),
        "sessions":[
        \(line),
        \(line)
        ],
        "hosts":[
        \(host)
        ],
        "summary":\(String(decoding: summary, as: UTF8.self))}

        """)
  }
}
