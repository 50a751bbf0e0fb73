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
    expectNotALoad(exempt { $0.alpn = ["apns-security-v3"] })
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
      guard case .impossible(let obstacle)? = content.narrowestException else {
        Issue.record("an exception for a host that is not known")
        continue
      }
      #expect(obstacle.reason.contains("is known to allow"))
      #expect(obstacle.reason.contains("the capture does not show"))
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
  func `a session with an unknown host is unknown if its certificate is for a local name`() {
    func content(
      _ name: String, _ dictionary: ATSDictionary? = nil, os: String = "ios26.5", isCommonName: Bool = false
    ) -> Judgement {
      let session = SessionBuilder {
        $0.hasOffer = false
        $0.host = nil
        $0.source = nil
        $0.version = 0x0301
        $0.suite = 0xC014
        $0.certificates = [
          CertificateBuilder.leaf {
            $0.dnsNames = isCommonName ? nil : ["www.example.com", name]
            if isCommonName { $0.subject = name }
          }
        ]
        $0.finish = { $0.evidence.incomplete = .startedLate }
      }.session
      return judged(session, dictionary, os: os)
    }
    for name in ["nas", "printer.local"] {
      let version = content(name)["ATS-TLS-VERSION"]
      #expect(version.outcome == .unknown)
      #expect(content(name, isCommonName: true)["ATS-TLS-VERSION"] == version)
      #expect(
        version.notes == [
          "The ClientHello, which names the host, is not in the capture, and the host may be \(name), a local name in the certificate."
        ])
      // Local names need HTTPS too.
      #expect(content(name, os: "ios9").outcome("ATS-TLS-VERSION") == .fail)
      #expect(content(name, ATSDictionary(allowsLocalNetworking: false)).outcome("ATS-TLS-VERSION") == .fail)
    }
    for name in ["nas.example.com", "*", "not a name"] {
      #expect(content(name).outcome("ATS-TLS-VERSION") == .fail, "\(name)")
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
      $0.evidence.notes = [.http2Cleartext, .http2HeadersNotRead]
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
    let isImpossible = if case .impossible? = expired.narrowestException { true } else { false }
    #expect(isImpossible)
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
