import ATSEvaluation
import ATSEvidence
import ATSRules
import CertificateIssuing
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct ExemptionTests {
  private func exempt(_ change: @escaping (inout SessionBuilder) -> Void) -> Judgement {
    judged(SessionBuilder(change).session)
  }

  private func expectNotALoad(_ content: Judgement) {
    #expect(content.verdict == .exempt)
    #expect(content.exemption?.hasSuffix(".") == true)
    #expect(content.score == nil)
    #expect(content.grade == nil)
    #expect(content.confidencePercent == 0)
    #expect(content.findings.allSatisfy { !$0.isRequired })
    #expect(content.primaryRule == nil)
    #expect(content.predictedError == nil)
    #expect(content.narrowestException == nil)
  }

  @Test
  func `protocols other than HTTP are not URL loads`() {
    expectNotALoad(exempt { $0.alpn = ["imap"] })
    expectNotALoad(exempt { $0.alpn = ["\u{8A}\u{8A}", "apns-security-v3"] })
    expectNotALoad(
      exempt { builder in
        builder.finish = { $0.tunnel = [EnclosingLayer("vlan 3"), .startTLS("smtp")] }
      })
    expectNotALoad(exempt { builder in builder.finish = { $0.application = .dtls } })
    expectNotALoad(exempt { $0.suite = 0x00A8 })
    expectNotALoad(exempt { $0.suite = 0xC035 })
    expectNotALoad(exempt { builder in builder.finish = { $0.evidence.add(.externalPSK) } })
    for port: UInt16 in [465, 563, 636, 853, 990, 993, 995, 5061, 5223, 8883] {
      expectNotALoad(
        exempt {
          $0.alpn = []
          $0.port = port
        })
    }
  }

  @Test
  func `requests of trustd are exempt as the system's own traffic`() {
    for name in ["trustd", "MyApp", nil] {
      let session = SessionBuilder.http(host: "ocsp.example.com") {
        $0.process = CapturedProcess(name: name, pid: 7, source: .pktap)
      }
      #expect((judged(session).verdict == .exempt) == (name == "trustd"))
      var judge = Judge()
      #expect(judge.judge(SessionBuilder.http(host: "ocsp.example.com")).verdict == .fail)
      #expect((judge.judge(session).verdict == .exempt) == (name == "trustd"))
    }
  }

  @Test
  func `requests of trustd on behalf of an app are exempt`() {
    let session = SessionBuilder.http(host: "ocsp.example.com") {
      $0.process = CapturedProcess(
        name: "MyApp", pid: 7, isEffective: true, service: "trustd", source: .pktap)
    }
    #expect(judged(session).verdict == .exempt)
  }

  @Test
  func `a request truncated before its host is unknown if an entry allows cleartext`() {
    func content(_ dictionary: ATSDictionary, _ state: Evidence.State = .partial) -> Judgement {
      let session = SessionBuilder.http(host: nil) { $0.evidence.clientHello = state }
      return Judge(dictionary: dictionary).judgeAnew(session)
    }
    let allowing = entry("a.example", ExceptionSettings(allowsInsecureHTTPLoads: true))
    let open = content(allowing)
    #expect(open.verdict == .unknown)
    #expect(open["ATS-HTTPS"].settledBy == [.evidence("record the complete head of the request")])
    #expect(
      open["ATS-HTTPS"].notes == [
        "The request is truncated before its host, and one of the app's entries may be for it."
      ])
    #expect(
      content(allowing, .complete)["ATS-HTTPS"].notes == [
        "The request names no host, and one of the app's entries may be for it."
      ])
    // Otherwise one of the system's own entries may be for it, which all allow cleartext, but not for a request that names no host.
    let refusing = entry("a.example", ExceptionSettings(minimumTLSVersion: "TLSv1.0"))
    for dictionary in [refusing, ATSDictionary(), ATSDictionary(allowsLocalNetworking: true)] {
      #expect(
        content(dictionary)["ATS-HTTPS"].notes == [
          "The request is truncated before its host, and the system's own entries, such as that for apple.com, may be for it."
        ])
      #expect(content(dictionary, .complete).verdict == .fail)
    }
  }

  /// A session captured from the ServerHello on.
  private func hidden(_ version: UInt16 = 0x0301) -> ObservedSession {
    SessionBuilder {
      $0.hasOffer = false
      $0.host = nil
      $0.source = nil
      $0.version = version
      $0.suite = 0xC014
      $0.finish = { $0.evidence.incomplete = .startedLate }
    }.session
  }

  @Test
  func `a session with an unknown host is unknown if an entry would change the outcome`() {
    let lenient = entry("a.example", ExceptionSettings(minimumTLSVersion: "TLSv1.0"))
    let content = judged(hidden(), lenient)
    #expect(content.verdict == .unknown)
    #expect(content["ATS-TLS-VERSION"].outcome == .unknown)
    #expect(content["ATS-TLS-VERSION"].settledBy == [.evidence("record from the start of the connection")])
    #expect(content["ATS-TLS-VERSION"].notes.count == 1)
    #expect(content.narrowestException == nil)
    // If the entries change nothing, the global keys decide.
    for dictionary in [nil, ATSDictionary(), entry("a.example", ExceptionSettings())] {
      let content = judged(hidden(), dictionary)
      #expect(content.verdict == .fail)
      guard case .impossible(let reason, _, _, _)? = content.narrowestException else {
        Issue.record("an exception for a host that is not known")
        continue
      }
      #expect(reason.contains("is known to allow"))
      #expect(reason.contains("the capture does not show"))
    }
    // An entry may also require more.
    let demanding = entry("a.example", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(judged(hidden(0x0303), demanding).outcome("ATS-TLS-VERSION") == .unknown)
    #expect(judged(hidden(0x0303), lenient).outcome("ATS-TLS-VERSION") == .pass)
    let pinned = ATSDictionary(pinnedDomains: [
      PinnedDomain(key: "a.example", leafDigests: [], caDigests: nil)
    ])
    #expect(judged(hidden(0x0303), pinned).outcome("ATS-PIN") == .unknown)
  }

  @Test
  func `a session with an unknown host is not exempt if an entry keeps ATS on for its host`() {
    var off = entry("a.example", ExceptionSettings())
    off.allowsArbitraryLoads = true
    #expect(judged(hidden(), off).verdict == .unknown)
    #expect(judged(hidden(), off).exemption == nil)
    off.exceptionDomains = []
    #expect(judged(hidden(), off).verdict == .exempt)
  }

  @Test
  func `a session with an unknown host is unknown if its certificate is for a name with an entry of the system`() {
    for (name, outcome) in [("xp.apple.com", Finding.Outcome.unknown), ("*.ls.apple.com", .unknown), ("apple.com.example", .fail)] {
      let session = SessionBuilder {
        $0.hasOffer = false
        $0.host = nil
        $0.source = nil
        $0.suite = 0x009C
        $0.certificates = [CertificateBuilder.leaf { $0.dnsNames = [name] }]
        $0.finish = { $0.evidence.incomplete = .startedLate }
      }.session
      #expect(judged(session).outcome("ATS-PFS") == outcome, "\(name)")
    }
  }

  @Test
  func `a session with an unknown host is unknown if the server's address is local`() {
    for (address, isLocal) in [(0x0A00_0005, true), (0xCB00_7107, false)] as [(UInt32, Bool)] {
      var tls = hidden()
      tls.server = Endpoint(address: IPAddress(v4: address), port: tls.server.port)
      let http = SessionBuilder.http(host: nil) {
        $0.server = Endpoint(address: IPAddress(v4: address), port: $0.server.port)
        $0.evidence.clientHello = .partial
      }
      for session in [tls, http] {
        let content = judged(session)
        // Cleartext may be for a name that the system's own entries allow; the certificate of the TLS session excludes them.
        let isOfSystem = session.application == .http
        #expect(content.verdict == (isLocal || isOfSystem ? .unknown : .fail))
        #expect(content.findings.contains { $0.notes.contains { $0.contains("which is local") } } == isLocal)
        // It fails if local destinations require HTTPS too.
        #expect(judged(session, ATSDictionary(allowsLocalNetworking: false)).verdict == (isOfSystem ? .unknown : .fail))
      }
    }
  }

  @Test
  func `a pinned local name does not make the note mention the server's address`() {
    let pinned = ATSDictionary(pinnedDomains: [PinnedDomain(key: "nas", leafDigests: [], caDigests: nil)])
    let finding = judged(hidden(), pinned)["ATS-TLS-VERSION"]
    #expect(finding.outcome == .unknown)
    #expect(
      finding.notes == [
        "The ClientHello, which names the host, is not in the capture, and one of the app's entries may be for it."
      ])
  }

  @Test(arguments: [(Evidence.State.missing, "not in the capture"), (.partial, "incomplete in the capture")])
  func `the known version of a session without its ClientHello is not reported as missing`(state: Evidence.State, text: String) {
    var session = hidden()
    session.evidence.clientHello = state
    session.server = Endpoint(address: IPAddress(v4: 0xC0A8_010A), port: 443)
    let content = judged(session)
    let version = content["ATS-TLS-VERSION"]
    #expect(version.outcome == .unknown)
    #expect(version.missing == nil)
    #expect(version.observed == "TLS 1.0")
    #expect(
      version.notes == [
        "The ClientHello, which names the host, is \(text): the rule fails unless the URL has the server's address, which is local."
      ])
    #expect(content["ATS-CERT-HOST"].missing == (state == .missing ? .missing : .partial))
    // One of the app's entries may also be for the host.
    let lenient = judged(session, entry("a.example", ExceptionSettings(minimumTLSVersion: "TLSv1.0")))
    #expect(lenient["ATS-TLS-VERSION"].notes.first?.contains("the rule fails unless") == false)
  }

  @Test
  func `the unread host of cleartext HTTP 2 may be in one of the app's entries`() {
    let session = SessionBuilder.http(host: nil, []) {
      $0.evidence.notes = ["http2-cleartext", "http2-headers-not-read"]
    }
    let allowing = entry("a.example", ExceptionSettings(allowsInsecureHTTPLoads: true))
    var refusing = entry("a.example", ExceptionSettings())
    #expect(judged(session, allowing).verdict == .unknown)
    #expect(judged(session, refusing).verdict == .fail)
    refusing.allowsArbitraryLoads = true
    #expect(judged(session, refusing).verdict == .unknown)
    #expect(judged(session).verdict == .fail)
    // A request that names no host has another note; the two do not share a judgement.
    var judge = Judge(dictionary: allowing)
    let why = [session, SessionBuilder.http(host: nil, [])].map { judge.judge($0)["ATS-HTTPS"].notes.first ?? "" }
    #expect(why[0].hasPrefix("The host is in compressed headers"))
    #expect(why[1].hasPrefix("The request names no host"))
  }

  @Test
  func `TLS after an unknown protocol is not a URL load unless the client may offer HTTP`() {
    func afterUnknown(alpn: [String], hello: Evidence.State = .complete) -> Judgement {
      exempt { builder in
        builder.alpn = alpn
        builder.finish = {
          $0.tunnel = [.unknownProtocol]
          $0.evidence.clientHello = hello
        }
      }
    }
    expectNotALoad(afterUnknown(alpn: []))
    expectNotALoad(afterUnknown(alpn: ["nats"]))
    #expect(afterUnknown(alpn: ["http/1.1"]).verdict != .exempt)
    #expect(afterUnknown(alpn: [], hello: .partial).verdict != .exempt)
  }

  @Test func `a session is undecided if bytes before its ClientHello are missing`() {
    for version: UInt16 in [0x0303, 0x0301] {
      let builder = SessionBuilder { builder in
        builder.version = version
        builder.finish = { $0.evidence.add(.beginningMissing) }
      }
      let judgement = judged(builder.session)
      #expect(judgement.verdict == .unknown)
      #expect(judgement.failures.isEmpty)
      #expect(judgement["ATS-HTTPS"].outcome == .unknown && !judgement["ATS-HTTPS"].settledBy.isEmpty)
      #expect(judgement["ATS-TLS-VERSION"].outcome == (version == 0x0303 ? .pass : .unknown))
    }
    // The port shows what precedes TLS.
    let mail = SessionBuilder { builder in
      builder.finish = {
        $0.tunnel = [EnclosingLayer("starttls smtp")]
        $0.evidence.add(.beginningMissing)
      }
    }
    #expect(judged(mail.session).verdict == .exempt)
  }

  @Test
  func `TLS that offers HTTP in ALPN is judged on any port`() {
    for alpn in [["h2"], ["http/1.1"], ["h3"], ["h3-29"], ["http/1.0"], ["imap", "h2"], ["zz", "h2"]] {
      let content = exempt {
        $0.alpn = alpn
        $0.port = 993
      }
      #expect(content.verdict != .exempt)
    }
  }

  @Test
  func `TLS without ALPN is judged except on the TLS ports of other protocols`() {
    for port: UInt16 in [443, 8443, 25, 5228] {
      #expect(
        exempt {
          $0.alpn = []
          $0.port = port
        }.verdict != .exempt)
    }
  }

  @Test
  func `with ATS off, rules are reported but not required`() {
    let off = ATSDictionary(allowsArbitraryLoads: true)
    let expired = judged(
      SessionBuilder {
        $0.time = Timestamp("2027-01-01T00:00:00Z")
        $0.version = 0x0302
      }.session, off, os: "ios18")
    #expect(expired.verdict == .exempt)
    #expect(expired.outcome("ATS-TLS-VERSION") == .relaxed)
    #expect(expired.outcome("ATS-CERT-DATES") == .fail)
    #expect(expired["ATS-CERT-DATES"].isRequired == false)
    #expect(
      expired["ATS-CERT-DATES"].notes
        == [
          "Default trust evaluation would reject this (the -1202 family); ATS is not the cause.",
          "Required since iOS 9 and OS X 10.11.",
        ])
    var error = PredictedError(
      domain: "NSURLErrorDomain", code: -1202, underlyingDomain: "kCFStreamErrorDomainSSL",
      underlyingCode: -9814)
    error.trustCode = -67818
    error.alternativeCodes = [-1201]
    #expect(expired.predictedError == error)
    #expect(expired.score == nil)
    #expect(expired.narrowestException == nil)
  }

  @Test
  func `with ATS off, the system still rejects a version below its own minimum`() {
    let off = ATSDictionary(allowsArbitraryLoads: true)
    let old = judged(SessionBuilder { $0.version = 0x0301 }.session, off)
    #expect(old.verdict == .exempt)
    #expect(old.outcome("ATS-TLS-VERSION") == .fail)
    #expect(old.predictedError?.code == -1200)
    #expect(old.predictedError?.underlyingCode == -9836)
    #expect(old.predictedError?.trustCode == nil)
    // Programs of an older SDK, and older systems, accept TLS 1.0.
    #expect(judged(SessionBuilder { $0.version = 0x0301 }.session, off, os: "ios18").predictedError == nil)
  }

  @Test
  func `a program of an SDK before iOS 9 is exempt`() {
    let content = judged(SessionBuilder.http(host: "example.com")) {
      $0.sdk = SystemRelease(platform: .ios, version: SystemVersion(8))
    }
    #expect(content.verdict == .exempt)
    #expect(content.exemption?.hasPrefix("ATS does not apply to the program") == true)
  }
}

