package import ATSEvaluation
import ATSEvidence
package import ATSRules
import ByteParsing
import PolicyResolution
package import Reporting
package import SessionModel
package import SessionRecords
package import TLSParsing
import Values

/// Sessions and judgements written by hand.
package enum Samples {
  /// Names with special meaning to terminals, spreadsheets, browsers and renderers.
  package static let hostileNames = [
    "\u{1B}[31m\u{7}.example", "\u{202E}moc.elgoog", "=cmd|' /C calc'!A0",
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>", "`code` | **bold** [link](http://evil.example)", "a\nb\r\nc\td\u{0}",
    "{0} {{1}} &amp; ]]>", "http://evil.example/@someone", "\u{10FFFF}\u{FFFE}\u{85}\u{2028}", "+1", "-1",
    "@x",
  ]

  package static func session(
    _ name: String?, port: UInt16 = 443, version: TLSVersion? = .tls12, suite: UInt16 = 0xC02F,
    group: UInt16? = 0x001D, frame: UInt64 = 12, file: String = "trace.pcapng"
  ) -> ObservedSession {
    var session = ObservedSession(
      file: file, firstFrame: frame, lastFrame: frame + 9, start: Timestamp(seconds: 1_777_630_272), end: nil,
      transport: .tcp, application: .tls, client: Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 52011),
      server: Endpoint(address: IPAddress(v4: 0xCB00_7107), port: port))
    session.serverName = name
    session.serverNameSource = name == nil ? nil : .sni
    var facts = TLSFacts()
    if let version {
      var answer = ServerHelloFacts()
      answer.version = version
      answer.cipherSuite = CipherSuite(rawValue: suite)
      facts.sharedServerHello = Shared(answer)
      facts.group = group.map(NamedGroup.init(rawValue:))
    }
    facts.outcome = .established
    session.sharedTLS = Shared(facts)
    session.evidence.frames[.clientHello] = FrameList([frame])
    session.evidence.frames[.serverHello] = FrameList([frame + 2])
    session.evidence.frames[.certificates] = FrameList([frame + 2, frame + 3, frame + 4])
    return session
  }

  package static func cleartext(_ name: String, frame: UInt64 = 3) -> ObservedSession {
    var session = ObservedSession(
      file: "trace.pcapng", firstFrame: frame, lastFrame: frame + 2, start: nil, end: nil, transport: .tcp,
      application: .http, client: Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 52012),
      server: Endpoint(address: IPAddress(v4: 0xCB00_7108), port: 80))
    session.serverName = name
    session.serverNameSource = .httpHost
    var request = HTTPFacts.Request(method: "GET", host: name, path: "/", frame: frame)
    request.status = 301
    request.redirectScheme = "https"
    request.redirectHost = name
    session.http = HTTPFacts(requestCount: 18, requests: [request])
    session.evidence.frames[.clientHello] = FrameList([frame])
    return session
  }

  package static func judgement(
    _ verdict: Verdict, _ findings: [Finding] = [], score: Int? = 100, confidence: Int = 100,
    grade: String? = "A+",
    exemption: String? = nil, error: PredictedError? = nil, exception: NarrowestException? = nil
  ) -> Shared<Judgement> {
    Shared(
      Judgement(
        verdict: verdict, exemption: exemption, primaryRule: findings.first { $0.outcome == .fail }?.rule,
        score: score,
        confidencePercent: confidence, grade: grade, policy: EffectivePolicy(host: "example.com"),
        findings: findings, predictedError: error, narrowestException: exception))
  }

  package static func finding(
    _ id: String, _ outcome: Finding.Outcome, _ observed: String? = nil, expected: String? = nil,
    parts: [Evidence.Part] = [],
    fix: Fix? = nil, required: Bool = true
  ) -> Finding {
    var finding = Finding(id: id, outcome: outcome, isRequired: required)
    finding.observed = observed
    finding.expected = expected
    finding.parts = parts
    finding.fix = fix
    return finding
  }

  package static let failing: Shared<Judgement> = {
    var version = finding(
      "ATS-TLS-VERSION", .fail, "TLS 1.0", expected: "TLS 1.2 or later", parts: [.serverHello],
      fix: .server("enable TLS 1.2 and 1.3"))
    version.notes = ["The client offered TLS 1.3, so the server's ceiling is shown."]
    return judgement(
      .fail,
      [
        version,
        finding(
          "ATS-CERT-DATES", .fail, "the leaf expired 2014-03-04", expected: "valid certificates",
          parts: [.certificates],
          fix: .server("renew the certificate")),
        finding("ATS-CERT-TRUST", .unknown), finding("ATS-CERT-HOST", .unknown),
        finding("ADV-EMS", .fail, required: false), finding("ADV-RENEG", .fail, required: false),
      ], score: 12, confidence: 83, grade: "F",
      error: PredictedError(
        domain: "NSURLErrorDomain", code: -1200, underlyingDomain: "kCFStreamErrorDomainSSL",
        underlyingCode: -9836),
      exception: .impossible(.init(reason: "no key allows an expired certificate")))
  }()

  package static let undecided: Shared<Judgement> = {
    let findings = ["ATS-CERT-TRUST", "ATS-CERT-DATES", "ATS-CERT-HOST", "ATS-CT"].map { id in
      var unknown = finding(id, .unknown)
      unknown.missing = .encrypted
      unknown.settledBy = [.keyLog, .chain(server: "lh3.example.com")]
      if id == "ATS-CERT-TRUST" { unknown.notes = ["The client completed the handshake."] }
      return unknown
    }
    return judgement(.unknown, findings, score: nil, confidence: 55, grade: nil)
  }()

  package static let relaxed: Shared<Judgement> = {
    var secrecy = finding(
      "ATS-PFS", .relaxed, "TLS_RSA_WITH_AES_128_GCM_SHA256", expected: "ECDHE", parts: [.serverHello])
    secrecy.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "old.example")
    return judgement(.pass, [secrecy], score: 91, grade: "A")
  }()

  package static let passing = judgement(.pass, [finding("ATS-TLS-VERSION", .pass, "TLS 1.3")])

  package static let exempt = judgement(
    .exempt, [finding("ATS-HTTPS", .fail, "cleartext HTTP", parts: [.clientHello], required: false)],
    score: nil,
    confidence: 0, grade: nil, exemption: "NSAllowsArbitraryLoads takes ATS off for this host.")

  package static let rejected = judgement(
    .exempt,
    [
      finding(
        "ATS-CERT-TRUST", .fail, "no root", expected: "a trusted root", parts: [.certificates], fix: .server("use a public CA"),
        required: false),
      finding("ADV-EMS", .fail, required: false),
    ], score: nil, grade: nil, exemption: "ATS is off.", error: PredictedError(domain: "NSURLErrorDomain", code: -1202))

  package static func run() -> RunRecord {
    var run = RunRecord(toolVersion: "1", policyVersion: "1", command: "audit")
    run.releaseName = "iOS 26.5"
    run.options = [.init("context", .text("app"))]
    return run
  }

  package static func summary() -> SummaryRecord {
    var input = InputSummary(file: "trace.pcapng", kind: .capture, format: "pcapng")
    input.packets = 1284
    input.sessions = 9
    input.firstTime = Timestamp(iso8601: "2026-05-01T10:11:12Z")
    input.lastTime = Timestamp(iso8601: "2026-05-01T10:14:00Z")
    input.health = [
      NamedCount(
        "unknownLinkType.147", "packet{s} of unknown link type 147", count: 3, meaning: .notRead),
      NamedCount(
        "truncatedBySnaplen", "packet{s} cut to the snapshot length", count: 12_345),
    ]
    input.limits = [
      NamedCount("openConnections", "connection{s} given up", count: 2)
    ]
    var summary = SummaryRecord()
    summary.sessions = 9
    summary.inputs = [input]
    summary.withoutHandshake = [
      .init(server: Endpoint(address: IPAddress(v4: 0x0102_0304), port: 443), connections: 4)
    ]
    return summary
  }

  /// Hosts of each kind.
  package static func hosts() -> HostCollector {
    var hosts = HostCollector()
    let modern = session("api.example.com", version: .tls13, suite: 0x1302, frame: 200)
    hosts.add(modern, passing)
    hosts.add(session("old.example", suite: 0x009C, group: nil, frame: 100), relaxed)
    hosts.add(cleartext("cdn.example"), exempt)
    hosts.add(
      session("lh3.example.com", version: .tls13, suite: 0x1301, group: 0x11EC, frame: 60), undecided)
    hosts.add(session("evil\u{1B}[31m\u{202E}.example", version: .tls10, suite: 0x0039, frame: 6), failing)
    hosts.add(session("mixed.example", version: .tls10, suite: 0xC013, frame: 40), failing)
    hosts.add(session("mixed.example", frame: 50), passing)
    hosts.add(session("mixed.example", frame: 70), passing)
    hosts.add(modern, passing)
    return hosts
  }
}
