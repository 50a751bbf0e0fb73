import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateIssuing
import CertificateParsing
import Crypto
import PolicyResolution
import SeededRandom
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct JudgeTests {
  /// Sessions whose parts are shared by identity, as those of an observer are.
  private struct Parts {
    var sessions: [ObservedSession] = []

    init() {
      let leaf = CertificateBuilder.leaf { $0.ocspURL = "http://ocsp.example.com" }
      let expired = CertificateBuilder.intermediate { $0.notAfter = Timestamp("2026-02-15T12:34:56Z") }
      let staggered = CertificateBuilder.leaf { builder in
        builder.scts = [1, 2, 3].map { day in
          (log: day, time: Timestamp("2026-03-0\(day)T06:00:00Z"))
        }
      }
      let chains = [
        [leaf, CertificateBuilder.intermediate()], [leaf, expired],
        [staggered, CertificateBuilder.intermediate()],
        [CertificateBuilder.leaf { $0.issuer = "www.example.com" }],
      ]
      for chain in chains {
        sessions.append(SessionBuilder { $0.certificates = chain }.session)
        sessions.append(
          SessionBuilder {
            $0.certificates = chain
            $0.version = 0x0301
            $0.suite = 0x0039
          }.session)
      }
      sessions.append(SessionBuilder.tls13().session)
      sessions.append(SessionBuilder.refused(40).session)
      sessions.append(SessionBuilder.http(host: "example.com"))
      sessions.append(SessionBuilder.http(host: "nas"))
    }
  }

  private static let otherChain = CertificateChain(
    [CertificateBuilder.leaf { $0.notAfter = Timestamp("2029-01-01T00:00:00Z") }, CertificateBuilder.intermediate()],
    isComplete: true)

  /// Changes up to three random properties, some of which affect the judgement.
  private static func vary(_ session: inout ObservedSession, _ random: inout SeededGenerator) {
    let states: [Evidence.State] = [.complete, .partial, .missing, .encrypted, .resumed, .notSent]
    func alert(_ codes: [UInt8], _ random: inout SeededGenerator) -> ObservedAlert {
      ObservedAlert(
        level: UInt8(1 + random.below(2)), description: AlertDescription(rawValue: random.pick(codes)),
        frame: 9)
    }
    for _ in 0..<random.below(4) {
      switch random.below(25) {
      case 0:
        session.serverName = random.pick(["www.example.com", "other.example.com", nil, "10.0.0.1", "nas"])
      case 1: session.serverNameSource = random.pick([.connect, .sni, .httpHost, .address, nil])
      case 2: session.server = Endpoint(address: session.server.address, port: random.pick([443, 993, 8443]))
      case 3:
        session.server = Endpoint(
          address: random.pick([IPAddress(v4: 0x0A00_0001), IPAddress(v6: 0xFE80 << 48, 1)]), port: session.server.port)
      case 4: session.evidence.clientHello = random.pick(states)
      case 5: session.evidence.serverHello = random.pick(states)
      case 6: session.evidence.certificates = random.pick(states)
      case 7: session.evidence.certificateStatus = random.pick(states)
      case 8:
        session.evidence.incomplete = random.pick([.loss, .snaplen, .oneDirection, .stillOpen, .limit, nil])
      case 9: session.evidence.isClockPlausible = random.below(2) == 0
      case 10:
        session.tunnel = random.pick([
          [], [EnclosingLayer("vlan 1")], [.startTLS("imap")], [.startTLS("smtp")], [EnclosingLayer("socks 5 10.0.0.1:443")],
        ])
      case 11:
        session.sharedTLS?.outcome = random.pick([
          .established, .refusedByClient, .refusedByServer, .reset, .incomplete,
        ])
      case 12:
        let isEstablished = session.sharedTLS?.isEstablished == true
        session.sharedTLS?.outcome = isEstablished ? .incomplete : .established
      case 13: session.sharedTLS?.hasStapledOCSPResponse.toggle()
      case 14:
        session.sharedTLS?.isClientCertificateRequested = random.once(in: 3)
        session.sharedTLS?.forgoesClientCertificate = random.once(in: 3)
        session.sharedTLS?.isResumed = random.pick([true, false, nil])
      case 21: session.evidence.missingBytes = random.pick([0, 9])
      case 22:
        session.evidence.certificateStatus = .resumed
        session.evidence.notes = random.pick([[], [.firstHandshakeStatusMissing]])
        session.sharedAssumedChain = session.sharedTLS?.chain.map {
          Shared(AssumedChain(chain: $0, source: random.pick([.earlierSession, .supplied, .probable])))
        }
      case 23:
        session.sharedAssumedChain = (session.sharedTLS?.chain ?? session.sharedAssumedChain?.chain).map {
          var assumed = AssumedChain(chain: $0, source: .supplied)
          assumed.alternatives = [AssumedChain(chain: Self.otherChain, source: .supplied)]
          return Shared(assumed)
        }
        session.sharedTLS?.chain = nil
      case 15:
        session.sharedTLS?.group = random.pick([NamedGroup(rawValue: 0x11EC), NamedGroup(rawValue: 0x001D), nil])
      case 16:
        session.sharedTLS?.serverKeyExchange = ServerKeyExchangeFacts(
          bits: 256, group: nil,
          signatureScheme: random.pick([SignatureScheme(rawValue: 0x0201), .ecdsaSHA1, nil]))
      case 17: session.sharedTLS?.serverAlerts = [alert([40, 70, 71, 80], &random), alert([40, 70], &random)]
      case 18:
        session.sharedTLS?.clientAlerts = [alert([42, 44, 45, 46, 48, 0], &random), alert([48, 45], &random)]
      case 19:
        session.sharedTLS?.sctList = CertificateForm.sctList([
          (log: 9, time: Timestamp("2026-03-0\(1 + random.below(3))T06:00:00Z"))
        ])
      case 20:
        var request = HTTPFacts.Request(method: "GET", host: "x", path: "/", frame: 1)
        request.status = random.pick([200, 301, nil])
        request.redirectScheme = random.pick(["https", nil])
        request.contentType = random.pick(["application/ocsp-response", "text/html", nil])
        request.upgrade = random.pick(["websocket", nil])
        if session.http != nil {
          var other = request
          other.status = random.pick([200, nil])
          session.http = HTTPFacts(
            requestCount: 2 + random.below(2), requests: random.pick([[request], [request, other]]))
        }
      default: session.application = session.http == nil ? random.pick([.tls, .dtls]) : .http
      }
    }
  }

  private static let moments = [
    "2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "2026-02-15T12:34:56Z",
    "2026-02-16T00:00:00Z", "2026-03-01T06:00:00Z", "2026-03-02T00:00:00Z", "2026-03-02T06:00:00Z",
    "2026-03-25T00:00:00Z", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z",
  ].map { Timestamp($0) }

  private static func time(_ random: inout SeededGenerator) -> Timestamp? {
    if random.below(20) == 0 { return nil }
    let base = random.pick(moments)
    switch random.below(4) {
    case 0: return base
    case 1: return Timestamp(seconds: base.seconds - 1, nanoseconds: 999_999_999)
    case 2: return Timestamp(seconds: base.seconds, nanoseconds: 1)
    default: return Timestamp(seconds: base.seconds + Int64(random.below(200_000)) - 100_000)
    }
  }

  private static let dictionaries: [ATSDictionary?] = [
    nil, ATSDictionary(allowsArbitraryLoads: true),
    entry(
      "www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0")),
    ATSDictionary(
      pinnedDomains: [PinnedDomain(key: "www.example.com", leafDigests: ["AAAA"])],
      requiredNIAPPackage: .fcp2d1),
  ]

  @Test(arguments: dictionaries.indices)
  func `judgements with and without the cache are equal`(index: Int) {
    var random = SeededGenerator(seed: UInt64(index) + 1)
    let parts = Parts()
    for os in ["ios26.5", "ios12.1", "ios9"] {
      var assumptions = JudgingAssumptions()
      if let release = try? SystemRelease(named: os) { assumptions.release = release }
      assumptions.appOverridesTrust = index == 2
      var judge = Judge(dictionary: Self.dictionaries[index], assumptions: assumptions)
      for _ in 0..<TestEffort.rounds(400) {
        var session = random.pick(parts.sessions)
        Self.vary(&session, &random)
        session.start = Self.time(&random)
        let shared = judge.judge(session).value
        let anew = judge.judgeAnew(session)
        #expect(shared == anew)
        if shared != anew { return }
      }
      if TestEffort.isLong { #expect(judge.judgementsMade < 400) }
    }
  }

  @Test
  func `a certificate with changed bytes or truncated anywhere is judged without a trap`() {
    var random = SeededGenerator(seed: 11)
    let good = [CertificateBuilder.leaf(), CertificateBuilder.intermediate()]
    var judge = Judge(dictionary: Self.dictionaries[3], assumptions: JudgingAssumptions(), maximumCacheCount: 1)
    for round in 0..<TestEffort.rounds(3000) {
      let index = random.below(2)
      var der = good[index].certificate.der
      if round % 3 == 0 {
        der.removeLast(random.below(der.count))
      } else {
        for _ in 0...random.below(3) {
          der[random.below(der.count)] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      var chain = good
      chain[index] = ObservedCertificate(
        certificate: Certificate(parsing: der.span), sha256: hexadecimal(SHA256.hash(data: der)),
        spkiSHA256: nil)
      let content = judge.judge(SessionBuilder { $0.certificates = chain }.session).value
      #expect(content.findings.count == RuleTable.all.count)
    }
  }

  @Test
  func `the settings for the IPv4 address in a NAT64 address may apply`() {
    let session = SessionBuilder {
      ($0.host, $0.source, $0.address) = ("64:ff9b::cb00:7107", .address, IPAddress(v6: 0x0064_FF9B_0000_0000, 0xCB00_7107))
      ($0.version, $0.suite) = (0x0301, 0xC013)
    }.session
    let settings = ExceptionSettings(minimumTLSVersion: "TLSv1.0")
    #expect(judged(session).outcome("ATS-TLS-VERSION") == .fail)
    #expect(judged(session, entry("203.0.113.7", settings)).outcome("ATS-TLS-VERSION") == .unknown)
    #expect(judged(session, entry("203.0.113.8", settings)).outcome("ATS-TLS-VERSION") == .fail)
  }

  @Test
  func `STARTTLS sessions of different protocols have separate judgements that name the protocol`() {
    var session = SessionBuilder().session
    var judge = Judge()
    for (tunnel, name) in [
      (["starttls smtp"], "SMTP with STARTTLS"), (["vlan 7", "starttls imap"], "IMAP with STARTTLS"),
      (["starttls smtp"], "SMTP with STARTTLS"), (["starttls mysql"], "MySQL with TLS"),
    ] {
      session.tunnel = tunnel.map { EnclosingLayer($0) }
      #expect(judge.judge(session).exemption == "\(name) is not a URL load.")
    }
    #expect(judge.judgementsMade == 3)
  }

  @Test
  func `sessions share one judgement unless relevant facts differ`() {
    let session = SessionBuilder().session
    var judge = Judge()
    let first = judge.judge(session)
    var like = session
    like.client = Endpoint(address: IPAddress(v4: 9), port: 9)
    like.firstFrame = 700
    like.file = "other.pcap"
    like.start = Timestamp("2026-02-27T00:00:00Z")
    like.sharedTLS?.hasHelloRetryRequest = true
    #expect(judge.judge(like).identity == first.identity)
    var unlike = session
    unlike.serverName = "www.example.org"
    #expect(judge.judge(unlike).identity != first.identity)
    var later = session
    later.start = Timestamp("2026-04-02T00:00:00Z")
    #expect(judge.judge(later).identity != first.identity)
    #expect(judge.judge(session).identity == first.identity)
    #expect(judge.judgementsMade == 3)
  }

  @Test
  func `a rule is decided if its outcome is the same with each chain that the server may have sent`() throws {
    let long = CertificateBuilder.leaf { $0.notAfter = Timestamp("2029-01-01T00:00:00Z") }
    let renewed = CertificateBuilder.leaf { $0.notBefore = Timestamp("2026-01-02T00:00:00Z") }
    func judgement(_ leaves: [ObservedCertificate]) throws -> Judgement {
      let chains = leaves.enumerated().map { index, leaf in
        AssumedChain(
          chain: CertificateChain([leaf, CertificateBuilder.intermediate()], isComplete: true), source: .supplied,
          file: "\(index).pem")
      }
      var assumed = try #require(chains.first)
      assumed.alternatives = Array(chains.dropFirst())
      var judge = Judge()
      return judge.judge(
        SessionBuilder.tls13 { $0.finish = { $0.sharedAssumedChain = Shared(assumed) } }.session
      ).value
    }
    let lifetime = "ATS-CERT-LIFETIME"
    for leaves in [[long], [long, long]] { #expect(try judgement(leaves).outcome(lifetime) == .fail) }
    for leaves in [[renewed], [CertificateBuilder.leaf(), renewed]] {
      #expect(try judgement(leaves).outcome(lifetime) == .pass)
    }
    for leaves in [[long, renewed], [renewed, long], [renewed, CertificateBuilder.leaf(), long]] {
      let judgement = try judgement(leaves)
      let finding = judgement[lifetime]
      #expect(finding.outcome == .unknown)
      #expect(judgement.verdict == .unknown)
      #expect(finding.settledBy.contains(.evidence("add --chain with only the chain that the server sent")))
      let files = leaves.indices.map { "\($0).pem" }.joined(separator: ", ")
      #expect(
        finding.notes == [
          "\(leaves.count) different chains are supplied for www.example.com (\(files)), and the capture does not show which one the server sent."
        ])
      #expect(judgement.outcome("ATS-CERT-HOST") == .pass)
    }
  }

  @Test
  func `a judgement whose text names the day is shared within that day only`() {
    var judge = Judge()
    func at(_ time: String, _ judge: inout Judge) -> Shared<Judgement> {
      var session = Self.expiring
      session.start = Timestamp(time)
      return judge.judge(session)
    }
    let morning = at("2026-05-01T08:00:00Z", &judge)
    #expect(at("2026-05-01T23:59:59Z", &judge).identity == morning.identity)
    #expect(at("2026-05-02T00:00:00Z", &judge).identity != morning.identity)
    #expect(at("2026-05-01T00:00:00Z", &judge).identity == morning.identity)
  }

  private static let expiring = SessionBuilder().session

  @Test
  func `judgedAt replaces the time of every session`() {
    var assumptions = JudgingAssumptions()
    assumptions.judgedAt = Timestamp("2026-02-01T00:00:00Z")
    var judge = Judge(assumptions: assumptions)
    var session = SessionBuilder().session
    let first = judge.judge(session)
    session.start = nil
    #expect(judge.judge(session).identity == first.identity)
    session.start = Timestamp("2035-01-01T00:00:00Z")
    #expect(judge.judge(session).identity == first.identity)
  }

  @Test(arguments: [1, 2, 16])
  func `more different sessions than the cache limit are judged correctly`(limit: Int) {
    var judge = Judge(dictionary: nil, assumptions: JudgingAssumptions(), maximumCacheCount: limit)
    var session = SessionBuilder.http(host: "a")
    for number in 0..<100 {
      session.serverName = "host\(number % 20).example"
      #expect(judge.judge(session).policy.host == session.serverName)
      #expect(judge.judge(session).policy.host == session.serverName)
    }
    #expect(judge.judgementsMade == 100)
  }
}