@Suite struct TrustOverrideTests {
  private let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))

  @Test
  func `app code may accept a wrong host name if an entry allows cleartext`() {
    let wrong = SessionBuilder { $0.certificates = [CertificateBuilder.leaf { $0.dnsNames = ["x.example"] }] }
      .session
    let strict = judged(wrong, insecure)
    #expect(strict.outcome("ATS-CERT-HOST") == .fail)
    #expect(strict.predictedError?.code == -1202)
    #expect(strict.predictedError?.underlyingCode == -9843)
    let lax = judged(wrong, insecure) { $0.appOverridesTrust = true }
    #expect(lax.outcome("ATS-CERT-HOST") == .relaxed)
    #expect(
      lax["ATS-CERT-HOST"].decidingKey
        == KeyReference(key: "NSExceptionAllowsInsecureHTTPLoads", entry: "www.example.com"))
    #expect(judged(wrong) { $0.appOverridesTrust = true }.outcome("ATS-CERT-HOST") == .fail)
  }

  @Test
  func `the narrowest exception for overridden trust has NSExceptionAllowsInsecureHTTPLoads`() {
    let wrong = [CertificateBuilder.leaf { $0.dnsNames = ["x.example"] }]
    let cases: [(SessionBuilder, [String: NarrowestException.Value])] = [
      (
        SessionBuilder { $0.certificates = wrong },
        ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]
      ),
      (
        SessionBuilder {
          $0.certificates = wrong
          $0.version = 0x0302
          $0.suite = 0xC013
        },
        [
          "NSExceptionAllowsInsecureHTTPLoads": .boolean(true),
          "NSExceptionMinimumTLSVersion": .string("TLSv1.1"),
        ]
      ),
      (
        SessionBuilder {
          $0.certificates = wrong
          $0.suite = 0x009C
        },
        [
          "NSExceptionAllowsInsecureHTTPLoads": .boolean(true),
          "NSExceptionRequiresForwardSecrecy": .boolean(false),
        ]
      ),
    ]
    for (builder, keys) in cases {
      let content = judged(builder.session) { $0.appOverridesTrust = true }
      #expect(content.narrowestException == .entry(host: "www.example.com", keys: keys))
      let usual = judged(builder.session)
      let isImpossible = if case .impossible? = usual.narrowestException { true } else { false }
      #expect(isImpossible)
      var settings = ExceptionSettings()
      for (key, value) in keys {
        switch (key, value) {
        case ("NSExceptionAllowsInsecureHTTPLoads", .boolean(let value)):
          settings.allowsInsecureHTTPLoads = value
        case ("NSExceptionRequiresForwardSecrecy", .boolean(let value)):
          settings.requiresForwardSecrecy = value
        case (_, .string(let text)): settings.minimumTLSVersion = text
        default: break
        }
      }
      let allowed = judged(builder.session, entry("www.example.com", settings)) {
        $0.appOverridesTrust = true
      }
      #expect(allowed.verdict != .fail)
    }
  }

  @Test
  func `no exception allows a fatal fault, even if app code overrides trust`() {
    let weak = SessionBuilder { $0.certificates = [CertificateBuilder.leaf { $0.key = .rsa(1016) }] }.session
    let content = judged(weak) { $0.appOverridesTrust = true }
    let isImpossible = if case .impossible? = content.narrowestException { true } else { false }
    #expect(isImpossible)
  }

  @Test
  func `app code cannot accept a fatal fault`() {
    let weak = SessionBuilder { $0.certificates = [CertificateBuilder.leaf { $0.key = .rsa(1016) }] }.session
    #expect(judged(weak, insecure) { $0.appOverridesTrust = true }.outcome("ATS-CERT-KEY") == .fail)
  }
}

