import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateParsing
import PolicyResolution
import Reporting
import ReportSamples
import SessionModel
import SessionRecords
import TLSParsing
import Testing
import Values

@Suite struct TextReportTests {
  private func text(
    _ hosts: HostCollector = Samples.hosts(), _ summary: SummaryRecord = Samples.summary(),
    _ run: RunRecord = Samples.run(), _ options: TextOptions = TextOptions()
  ) -> String {
    String(decoding: TextReport(run: run, hosts: hosts, summary: summary).rendered(options), as: UTF8.self)
  }

  @Test(arguments: [(60, GoldenTexts.columns60), (80, GoldenTexts.columns80), (120, GoldenTexts.columns120)])
  func `the report fits the width of the terminal`(width: Int, golden: String) {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(width: width))
    #expect(text == golden)
    // Commands are not wrapped, so that they can be copied.
    let lines = text.split(separator: "\n").filter { !$0.contains("collect.sh") }
    #expect(lines.allSatisfy { $0.count <= width })
  }

  @Test func `the full report contains every finding of every host`() {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(detail: .full))
    #expect(text == GoldenTexts.details80)
  }

  @Test func `settings of an Info.plist that are ignored are noted`() {
    var run = Samples.run()
    let ignored = (1...12).map { "line \($0): NSAllowsArbitraryLoads: counts as absent" }
    run.infoPlists = [RunRecord.Source(file: "Info.plist", sha256: "00", ignored: ignored)]
    let text = text(Samples.hosts(), Samples.summary(), run, TextOptions(width: 120))
    #expect(text.contains("Note            Info.plist, line 1: NSAllowsArbitraryLoads: counts as absent\n"))
    #expect(text.contains("Note            4 more settings ignored: atscope lint\n"))
  }

  @Test func `the quiet report contains the counts and no findings`() {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(detail: .quiet))
    #expect(text.contains("6 hosts:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 2 (1 relaxed)\n"))
    #expect(text.contains("9 sessions:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 5 (1 relaxed)\n"))
    #expect(text.contains("2 hosts fail: TLS version (2), certificate dates (2).\n"))
    #expect(!text.contains("  Fix ") && !text.contains("--details"))
    #expect(text.contains("Limits reached"))
  }

  @Test func `the text names the hosts whose exempt or relaxed sessions give exit status 1`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.exempt, exemption: "ATS is off."))
    hosts.add(Samples.session("b.example"), Samples.relaxed)
    hosts.add(Samples.session("b.example"), Samples.judgement(.pass))
    for detail in TextDetail.allCases {
      func row(_ gate: Set<GateVerdict>) -> Substring? {
        text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160, gate: gate, detail: detail))
          .split(separator: "\n").first { $0.hasPrefix("--fail-on ") }
      }
      #expect(row([.fail, .unknown]) == nil)
      #expect(row([.exempt])?.hasSuffix("  exempt: a.example") == true)
      #expect(row([.refused]) == nil)
      #expect(row([.exempt, .relaxed])?.hasSuffix("  exempt: a.example; relaxed: b.example (1 of 2 sessions)") == true)
    }
  }

  @Test func `the advice for a single host is shown at every level of detail`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.failing)
    for detail in TextDetail.allCases {
      let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(detail: detail))
      #expect(text.contains("no Extended Master Secret (a.example)"))
      #expect(text.contains("ADV-EMS") == (detail == .full))
    }
  }

  /// The reports of a host whose sessions are added in this order, and in reverse order.
  private func texts(of judgements: [(TLSVersion, Shared<Judgement>)]) -> [String] {
    [judgements, judgements.reversed()].map { order in
      var hosts = HostCollector()
      for (version, judgement) in order { hosts.add(Samples.session("a.example", version: version), judgement) }
      return text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200))
    }
  }

  private func failing(_ exception: NarrowestException, code: Int) -> Shared<Judgement> {
    var judgement = Samples.failing.value
    judgement.narrowestException = exception
    judgement.predictedError?.code = code
    return Shared(judgement)
  }

  @Test func `the exception for a host allows all of its sessions, in any order`() {
    let texts = texts(of: [
      (.tls10, failing(.entry(host: "a.example", keys: ["NSExceptionMinimumTLSVersion": .string("TLSv1.0")]), code: -1200)),
      (
        .tls11,
        failing(
          .entry(
            host: "a.example",
            keys: [
              "NSExceptionMinimumTLSVersion": .string("TLSv1.1"), "NSExceptionRequiresForwardSecrecy": .boolean(false),
            ]), code: -1200)
      ),
    ])
    for text in texts {
      #expect(
        text.contains(
          "NSExceptionMinimumTLSVersion = TLSv1.0, NSExceptionRequiresForwardSecrecy = NO for a.example in Info.plist\n"))
      // Neither version is that of both sessions.
      #expect(!text.contains("2 sessions   TLS"))
    }
  }

  @Test func `what keys could lift for another host does not count as impossible to relax`() {
    for (unlistable, words) in [
      ("the capture does not show", "for a host that the capture does not show"), (nil, "by Info.plist"),
    ] as [(String?, String)] {
      let obstacle = NarrowestException.Obstacle(reason: "no key.", rules: [.tlsVersion], unlistable: unlistable)
      var hosts = HostCollector()
      hosts.add(Samples.session("a.example"), failing(.impossible(obstacle), code: -1200))
      let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200, detail: .full))
      #expect(text.contains("none: TLS version cannot be relaxed \(words)\n"))
    }
  }

  @Test func `the entry for a host keeps what another entry allows`() {
    var relaxed = Samples.finding("ATS-PFS", .relaxed, "no forward secrecy")
    relaxed.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "example")
    let cleartext = NarrowestException.entry(host: "a.example", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)])
    let texts = texts(of: [
      (.tls10, failing(cleartext, code: -1022)), (.tls12, Samples.judgement(.pass, [relaxed])),
    ])
    for text in texts {
      #expect(
        text.contains(
          "NSExceptionAllowsInsecureHTTPLoads = YES, NSExceptionRequiresForwardSecrecy = NO for a.example in Info.plist"))
    }
  }

  @Test func `the entry for a host keeps what another entry allows on another port`() {
    var relaxed = Samples.finding("ATS-PFS", .relaxed, "no forward secrecy")
    relaxed.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "example")
    var hosts = HostCollector()
    let cleartext = NarrowestException.entry(host: "a.example", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)])
    hosts.add(Samples.cleartext("a.example"), failing(cleartext, code: -1022))
    hosts.add(Samples.session("a.example"), Samples.judgement(.pass, [relaxed]))
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200))
    #expect(
      text.contains(
        "NSExceptionAllowsInsecureHTTPLoads = YES, NSExceptionRequiresForwardSecrecy = NO for a.example in Info.plist"))
  }

  @Test func `exceptions and errors of a host that cannot be merged are all listed`() {
    let texts = texts(of: [
      (.tls10, failing(.entry(host: "a.example", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]), code: -1022)),
      (.tls11, failing(.impossible(.init(reason: "an expired certificate")), code: -1202)),
    ])
    for text in texts {
      #expect(text.contains("1 of 2 sessions: NSExceptionAllowsInsecureHTTPLoads = YES for a.example in Info.plist"))
      #expect(text.contains("1 of 2 sessions: no Info.plist key is enough"))
      #expect(text.contains("NSURLErrorDomain -1022") && text.contains("NSURLErrorDomain -1202"))
    }
  }

  @Test func `hosts with the same findings share a block and a fix`() {
    var hosts = HostCollector()
    for name in ["a", "b", "c"] { hosts.add(Samples.session("\(name).example", frame: 6), Samples.failing) }
    for name in ["d", "e", "f"] {
      let dates = Samples.finding(
        "ATS-CERT-DATES", .fail,
        "the leaf \(name) expired long before the session that shows it, and others too",
        expected: "valid certificates", parts: [.certificates], fix: .server("renew the certificate"))
      hosts.add(Samples.session("\(name).example", frame: 60), Samples.judgement(.fail, [dates], score: 40))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.ranges(of: "  FAIL   3 hosts                3 sessions").count == 2)
    #expect(text.contains("a.example (frame 6), b.example (frame 6),"))
    #expect(text.ranges(of: "renew the certificate").count == 2)
    #expect(text.ranges(of: "requires").count == 2)
    // Hosts that differ only in their observations have a row each.
    #expect(text.contains("           d.example            the leaf d expired long before"))
    #expect(text.ranges(of: "  frames 62-64\n").count == 3)
    #expect(text.contains("--details shows every finding and 3 more notes.\n"))
    #expect(text.contains("         Undecided              Certificate trust, Certificate host name\n"))
  }

  @Test func `a requirement that contains the host is generic in a block of several hosts`() {
    var hosts = HostCollector()
    for name in ["a", "b"] {
      let finding = Samples.finding(
        "ATS-CERT-HOST", .fail, "the leaf is for c.example", expected: "a certificate for \(name).example")
      hosts.add(Samples.session("\(name).example"), Samples.judgement(.fail, [finding]))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("the leaf is for c.example; requires a certificate for the host\n"))
  }

  @Test(arguments: [TextDetail.brief, .full])
  func `cleartext of a host that passes over HTTPS needs an https URL, not a key`(detail: TextDetail) {
    func text(_ https: Shared<Judgement>...) -> String {
      let finding = Samples.finding("ATS-HTTPS", .fail, "cleartext HTTP", expected: "HTTPS", fix: .server("serve over HTTPS"))
      var hosts = HostCollector()
      hosts.add(
        Samples.cleartext("a.example"),
        Samples.judgement(
          .fail, [finding],
          exception: .entry(host: "a.example", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)])))
      for judgement in https { hosts.add(Samples.session("a.example"), judgement) }
      return self.text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160, detail: detail))
    }
    let passing = text(Samples.passing)
    #expect(passing.contains("change the URL to https: the host passes there without a key\n"))
    #expect(!passing.contains("serve over HTTPS") && !passing.contains("NSExceptionAllowsInsecureHTTPLoads"))
    #expect(text(Samples.passing, Samples.judgement(.fail, [])).contains("serve over HTTPS"))
    // Only a strict pass is a reason to change the URL.
    for other in [Samples.relaxed, Samples.undecided] {
      #expect(text(other).contains("serve over HTTPS"))
      #expect(text(other).contains("NSExceptionAllowsInsecureHTTPLoads = YES"))
    }
  }

  @Test func `failures are sorted by cleartext, untrusted chain and rule weight`() {
    var hosts = HostCollector()
    for (name, rule) in [
      ("lifetime", "ATS-CERT-LIFETIME"), ("version", "ATS-TLS-VERSION"), ("trust", "ATS-CERT-TRUST"),
      ("http", "ATS-HTTPS"),
    ] {
      hosts.add(
        Samples.session("\(name).example"), Samples.judgement(.fail, [Samples.finding(rule, .fail, "x")]))
    }
    let headings = text(hosts).split(separator: "\n").filter { $0.hasPrefix("  FAIL") }
    #expect(
      headings.map { $0.dropFirst(9).prefix { $0 != "." } } == ["http", "trust", "version", "lifetime"])
  }

  @Test func `undecided rules are listed once for each way to settle them`() {
    var hosts = HostCollector()
    for name in ["a", "b", "c"] {
      var (trust, transparency) = (
        Samples.finding("ATS-CERT-TRUST", .unknown), Samples.finding("ATS-CT", .unknown)
      )
      trust.missing = .encrypted
      trust.settledBy = [.keyLog, .chain(server: "\(name).example")]
      transparency.settledBy = [.evidence("a handshake with SCTs")]
      transparency.notes = ["The client did not request SCTs."]
      hosts.add(Samples.session("\(name).example"), Samples.judgement(.unknown, [trust, transparency]))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 120))
    #expect(text.contains("  UNKNOWN  3 hosts: the certificate is encrypted\n"))
    #expect(text.contains("           Also: Certificate Transparency undecided\n"))
    #expect(text.contains("           To settle: fetch the certificates with these commands"))
    #expect(text.ranges(of: "The client did not request SCTs.").count == 1)
    #expect(!text.contains("score"))
  }

  @Test func `the command that judges with collected chains repeats the options of the run`() {
    var hosts = HostCollector()
    var trust = Samples.finding("ATS-CERT-TRUST", .unknown)
    trust.settledBy = [.chain(server: "a.example")]
    hosts.add(Samples.session("a.example"), Samples.judgement(.unknown, [trust]))
    var run = Samples.run()
    run.inputs = ["trace.pcapng"]
    func command() -> String? {
      text(hosts, Samples.summary(), run, TextOptions(width: 120)).split(separator: "\n").first { $0.contains("sh collect.sh") }
        .map { String($0.drop { $0 == " " }) }
    }
    #expect(command() == "sh collect.sh chains && atscope --chain chains trace.pcapng")
    run.anchors = [.init(file: "my ca.pem", sha256: nil)]
    run.infoPlists = [.init(file: "Info.plist", sha256: "00", appliesTo: "App")]
    run.options += [.init("os", .text("ios17")), .init("keylog", .texts(["k"])), .init("fail-on", .text("fail"))]
    #expect(
      command()
        == "sh collect.sh chains && atscope --chain chains --info-plist 'App=Info.plist' --anchors 'my ca.pem' "
        + "--os ios17 --keylog k trace.pcapng"
    )
    run.infoPlists = [.init(file: "My.app/Info.plist", sha256: "00")]
    #expect(command() == "sh collect.sh chains && atscope --chain chains OPTIONS-OF-THIS-RUN trace.pcapng")
  }

  @Test func `unusable files of options are not listed as captures`() {
    var summary = Samples.summary()
    var (key, log) = (InputSummary(file: "ca.key", kind: .option, format: nil), InputSummary(file: "pic.png", kind: .keyLog, format: nil))
    key.error = InputSummary.Fault("no certificates", at: nil)
    log.error = InputSummary.Fault("not a key log", at: nil)
    summary.inputs += [key, log]
    var run = Samples.run()
    run.options.append(.init("keylog", .texts(["pic.png", "good.keylog"])))
    let text = text(HostCollector(), summary, run, TextOptions(width: 120))
    #expect(!text.contains("0 sessions") && !text.contains("Total"))
    #expect(text.contains("key log good.keylog") && !text.contains("key log pic.png"))
    #expect(text.contains("ca.key: no certificates") && text.contains("pic.png: not a key log"))
  }

  @Test func `a chain from another session of the host is suggested first`() {
    var hosts = HostCollector()
    var trust = Samples.finding("ATS-CERT-TRUST", .unknown)
    trust.missing = .encrypted
    trust.settledBy = [.keyLog, .chain(server: "a.example")]
    hosts.add(Samples.session("a.example"), Samples.judgement(.unknown, [trust]))
    var shown = Samples.session("a.example")
    let leaf = ObservedCertificate(
      certificate: Certificate(der: [0x30, 0x00]), sha256: "00", spkiSHA256: nil)
    shown.sharedTLS?.chain = CertificateChain([leaf], isComplete: true)
    hosts.add(shown, Samples.judgement(.pass, [Samples.finding("ATS-CERT-TRUST", .pass)]))
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(
      text.contains(
        "To settle: add --chain captured (another session shows the chain), or fetch the certificates with these commands "
      ))
    var run = Samples.run()
    run.chains = [.captured]
    #expect(!self.text(hosts, Samples.summary(), run, TextOptions(width: 160)).contains("add --chain captured"))
  }

  @Test func `inherited and client certificates, refusals and the recording device are reported`() {
    var hosts = HostCollector()
    var session = Samples.session("a.example", frame: 40)
    session.sharedTLS?.chain = nil
    session.sharedAssumedChain = Shared(
      AssumedChain(
        chain: CertificateChain([], isComplete: true), source: .earlierSession,
        origin: AssumedChain.Origin(session: "0011", file: "trace.pcapng", frames: FrameList([12]))))
    session.sharedTLS?.outcome = .refusedByServer
    hosts.add(session, Samples.passing)
    let request = Samples.finding("ADV-MTLS", .fail, required: false)
    hosts.add(Samples.session("b.example"), Samples.judgement(.pass, [request]))
    var summary = Samples.summary()
    summary.inputs[0].os = "iOS 17.4"
    summary.inputs[0].hardware = "iPhone10,2"
    let text = text(hosts, summary, Samples.run(), TextOptions(width: 160))
    #expect(text.contains("recorded on iPhone10,2, iOS 17.4 (--os ios17.4 judges as that release)\n"))
    summary.inputs[0].os = "iOS 26.5"
    #expect(self.text(hosts, summary).contains("recorded on iPhone10,2, iOS 26.5\n"))
    #expect(
      text.contains("Resumed             a.example: inherits the certificate of the session at frame 12\n"))
    #expect(
      text.contains("Client certificate  b.example: client certificate requested by the server, which ATS does not judge\n"))
    #expect(text.contains("Handshake           a.example: refused by the server\n"))
  }

  @Test func `a report of thousands of hosts stays short and counts the unlisted ones`() {
    var hosts = HostCollector()
    let judgements = [Samples.failing, Samples.undecided, Samples.relaxed, Samples.passing]
    for index in 0..<10_000 {
      hosts.add(Samples.session("host\(index % 2500).example"), judgements[index % 4])
    }
    var summary = Samples.summary()
    summary.sessions = 10_000
    let text = text(hosts, summary)
    #expect(text.split(separator: "\n").count < 200)
    #expect(text.contains("2,500 hosts:    FAIL 625    UNKNOWN 625    PASS 1,250 (625 relaxed)\n"))
    #expect(text.ranges(of: " more: --details").count == 4)
  }

  @Test func `the number of hosts that a block with different observations leaves out is grouped`() {
    var hosts = HostCollector()
    for index in 0..<1100 {
      let finding = Samples.finding("ATS-CERT-HOST", .fail, "issued for other\(index).example")
      hosts.add(Samples.session("host\(index).example"), Samples.judgement(.fail, [finding]))
    }
    #expect(text(hosts).contains("… 1,080 more: --details\n"))
  }

  @Test func `numbers of hosts include those that are only counted, or are minimums`() {
    func text(_ judgement: Shared<Judgement>) -> String {
      var hosts = HostCollector(maximumDetails: 4, worstHosts: 2)
      for index in 0..<5 { hosts.add(Samples.session("host\(index).example"), judgement) }
      return self.text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 300))
    }
    #expect(text(Samples.undecided).contains("No host is known to fail; 5 are undecided, and fail under --strict."))
    #expect(text(Samples.failing).contains("5 hosts fail: TLS version (at least 2), "))
    #expect(text(Samples.relaxed).contains("(at least 2 hosts)."))
  }

  @Test func `sessions are listed one by one if requested`() {
    var report = TextSessionReport(TextOptions(grouping: .session), judges: true)
    var output = Bytes()
    for frame in [1, 21] as [UInt64] {
      report.append(Samples.session("a.example", frame: frame), Samples.failing, to: &output)
    }
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.ranges(of: "FAIL     a.example:443").count == 2)
    #expect(text.contains("frames 1-10 of trace.pcapng"))
  }

  @Test func `alternative errors of some systems are reported`() {
    func error(_ alternatives: [Int]) -> PredictedError {
      var error = PredictedError(domain: "NSURLErrorDomain", code: -1200)
      error.alternativeCodes = alternatives
      return error
    }
    var hosts = HostCollector()
    for (index, alternatives) in [[-1202], [-1202], []].enumerated() {
      let finding = Samples.finding("ATS-CERT-TRUST", .fail, "self-signed")
      // Errors of a host that differ only in the underlying code count once.
      for underlying in [-9802, -9883] {
        var error = error(alternatives)
        error.underlyingCode = underlying
        hosts.add(Samples.session("\(index).example"), Samples.judgement(.fail, [finding], error: error))
      }
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("Device error   NSURLErrorDomain -1200 (-9802), or -1202 on some systems: 0.example, 1.example\n"))
    #expect(text.contains("NSURLErrorDomain -1200 (-9802): 2.example\n"))
  }

  @Test func `a refusal of a certificate that ATS accepts includes what to check`() {
    var session = Samples.session("a.example")
    session.sharedTLS?.outcome = .refusedByClient
    session.sharedTLS?.clientAlerts = [ObservedAlert(level: 2, description: .certificateUnknown, frame: 8)]
    let advice = "; ATS accepts the certificate: check the app for pinning, or the client for a missing root\n"
    for (judgement, isAccepted) in [(Samples.passing, true), (Samples.failing, false)] {
      var hosts = HostCollector()
      hosts.add(session, judgement)
      let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
      #expect(text.contains("refused by the client (certificate_unknown)"))
      #expect(text.contains(advice) == isAccepted)
    }
  }

  @Test func `an observation is not counted for sessions with another one`() {
    var hosts = HostCollector()
    func text() -> String { self.text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200)) }
    for name in ["a.example", "b.example"] {
      for observed in ["TLS 1.0", "TLS 1.0", "TLS 1.1"] {
        hosts.add(Samples.session(name), Samples.judgement(.fail, [Samples.finding("ATS-TLS-VERSION", .fail, observed)]))
      }
      // Two hosts share a block, each with its own number.
      let count = text().ranges(of: "TLS 1.0, in 2 of 3 sessions (1 more also fails: --details)").count
      #expect(count == (name == "a.example" ? 1 : 2))
    }
  }

  @Test func `a rule that fails in some sessions of several hosts is counted for each`() {
    var hosts = HostCollector()
    let dates = Samples.finding("ATS-CERT-DATES", .fail, "expired")
    for name in ["a.example", "b.example"] {
      for findings in [[Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.0"), dates], [dates]] {
        hosts.add(Samples.session(name), Samples.judgement(.fail, findings))
      }
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("  FAIL   2 hosts                4 sessions"))
    #expect(text.ranges(of: "TLS 1.0, in 1 of 2 sessions").count == 2 && !text.contains("expired, in"))
  }

  @Test func `an allowed observation is counted like one that fails`() {
    var hosts = HostCollector()
    for observed in ["RSA key exchange", "RSA key exchange", "PSK"] {
      var finding = Samples.finding("ATS-PFS", .relaxed, observed, expected: "ECDHE")
      finding.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "a.example")
      hosts.add(Samples.session("a.example"), Samples.judgement(.pass, [finding]))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200))
    #expect(text.contains("RSA key exchange, in 2 of 3 sessions (1 more is also allowed: --details); allowed by NSException"))
  }

  @Test func `a session that shows what the server supports comes before one that its offer limits`() {
    var hosts = HostCollector()
    for (isLimited, fix) in [(true, "repeat"), (false, "enable TLS 1.2"), (false, "disable TLS 1.0")] {
      var finding = Samples.finding("ATS-TLS-VERSION", .fail, isLimited ? "TLS 1.1" : "TLS 1.0", fix: .server(fix))
      finding.isLimitedByOffer = isLimited
      var error = PredictedError(domain: "NSURLErrorDomain", code: -1200)
      error.dependsOnOffer = isLimited
      hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [finding], error: error))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200))
    #expect(text.contains("TLS 1.0, in 2 of 3 sessions (1 more also fails: --details)"))
    #expect(text.contains("Fix            Server: enable TLS 1.2; disable TLS 1.0\n"))
    #expect(text.contains("Device error   NSURLErrorDomain -1200\n") && !text.contains("only if a device fails"))
  }

  @Test func `a rejected host needs no new recording if a session shows what its server supports`() {
    var hosts = HostCollector()
    for isLimited in [true, false] {
      let fix = isLimited ? Fix.recording("repeat it") : .server("enable TLS 1.2")
      var finding = Samples.finding("ATS-TLS-VERSION", .fail, isLimited ? "TLS 1.1" : "TLS 1.0", fix: fix, required: false)
      finding.isLimitedByOffer = isLimited
      let error = PredictedError(domain: "NSURLErrorDomain", code: -1200)
      hosts.add(Samples.session("a.example"), Samples.judgement(.exempt, [finding], exemption: "ATS is off.", error: error))
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("a.example (2 sessions)   ATS is off, but the system rejects it\n"))
    #expect(text.contains("Server: enable TLS 1.2\n") && !text.contains("repeat it") && !text.contains("TLS 1.1"))
  }

  @Test func `an exempt host states how many of its sessions the system rejects`() {
    var hosts = HostCollector()
    for judgement in [Samples.rejected, Samples.judgement(.exempt, exemption: "ATS is off.")] {
      hosts.add(Samples.session("a.example"), judgement)
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("EXEMPT   a.example (1 of 2 sessions)   ATS is off, but the system rejects it\n"))
  }

  @Test func `the number of refused sessions is next to the refusal`() {
    var session = Samples.session("a.example")
    var hosts = HostCollector()
    hosts.add(session, Samples.passing)
    session.sharedTLS?.outcome = .refusedByClient
    session.sharedTLS?.clientAlerts = [ObservedAlert(level: 2, description: .unknownCA, frame: 8)]
    hosts.add(session, Samples.passing)
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 300))
    #expect(text.contains("refused by the client (unknown_ca) in 1 of 2 sessions; ATS accepts the certificate"))
  }

  @Test(arguments: [
    (AlertDescription.certificateExpired, "check the client's clock", "check its dates and the client's clock"),
    (.certificateRevoked, "--revocations FILE", "--revocations FILE"),
    (.unsupportedCertificate, "check its key and its signature", "check its key and its signature"),
    (.unknownCA, "check the client for a missing root", "the root may be private, or an intermediate missing"),
    (.badCertificate, "check the app for pinning", "the app may pin another certificate"),
  ])
  func `the hint on a refused certificate follows the client's alert`(alert: AlertDescription, accepted: String, hidden: String) {
    var session = Samples.session("a.example")
    session.sharedTLS?.outcome = .refusedByClient
    session.sharedTLS?.clientAlerts = [ObservedAlert(level: 2, description: alert, frame: 8)]
    for (judgement, hint) in [(Samples.passing, accepted), (Samples.undecided, hidden)] {
      var hosts = HostCollector()
      hosts.add(session, judgement)
      #expect(text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 300)).contains(hint))
    }
  }

  @Test(arguments: [ObservedSession.Transport.tcp, .quic])
  func `a refusal without an alert may be due to the certificate, except over QUIC`(transport: ObservedSession.Transport) {
    var session = Samples.session("a.example")
    session.transport = transport
    session.sharedTLS?.outcome = .refusedByClient
    var hosts = HostCollector()
    hosts.add(session, Samples.undecided)
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("refused by the client"))
    #expect(text.contains("the app may pin another certificate") == (transport == .tcp))
  }

  @Test func `the port is shown where the name alone is misleading`() {
    func names(_ sessions: ObservedSession...) -> String {
      var hosts = HostCollector()
      for session in sessions { hosts.add(session, Samples.passing) }
      return text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    }
    #expect(names(Samples.session("a.example")).contains("PASS     1 host: a.example\n"))
    let both = names(Samples.session("a.example"), Samples.session("a.example", port: 8443))
    #expect(both.contains("PASS     2 hosts: a.example:443, a.example:8443\n"))
    #expect(both.contains("2 hosts (each port counts separately):    PASS 2\n"))
    var cleartext = Samples.cleartext("a.example")
    cleartext.server = Endpoint(address: cleartext.server.address, port: 443)
    #expect(names(cleartext).contains("PASS     1 host: a.example:443\n"))
  }

  @Test func `a repeated observation refers to the first host that has it`() {
    var hosts = HostCollector()
    for (index, fix) in ["first", "second", "third"].enumerated() {
      let version = Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.0", expected: "TLS 1.2", fix: .server(fix))
      let trust = Samples.finding("ATS-CERT-TRUST", .fail, "a self-signed certificate", fix: .server(fix))
      hosts.add(Samples.session("\(index).example"), Samples.judgement(.fail, [version, trust]))
    }
    let text = text(hosts)
    #expect(text.contains("Certificate trust      as for 0.example\n"))
    // A short observation is repeated in full.
    #expect(text.ranges(of: "TLS version            TLS 1.0").count == 3)
  }

  @Test func `undecided rules of the same host share a heading`() {
    var (trust, transparency) = (Samples.finding("ATS-CERT-TRUST", .unknown), Samples.finding("ATS-CT", .unknown))
    trust.settledBy = [.anchors]
    transparency.settledBy = [.evidence("a handshake with SCTs")]
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.unknown, [trust, transparency]))
    let text = text(hosts)
    #expect(text.ranges(of: "  UNKNOWN  ").count == 1)
    #expect(text.contains("           Also: Certificate Transparency undecided\n"))
    #expect(text.contains("No host is known to fail; 1 is undecided, and fails under --strict.\n"))
    hosts.add(Samples.session("a.example", version: .tls13), Samples.judgement(.unknown, [transparency]))
    let several = self.text(hosts)
    #expect(several.ranges(of: "  UNKNOWN  ").count == 1)
    #expect(several.contains("           Also in 2 of 2 sessions: Certificate Transparency undecided\n"))
  }

  @Test func `an observation that depends on the host is reported apart from missing evidence`() {
    func judgement(_ version: String) -> Shared<Judgement> {
      var finding = Samples.finding("ATS-TLS-VERSION", .unknown, version)
      (finding.settledBy, finding.notes) = ([.evidence("a capture of both directions")], ["It may be local."])
      finding.dependsOnHost = true
      return Samples.judgement(.unknown, [finding])
    }
    var lacking = Samples.finding("ATS-TLS-VERSION", .unknown)
    (lacking.missing, lacking.settledBy) = (.missing, [.evidence("a capture of both directions")])
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), judgement("TLS 1.0"))
    hosts.add(Samples.session("b.example"), Samples.judgement(.unknown, [lacking]))
    let one = text(hosts)
    #expect(one.contains("  UNKNOWN  a.example: TLS version (TLS 1.0) undecided\n           It may be local.\n"))
    #expect(one.contains("  UNKNOWN  b.example: no ServerHello in the capture\n"))
    let details = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 120, detail: .full))
    #expect(details.contains("ATS-TLS-VERSION: the host is not known; TLS 1.0\n"))
    #expect(details.contains("ATS-TLS-VERSION: not in the capture\n"))
    hosts.add(Samples.session("c.example"), judgement("TLS 1.1"))
    #expect(text(hosts).contains("  UNKNOWN  2 hosts: TLS version undecided\n"))
  }

  @Test func `the header counts the sessions whose context comes from the process name`() {
    var summary = Samples.summary()
    #expect(!text(Samples.hosts(), summary).contains("as the process name indicates"))
    summary.sessionsByProcessContext = [.media: 1, .web: 9]
    let text = text(Samples.hosts(), summary, Samples.run(), TextOptions(width: 200))
    #expect(
      text.contains("by app code, or as the process name indicates (9 sessions by web views, 1 session by AVFoundation)"))
  }

  @Test func `counts of handshake secrets are shown only in the full report`() {
    var summary = Samples.summary()
    summary.inputs[0].health.append(
      NamedCount("handshakeSecrets", "handshake secret{s}", count: 2))
    #expect(!text(Samples.hosts(), summary).contains("secrets"))
    #expect(text(Samples.hosts(), summary, Samples.run(), TextOptions(detail: .full)).contains("2 handshake secrets"))
  }

  @Test func `the reasons for connections without a handshake are distinguished`() {
    func reason(_ connections: UInt64, _ counts: (String, UInt64)...) -> String {
      var summary = SummaryRecord()
      var input = InputSummary(file: "a.pcap", kind: .capture, format: "pcap")
      input.health = counts.map { NamedCount($0.0, "", count: $0.1) }
      summary.inputs = [input]
      return summary.reason(ofSilent: connections)
    }
    #expect(
      reason(1) == "1 connection shows no handshake; start recording before the connections begin")
    #expect(
      reason(2, ("truncatedBySnaplen", 9))
        == "2 connections show no handshake; record whole packets, such as with tcpdump -s 0, from before the connections begin")
    #expect(
      reason(1, ("connectionsReset", 1))
        == "1 connection was reset before any data, as by a server that refuses it")
    #expect(
      reason(2, ("connectionsWithOtherData", 2), ("refusedConnects", 1))
        == "1 connection ended after a proxy refused its HTTP CONNECT; "
        + "1 connection carried neither a TLS handshake nor an HTTP request (CONNECT does not count)")
    #expect(
      reason(3, ("connectionsWithoutData", 1), ("connectionsWithOtherData", 2))
        == "1 connection carried no data; "
        + "2 connections carried neither TLS handshakes nor HTTP requests (CONNECT does not count)")
  }

  @Test func `the reason that --process excludes all sessions says how to find the processes`() {
    func reason(_ choices: [String], hasProcesses: Bool) -> String {
      var summary = SummaryRecord()
      summary.inputs = [InputSummary(file: "a.pcap", kind: .capture, format: "pcap")]
      summary.inputs[0].sessions = 2
      return summary.nothingJudged(of: ["a.pcap"], choices: choices, hasProcesses: hasProcesses)
    }
    let lead = "a.pcap: no session was judged: "
    let known = lead + "--process excludes all 2 sessions: 'atscope --group-by process' lists the processes of the input"
    #expect(reason(["--process"], hasProcesses: true) == known)
    #expect(reason(["--process"], hasProcesses: false).contains("the input contains no process names; choose with --host"))
    #expect(reason(["--host"], hasProcesses: true) == lead + "--host excludes all 2 sessions")
  }

  @Test func `the reason that no session was judged names what was not read`() {
    func reason(_ counts: NamedCount...) -> String {
      var summary = SummaryRecord()
      var input = InputSummary(file: "a.pcap", kind: .capture, format: "pcap")
      input.packets = 9
      input.health = counts
      summary.inputs = [input]
      return summary.nothingJudged(of: ["a.pcap"], choices: [], hasProcesses: false)
    }
    let lead = "a.pcap: no session was judged: "
    let fragments = NamedCount("fragments", "IP fragment{s}", count: 4)
    #expect(reason(fragments) == lead + "the input contains no TLS handshake and no cleartext HTTP request")
    var datagrams = NamedCount("quicOtherVersions", "QUIC datagram{s} of {an |}unsupported version{s}", count: 1, meaning: .notRead)
    datagrams.details = ["Q046"]
    #expect(
      reason(fragments, datagrams) == lead + "what could be read contains no TLS handshake and no cleartext HTTP request; "
        + "not read: 1 QUIC datagram of an unsupported version (Q046)")
    let others = ["a", "b", "c"].map { NamedCount($0, $0, count: 2, meaning: .notRead) }
    #expect(reason(others[0], others[1], others[2], datagrams).hasSuffix("; not read: 2 a, 2 b, 2 c, …"))
  }

  @Test func `no line is longer than the width of the terminal`() {
    for width in 40...200 {
      let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(width: width))
      for line in text.split(separator: "\n") where line.count > width {
        // A command is one line, so that it can be copied.
        if line.contains("collect.sh") { continue }
        // A long word cannot be wrapped.
        let words = line.split(separator: " ")
        #expect(words.contains { $0.count > width - 26 }, "\(width): \(line)")
      }
    }
  }

  @Test func `the full report is complete in a narrow terminal`() {
    func words(_ width: Int) -> [String: Int] {
      let options = TextOptions(width: width, detail: .full)
      let text = text(Samples.hosts(), Samples.summary(), Samples.run(), options)
      var counts: [String: Int] = [:]
      for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "(" || $0 == ")" }) {
        counts[String(word), default: 0] += 1
      }
      return counts
    }
    let wide = words(300)
    for width in 40...120 { #expect(words(width) == wide) }
  }

  @Test func `several sessions may inherit the certificates of different sessions`() {
    var hosts = HostCollector()
    for frame in [12, 40] as [UInt64] {
      var session = Samples.session("a.example", frame: frame + 10)
      session.sharedTLS?.chain = nil
      session.sharedAssumedChain = Shared(
        AssumedChain(
          chain: CertificateChain([], isComplete: true), source: .earlierSession,
          origin: AssumedChain.Origin(session: "\(frame)", file: "trace.pcapng", frames: FrameList([frame]))))
      hosts.add(session, Samples.passing)
    }
    let inheritance = "inherits the certificate of an earlier session (frame 12 for the first)\n"
    #expect(text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160)).contains(inheritance))
    hosts.add(Samples.session("a.example"), Samples.passing)
    let mixed = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(mixed.contains("2 sessions inherit the certificate of an earlier session (frame 12 for the first)\n"))
  }

  @Test func `a finding on inherited certificates names the earlier session and its frames`() {
    func report(originFile: String) -> String {
      var session = Samples.session("api.example.com", frame: 40)
      session.evidence.frames[.certificates] = FrameList()
      session.sharedAssumedChain = Shared(
        AssumedChain(
          chain: CertificateChain([], isComplete: true), source: .earlierSession,
          origin: AssumedChain.Origin(
            session: "00112233445566aa", file: originFile, frames: FrameList([6, 8]))))
      var hosts = HostCollector()
      let finding = Samples.finding("ATS-CERT-DATES", .fail, "expired", parts: [.certificates])
      hosts.add(session, Samples.judgement(.fail, [finding], score: 40))
      return text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    }
    #expect(report(originFile: "trace.pcapng").contains("frames 6, 8, an earlier session"))
    #expect(
      report(originFile: "first.pcapng").contains("frames 6, 8 of first.pcapng, an earlier session"))
  }

  @Test func `color adds only escape sequences`() {
    let plain = text()
    let colored = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(useColor: true))
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.contains("\u{1B}[1;31mFAIL\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
  }

  @Test func `names from the capture cannot send control characters to the terminal`() {
    let hostile = "\u{1B}]0;x\u{07}\u{9B}31m\u{202E}\u{2066}\r\n\u{200F}\u{0}"
    var hosts = HostCollector()
    let session = Samples.session(hostile, file: hostile)
    var finding = Samples.finding("ATS-CERT-HOST", .fail, hostile, expected: hostile, fix: .server(hostile))
    finding.notes = [hostile]
    finding.decidingKey = KeyReference(key: "NSExceptionMinimumTLSVersion", entry: hostile)
    var open = Samples.finding("ATS-CT", .unknown)
    open.settledBy = [.evidence(hostile), .chain(server: hostile)]
    hosts.add(
      session,
      Samples.judgement(
        .fail, [finding, open], exception: .entry(host: hostile, keys: ["A": .string(hostile)])))
    hosts.add(session, Samples.judgement(.unknown, [open]))
    hosts.add(
      session, Samples.judgement(.exempt, exemption: hostile, exception: .impossible(.init(reason: hostile))))
    var summary = Samples.summary()
    summary.inputs[0].file = hostile
    summary.inputs[0].error = .init(DisplayText.escaped(hostile), at: 7)
    summary.inputs[0].health[0].details = [DisplayText.escaped(hostile)]
    var run = Samples.run()
    run.infoPlists = [.init(file: hostile, sha256: nil, appliesTo: hostile)]
    for width in [40, 80, 160] {
      let text = text(hosts, summary, run, TextOptions(width: width))
      for scalar in text.unicodeScalars where scalar != "\n" {
        #expect(scalar.properties.generalCategory != .control)
        #expect(scalar.properties.generalCategory != .format)
      }
      #expect(text.contains("\\x1b]0;x\\x07\\u{9b}31m\\u{202e}\\u{2066}\\x0d\\x0a\\u{200f}\\x00"))
    }
  }

  @Test func `hosts without the requested verdicts are counted but not listed`() {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(shown: [.fail]))
    #expect(!text.contains("api.example.com") && !text.contains("  UNKNOWN  "))
    #expect(text.contains("mixed.example"))
    #expect(text.contains("Not shown       4 hosts without a failure"))
    let gated = self.text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(shown: [.fail, .unknown]))
    #expect(gated.contains("  UNKNOWN  ") && !gated.contains("4 hosts without a failure"))
  }

  @Test func `several inputs are listed, and each host with the file of its first session`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example", frame: 6, file: "one.pcap"), Samples.failing)
    hosts.add(Samples.session("b.example", frame: 8, file: "two.pcap"), Samples.failing)
    hosts.add(Samples.session("b.example", frame: 9, file: "two.pcap"), Samples.failing)
    var summary = Samples.summary()
    summary.inputs = (0..<11).map { index in
      var input = InputSummary(file: "\(index).pcap", kind: .capture, format: "pcap")
      input.packets = 10
      input.sessions = 1
      return input
    }
    summary.inputs[2].error = .init("a record of 99 bytes where 4 are left", at: 12_345, isTruncated: true)
    summary.inputs[3].error = .init("not a block", at: nil)
    let text = text(hosts, summary, Samples.run(), TextOptions(width: 120))
    #expect(text.contains("0.pcap           10 packets, 1 session\n"))
    #expect(text.contains("3 more inputs    30 packets, 3 sessions\n"))
    #expect(text.contains("Total            9 sessions, 2 hosts\n"))
    #expect(
      text.contains("b.example (2 sessions, frame 8 of two.pcap), a.example (frame 6 of one.pcap)\n"))
    #expect(text.contains("Truncated   2.pcap at byte 12,345: a record of 99 bytes where 4 are left\n"))
    #expect(text.contains("Unusable    3.pcap: not a block\n"))
  }

  @Test(arguments: [1, 2])
  func `the header states how many sessions were chosen, for one input and for several`(inputs: Int) {
    var summary = Samples.summary()
    summary.inputs = Array(repeating: summary.inputs[0], count: inputs)
    (summary.sessions, summary.notShown) = (1, 8)
    #expect(text(HostCollector(), summary).contains("1 of 9 sessions, 0 hosts"))
  }

  @Test func `a capture without sessions is reported as such`() {
    let nothing = text(HostCollector(), SummaryRecord())
    #expect(nothing.contains("no sessions were found"))
    #expect(nothing.contains("Total          0 sessions, 0 hosts"))
    var summary = SummaryRecord()
    summary.inputs = [InputSummary(file: "empty.pcap", kind: .capture, format: "pcap")]
    var run = Samples.run()
    run.options.append(.init("filter", .text("")))
    let empty = text(HostCollector(), summary, run)
    #expect(empty.contains("empty.pcap     0 packets, 0 sessions, 0 hosts"))
    #expect(!empty.contains("only packets that match"))
  }

  @Test func `a requirement above the default names its key`() {
    var finding = Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.2", expected: "TLS 1.3")
    finding.decidingKey = KeyReference(key: "NSExceptionMinimumTLSVersion", entry: "a.example")
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [finding]))
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 120))
    #expect(text.contains("required by NSExceptionMinimumTLSVersion of a.example"))
  }

  @Test(arguments: [
    (
      ["2020-02-23"], "iOS 26.5",
      "the capture is from 2020, but judged as iOS 26.5; --os at-session judges each session as the release of its time (iOS 13.3)"
    ),
    (
      ["2019-09-18", "2020-02-23", "2026-05-01"], "iOS 26.5",
      "2 of 3 captures are from 2019 to 2020, but judged as iOS 26.5; --os at-session judges each session as the release of its time (iOS 12.4 to 13.3)"
    ),
    (
      ["2013-01-01"], "iOS 26.5",
      "the capture is from 2013, before ATS, but judged as iOS 26.5; --os at-session judges each session as the first release with ATS (iOS 9)"
    ),
    (["2020-02-23"], "iOS 13.3", ""), (["2020-02-23"], "iOS of each session's time", ""), (["2026-05-01"], "iOS 26.5", ""),
  ])
  func `the header states once that captures are years older than the release`(days: [String], release: String, words: String) {
    var (summary, run) = (Samples.summary(), Samples.run())
    run.releaseName = release
    summary.inputs = days.map { day in
      var input = summary.inputs[0]
      input.firstTime = Timestamp(iso8601: day + "T10:11:12Z")
      input.lastTime = input.firstTime
      return input
    }
    let text = text(Samples.hosts(), summary, run, TextOptions(width: 300))
    #expect(text.ranges(of: "--os at-session").count == (words.isEmpty ? 0 : 1))
    #expect(words.isEmpty || text.contains("Note            \(words)\n"))
    // If all captures are old, certificates of now settle nothing.
    #expect(text.contains("To settle: record again, since") == !days.contains("2026-05-01"))
    #expect(text.contains("certificates --missing") == days.contains("2026-05-01"))
    run.assumptions.append(RunRecord.Setting("at", .text("2026-05-01T00:00:00Z")))
    #expect(self.text(Samples.hosts(), summary, run).contains("certificates --missing"))
  }

  @Test func `an error is conditional if the client did not offer what ATS requires`() {
    var version = Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.0", fix: .server("repeat"))
    version.isLimitedByOffer = true
    let trust = Samples.finding("ATS-CERT-TRUST", .fail, "self-signed")
    var error = PredictedError(domain: "NSURLErrorDomain", code: -1200)
    let exception = NarrowestException.entry(host: "a.example", keys: ["NSExceptionMinimumTLSVersion": .string("TLSv1.0")])
    for (findings, isLimited) in [([version], true), ([version, trust], false)] {
      var hosts = HostCollector()
      error.dependsOnOffer = isLimited
      hosts.add(Samples.session("a.example"), Samples.judgement(.fail, findings, error: error, exception: exception))
      for detail in [TextDetail.brief, .full] {
        let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200, detail: detail))
        #expect(text.contains("NSURLErrorDomain -1200 (only if a device fails too)\n") == isLimited)
        #expect(text.contains("TLSv1.0 for a.example in Info.plist (only if a device") == (isLimited && detail == .brief))
        #expect(text.contains("TLSv1.0 (only if a device") == (isLimited && detail == .full))
      }
    }
  }

  @Test func `the brief report marks a server that chose badly from a better offer`() {
    let suite = Samples.finding("ATS-CIPHER", .fail, "CBC").noting(OfferRemark.serverChose)
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [suite]))
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 120))
    #expect(text.contains("Cipher suite           CBC, although the client offered better\n"))
    #expect(!text.contains("more note"))
  }

  @Test func `a block refers to fixes that are listed after the hosts`() {
    var hosts = HostCollector()
    for (index, id) in ["ATS-PFS", "ATS-CT", "ATS-CIPHER"].enumerated() {
      let trust = Samples.finding("ATS-CERT-TRUST", .fail, "self-signed", fix: .server("use a public CA"))
      let other = Samples.finding(id, .fail, fix: index == 0 ? .server("enable ECDHE") : nil)
      hosts.add(Samples.session("\(index).example"), Samples.judgement(.fail, [trust, other]))
    }
    let text = text(hosts)
    #expect(text.contains("  Fix            Server: enable ECDHE; see also Fix 1 below\n"))
    #expect(text.ranges(of: "  Fix            See Fix 1 below\n").count == 2)
    #expect(text.contains("  Fix 1          For "))
    #expect(text.contains("\n                 Server: use a public CA\n"))
  }

  @Test(arguments: ["", "\u{7}", "\u{202E}"])
  func `a fix for several hosts names none of them, whatever their names contain`(part: String) {
    var hosts = HostCollector()
    for name in ["a\(part).example", "b\(part).example"] {
      let finding = Samples.finding("ATS-CERT-HOST", .fail, "another name", fix: .server("use a certificate that lists \(name)"))
      hosts.add(Samples.session(name), Samples.judgement(.fail, [finding]))
    }
    #expect(text(hosts).contains("Server: use a certificate that lists the host\n"))
  }

  @Test func `captures without plausible times are not called old`() {
    var summary = Samples.summary()
    summary.inputs[0].firstTime = Timestamp(seconds: 61_368)
    summary.inputs[0].lastTime = Timestamp(seconds: 61_400)
    #expect(Wording.ageNote(of: summary, in: Samples.run())?.contains("from 1970") == true)
    summary.inputs[0].health = [NamedCount("implausibleTimes", "packet{s} with implausible times", count: summary.inputs[0].packets)]
    #expect(Wording.ageNote(of: summary, in: Samples.run()) == nil)
    #expect(!NextSteps(summary, in: Samples.run()).isOld)
  }

  @Test func `an unreachable server is the reason of an unknown verdict`() {
    var session = Samples.session("a.example", version: nil)
    session.sharedTLS?.outcome = .incomplete
    session.evidence.notes = [.icmpUnreachable]
    session.evidence.frames[.outcome] = FrameList([14])
    var hosts = HostCollector()
    hosts.add(session, Samples.undecided)
    let text = text(hosts)
    #expect(
      text.contains(
        "  UNKNOWN  a.example: the server is unreachable (ICMP), frame 14\n           To settle: record again when the server responds\n"))
    #expect(!text.contains("--chain") && text.ranges(of: "unreachable").count == 1)
  }

  @Test(arguments: [
    (AlertDescription.protocolVersion, "refused by the server (protocol_version)", "record an Apple device that connects to this host;"),
    (.unrecognizedName, "refused by the server (unrecognized_name)", "check the host name, and record again"),
    (nil, "the server responded to the ClientHello with HTTP", "correct the port in the URL,"),
  ])
  func `a refusal is the reason of an unknown verdict, with the recording that decides it`(
    alert: AlertDescription?, reason: String, recording: String
  ) {
    var session = Samples.session("a.example", version: nil)
    session.evidence.frames[.outcome] = FrameList([6])
    if let alert {
      session.sharedTLS?.outcome = .refusedByServer
      session.sharedTLS?.serverAlerts = [ObservedAlert(level: 2, description: alert, frame: 6)]
    } else {
      session.sharedTLS?.outcome = .incomplete
      session.evidence.add(.httpResponseToClientHello)
    }
    var hosts = HostCollector()
    let error = alert == nil ? PredictedError(domain: "NSURLErrorDomain", code: -1200) : nil
    hosts.add(session, Samples.judgement(.unknown, Samples.undecided.findings, error: error))
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("  UNKNOWN  a.example: \(reason), frame 6\n"))
    #expect(text.contains("           To settle: \(recording)"))
    #expect(text.contains("           Device error: NSURLErrorDomain -1200\n") == (alert == nil))
    #expect(!text.contains("--chain") && text.ranges(of: reason).count == 1)
  }

  @Test func `the refusal of an exempt host is reported beside undecided hosts with the same refusal`() {
    var hosts = HostCollector()
    let exempt = Samples.judgement(.exempt, exemption: "The client offers foo by ALPN, not HTTP.")
    for (name, judgement) in [("a.example", Samples.undecided), ("b.example", Samples.undecided), ("c.example", exempt)] {
      var session = Samples.session(name, version: nil)
      session.sharedTLS?.outcome = .refusedByServer
      session.sharedTLS?.serverAlerts = [ObservedAlert(level: 2, description: .handshakeFailure, frame: 6)]
      hosts.add(session, judgement)
    }
    let text = text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    #expect(text.contains("  UNKNOWN  2 hosts: refused by the server (handshake_failure)\n"))
    #expect(text.contains("c.example: refused by the server (handshake_failure)\n"))
    #expect(text.ranges(of: "(handshake_failure)").count == 2)
  }

  @Test func `a client certificate that the server requires is not a matter of ATS`() {
    var session = Samples.session("a.example")
    session.sharedTLS?.outcome = .refusedByServer
    session.sharedTLS?.isClientCertificateRequested = true
    session.evidence.notes = [.clientCertificateNotSent]
    session.sharedTLS?.serverAlerts = [ObservedAlert(level: 2, description: .handshakeFailure, frame: 9)]
    var hosts = HostCollector()
    hosts.add(session, Samples.judgement(.pass))
    #expect(text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 200)).contains("this is not a matter of ATS"))
  }
}