@Suite struct ScoreTests {
  private func finding(_ id: String, _ outcome: Finding.Outcome, required: Bool = true) -> Finding {
    Finding(id: id, outcome: outcome, isRequired: required)
  }

  @Test
  func `in the score, pass counts fully, relaxed half and fail nothing`() {
    let score = Score(
      [
        finding("ATS-HTTPS", .pass), finding("ATS-PFS", .relaxed),
        finding("ATS-TLS-VERSION", .fail, required: false),
        finding("ATS-PIN", .notApplicable), finding("ATS-CERT-REVOKED", .unknown, required: false),
      ], .pass)
    // The weights are 20, 10 and 15 (docs/scoring.md): 100 × (20 + 10/2) / 45.
    #expect(score.points == 56)
    #expect(score.confidencePercent == 100)
  }

  @Test
  func `confidence is the decided share by weight`() {
    let score = Score([finding("ATS-HTTPS", .pass), finding("ATS-CERT-TRUST", .unknown)], .unknown)
    #expect(score.points == nil)
    #expect(score.grade == nil)
    // Both weigh 20.
    #expect(score.confidencePercent == 50)
  }

  @Test
  func `the score of a failing session falls with the weights of the failing rules`() {
    let findings = RuleTable.all.map { finding(type(of: $0).id, .pass) }
    #expect(Score(findings, .pass).points == 100)
    #expect(Score(findings, .pass).grade == "A+")
    func points(failing rules: String...) -> Int? {
      let score = Score(findings.map { rules.contains($0.id) ? finding($0.id, .fail) : $0 }, .fail)
      #expect(score.grade == "F")
      return score.points
    }
    #expect(points(failing: "ATS-CERT-SAN") == 45)
    #expect(points(failing: "ATS-CERT-TRUST") == 29)
    #expect(points(failing: "ATS-CERT-TRUST", "ATS-CERT-HOST") == 17)
    #expect(points(failing: "ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-CERT-TRUST") == 0)
  }

  @Test
  func `unknown and exempt verdicts have no score`() {
    let findings = [finding("ATS-HTTPS", .relaxed), finding("ATS-CERT-TRUST", .unknown)]
    for verdict in [Verdict.unknown, .exempt] {
      let score = Score(findings, verdict, isCleartextToRemoteHost: true)
      #expect(score.points == nil)
      #expect(score.grade == nil)
      #expect(score.confidencePercent > 0)
    }
    #expect(Score(findings, .fail, isCleartextToRemoteHost: true).points == 0)
  }

  @Test
  func `without a decided rule there is no score`() {
    for score in [
      Score([], .pass), Score([finding("ATS-HTTPS", .unknown)], .unknown),
      Score([finding("ATS-HTTPS", .notApplicable)], .pass),
    ] {
      #expect(score == .none)
      #expect(score.points == nil)
      #expect(score.grade == nil)
    }
  }

  @Test
  func `every rule has a weight, and every ATS rule weighs more than any advisory`() {
    let ids = RuleTable.all.map { type(of: $0).id }
    #expect(ScoreTable.weights.map(\.rule) == ids)
    #expect(Set(ids).count == ids.count)
    let advice = ScoreTable.weights.filter { $0.rule.hasPrefix("ADV-") }.map(\.weight).max()
    let mandatory = ScoreTable.weights.filter { $0.rule.hasPrefix("ATS-") }.map(\.weight).min()
    #expect((advice ?? 0) < (mandatory ?? 0))
    #expect(ScoreTable.grades.map(\.minimumScore) == ScoreTable.grades.map(\.minimumScore).sorted(by: >))
    #expect(ScoreTable.grade(of: 0) == "F")
    #expect(ScoreTable.grade(of: 49) == "F")
    #expect(ScoreTable.grade(of: 97) == "A")
  }
}

@Suite struct PrimaryRuleTests {
  @Test
  func `the first failing rule in policy order is the primary rule`() {
    let content = judged(
      SessionBuilder {
        $0.version = 0x0301
        $0.suite = 0x0039
        $0.time = Timestamp("2027-01-01T00:00:00Z")
      }.session)
    #expect(content.primaryRule == .tlsVersion)
    #expect(
      content.predictedError
        == PredictedError(
          domain: "NSURLErrorDomain", code: -1200, underlyingDomain: "kCFStreamErrorDomainSSL",
          underlyingCode: -9836))
    #expect(
      content.findings.filter { $0.outcome == .fail && $0.isRequired }.map(\.id) == [
        "ATS-TLS-VERSION", "ATS-CIPHER", "ATS-CERT-DATES",
      ])
    #expect(content.verdict == .fail)
    #expect(content.score.map { $0 <= 49 } == true)
  }

  @Test
  func `the mandatory rules are in the order of the policy text`() {
    #expect(
      RuleTable.mandatory.map { type(of: $0).id } == [
        "ATS-HTTPS", "ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-NIAP", "ATS-CERT-TRUST",
        "ATS-CERT-REVOKED",
        "ATS-CERT-DATES", "ATS-CERT-HOST", "ATS-CERT-SAN", "ATS-CERT-CHAIN", "ATS-CERT-KEY", "ATS-CERT-SIG",
        "ATS-CERT-EKU", "ATS-CERT-LIFETIME", "ATS-CT", "ATS-PIN", "ATS-HANDSHAKE-SIG",
      ])
  }

  @Test(arguments: [
    (UInt8(40), -9824), (70, -9836), (71, -9837),
  ])
  func `a server's alert determines the predicted underlying code`(alert: UInt8, code: Int) {
    let content = judged(SessionBuilder.refused(alert).session)
    #expect(content.predictedError?.code == -1200)
    #expect(content.predictedError?.underlyingCode == code)
  }

  @Test
  func `a weak certificate key has the underlying code -9883 since iOS 13, before that -9802`() {
    let weak = SessionBuilder { $0.certificates = [CertificateBuilder.leaf { $0.key = .rsa(1024) }] }.session
    #expect(judged(weak).predictedError?.underlyingCode == -9883)
    #expect(judged(weak, os: "ios12").predictedError?.underlyingCode == -9802)
  }
}

@Suite struct NarrowestExceptionTests {
  private func exception(
    _ version: UInt16, _ suite: UInt16, _ dictionary: ATSDictionary? = nil, os: String = "ios26.5"
  ) -> NarrowestException? {
    judged(
      SessionBuilder {
        $0.version = version
        $0.suite = suite
      }.session, dictionary, os: os
    ).narrowestException
  }

  private func keys(_ keys: [String: NarrowestException.Value]) -> NarrowestException {
    .entry(host: "www.example.com", keys: keys)
  }

  private let secrecy = "NSExceptionRequiresForwardSecrecy"
  private let minimum = "NSExceptionMinimumTLSVersion"
  private let insecure = "NSExceptionAllowsInsecureHTTPLoads"
  private let niap = "NSExceptionRequiresNIAPTLSPackageVersion"

  @Test
  func `the narrowest exception that allows the session is proposed`() {
    #expect(exception(0x0303, 0xC02F) == nil)
    #expect(exception(0x0303, 0x009C) == keys([secrecy: .boolean(false)]))
    #expect(exception(0x0302, 0xC013) == keys([minimum: .string("TLSv1.1")]))
    #expect(exception(0x0301, 0xC013) == keys([minimum: .string("TLSv1.0")]))
    #expect(exception(0x0302, 0x002F) == keys([minimum: .string("TLSv1.1"), secrecy: .boolean(false)]))
    #expect(exception(0x0301, 0x002F) == keys([minimum: .string("TLSv1.0"), secrecy: .boolean(false)]))
    #expect(exception(0x0303, 0xC012) == keys([insecure: .boolean(true), secrecy: .boolean(false)]))
    #expect(
      exception(0x0301, 0x000A)
        == keys([insecure: .boolean(true), secrecy: .boolean(false), minimum: .string("TLSv1.0")]))
  }

  @Test
  func `an exception is impossible if no key allows the session, and the reason says so`() {
    for (version, suite) in [(UInt16(0x0300), UInt16(0xC013)), (0x0303, 0x0039), (0x0303, 0x0005)] {
      guard case .impossible(let reason, _, _, _)? = exception(version, suite) else {
        Issue.record("an exception for \(version) \(suite)")
        continue
      }
      #expect(reason.hasPrefix("no key of NSAppTransportSecurity allows this: "))
    }
  }

  @Test
  func `an existing entry is changed and keeps its other keys`() {
    let has = entry("www.example.com", ExceptionSettings(requiresForwardSecrecy: false))
    #expect(exception(0x0301, 0x002F, has) == keys([minimum: .string("TLSv1.0")]))
    let raised = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(exception(0x0303, 0xC02F, raised) == keys([minimum: .string("TLSv1.2")]))
  }

  @Test
  func `a new entry lifts only those requirements of the parent entry that the session breaks`() {
    let raised = entry(
      "example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"), includesSubdomains: true)
    #expect(exception(0x0303, 0xC02F, raised) == keys([minimum: .string("TLSv1.2")]))
    #expect(exception(0x0303, 0x009C, raised) == keys([secrecy: .boolean(false)]))
    #expect(exception(0x0302, 0xC013, raised) == keys([minimum: .string("TLSv1.1")]))
    var package = raised
    package.exceptionDomains[0].requiredNIAPPackage = .fcp2d1
    #expect(
      judged(SessionBuilder.http(host: "www.example.com"), package).narrowestException
        == keys([insecure: .boolean(true), minimum: .string("TLSv1.3"), niap: .string("FCP_v2.1")]))
    #expect(
      exception(0x0303, 0xC013, package) == keys([niap: .string("none")]))
  }

  @Test
  func `the host's own entry keeps no higher minimum beside another key`() {
    let own = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(exception(0x0303, 0x009C, own) == keys([minimum: .string("TLSv1.2"), secrecy: .boolean(false)]))
  }

  @Test(arguments: [("ios11", true), ("ios26.5", false)])
  func `a new entry copies NSRequiresCertificateTransparency only for a release that reads it`(os: String, isCopied: Bool) {
    var parent = entry("example.com", ExceptionSettings(), includesSubdomains: true)
    parent.exceptionDomains[0].requiresCertificateTransparency = true
    var expected: [String: NarrowestException.Value] = [secrecy: .boolean(false)]
    if isCopied { expected["NSRequiresCertificateTransparency"] = .boolean(true) }
    #expect(exception(0x0303, 0x009C, parent, os: os) == keys(expected))
  }

  @Test
  func `a new entry does not copy what the parent entry allows`() {
    let lax = ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.1", requiresForwardSecrecy: false)
    let parent = entry("example.com", lax, includesSubdomains: true)
    #expect(exception(0x0301, 0xC013, parent) == keys([minimum: .string("TLSv1.0")]))
    let version = entry("example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1"), includesSubdomains: true)
    #expect(exception(0x0303, 0x009C, version) == keys([secrecy: .boolean(false)]))
  }

  @Test
  func `a new entry for an address copies the requirements of its range`() {
    let range = entry("203.0.113.0/24", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(
      judged(SessionBuilder.http(host: "203.0.113.7"), range).narrowestException
        == .entry(
          host: "203.0.113.7", keys: [insecure: .boolean(true), minimum: .string("TLSv1.3")]))
  }

  @Test
  func `exceptions for one host are merged into one that allows all its sessions`() {
    let package = keys([insecure: .boolean(true), minimum: .string("TLSv1.3"), niap: .string("FCP_v2.1")])
    let lifted = keys([minimum: .string("TLSv1.2"), niap: .string("none")])
    let all = keys([insecure: .boolean(true), minimum: .string("TLSv1.2"), niap: .string("none")])
    #expect(package.merged(with: lifted) == all)
    #expect(lifted.merged(with: package) == all)
    // Without a minimum, the entry has the default.
    let secrecyAlone = keys([secrecy: .boolean(false)])
    let both = keys([insecure: .boolean(true), secrecy: .boolean(false), niap: .string("FCP_v2.1")])
    #expect(package.merged(with: secrecyAlone) == both)
    #expect(secrecyAlone.merged(with: package) == both)
  }

  @Test
  func `the narrowest exception lifts a required NIAP package for the host`() {
    #expect(
      exception(0x0303, 0xC013, ATSDictionary(requiredNIAPPackage: .fcp2d1))
        == keys(["NSExceptionRequiresNIAPTLSPackageVersion": .string("none")]))
    #expect(
      exception(0x0302, 0x002F, ATSDictionary(requiredNIAPPackage: .fcp2d1))
        == keys([
          "NSExceptionRequiresNIAPTLSPackageVersion": .string("none"), minimum: .string("TLSv1.1"),
          secrecy: .boolean(false),
        ]))
  }

  @Test
  func `a certificate that also fails makes an exception impossible`() {
    let content = judged(
      SessionBuilder {
        $0.version = 0x0301
        $0.suite = 0xC013
        $0.time = Timestamp("2027-01-01T00:00:00Z")
      }.session)
    guard case .impossible(let reason, _, _, _)? = content.narrowestException else {
      Issue.record("an exception for an expired certificate")
      return
    }
    #expect(reason.contains("the server certificate expired 2026-04-01"))
  }

  @Test(
    arguments: [(0x0303, 0x009E, true), (0x0301, 0x0033, true), (0x0301, 0xC013, false), (0x0303, 0x009C, false)]
      as [(UInt16, UInt16, Bool)])
  func `a suite that the system never offers is named along with a failing certificate`(version: UInt16, suite: UInt16, isNamed: Bool) {
    let content = judged(
      SessionBuilder {
        $0.version = version
        $0.suite = suite
        $0.time = Timestamp("2027-01-01T00:00:00Z")
      }.session)
    guard case .impossible(let reason, let rules, [], _)? = content.narrowestException else {
      Issue.record("an exception for an expired certificate")
      return
    }
    #expect(rules == (isNamed ? [.cipherSuite] : []) + [.certificateDates])
    #expect(reason.contains("not allowed by ATS") == isNamed)
    #expect(reason.contains("the server certificate expired 2026-04-01"))
  }
}

/// The errors that devices report for a rejected certificate (policy text D.20).
@Suite struct TrustErrorTests {
  private func error(
    _ dictionary: ATSDictionary? = nil, os: String = "ios26", at time: String? = nil,
    _ change: @escaping (inout CertificateBuilder) -> Void
  ) -> PredictedError? {
    let session = SessionBuilder { $0.certificates = [CertificateBuilder.leaf(change)] }.session
    // A stated time is used even if the SCTs contradict it.
    return judged(session, dictionary, os: os) { $0.judgedAt = time.map { Timestamp($0) } }.predictedError
  }

  @Test
  func `under ATS, the trust error code distinguishes the causes`() {
    let cases: [(Int, Int, PredictedError?)] = [
      (-9802, -67602, error { $0.dnsNames = ["x.example"] }),
      (-9802, -67818, error(at: "2036-01-01T00:00:00Z") { _ in }),
      (-9802, -67819, error(at: "2016-01-01T00:00:00Z") { _ in }),
      (-9883, -67735, error { $0.key = .rsa(1536) }),
    ]
    for (underlying, trust, error) in cases {
      #expect(error?.code == -1200)
      #expect(error?.underlyingCode == underlying)
      #expect(error?.trustCode == trust)
      #expect(error?.alternativeCodes == [-1202])
    }
  }

  @Test
  func `before iOS 13 a weak key has the generic underlying code -9802`() {
    #expect(error(os: "ios12") { $0.key = .rsa(1536) }?.underlyingCode == -9802)
  }

  @Test
  func `if ATS leaves trust to the app, -1202 is reported with a code for the cause`() {
    let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
    let wrong = error(insecure) { $0.dnsNames = ["x.example"] }
    #expect([wrong?.code, wrong?.underlyingCode, wrong?.trustCode] == [-1202, -9843, -67602])
    #expect(wrong?.alternativeCodes == [])
    let expired = error(insecure, at: "2036-01-01T00:00:00Z") { _ in }
    #expect([expired?.code, expired?.underlyingCode, expired?.trustCode] == [-1202, -9814, -67818])
    #expect(expired?.alternativeCodes == [-1201])
    let early = error(insecure, at: "2016-01-01T00:00:00Z") { _ in }
    #expect([early?.code, early?.underlyingCode, early?.trustCode] == [-1202, -9815, -67819])
    #expect(early?.alternativeCodes == [-1204])
    // A cause other than name or dates is reported as untrusted.
    let weak = error(insecure) { $0.key = .rsa(1536) }
    #expect([weak?.code, weak?.underlyingCode, weak?.trustCode] == [-1202, -9807, -67735])
    #expect(weak?.alternativeCodes == [-1203])
  }
}
