import ATSEvaluation
import ATSEvidence
import ATSRules
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct RuleHandshakeTests {
  private func session(_ version: UInt16, _ suite: UInt16, offering suites: [UInt16]? = nil)
    -> ObservedSession
  {
    let builder = version == 0x0304 ? SessionBuilder.tls13() : SessionBuilder()
    var changed = builder
    changed.version = version
    changed.suite = suite
    if let suites { changed.offeredSuites = suites }
    return changed.session
  }

  // MARK: ATS-HANDSHAKE-SIG

  private func signed(_ signature: HandshakeSignature?, _ version: UInt16 = 0x0303) -> ObservedSession {
    var builder = SessionBuilder()
    builder.version = version
    builder.finish = { $0.sharedTLS?.handshakeSignature = signature }
    return builder.session
  }

  @Test
  func `a handshake signature that does not verify fails`() {
    let finding = judged(signed(.invalid))["ATS-HANDSHAKE-SIG"]
    #expect(finding.outcome == .fail)
    #expect(finding.isRequired)
    #expect(finding.parts == [.serverKeyExchange])
    #expect(finding.observed == "the signature of ServerKeyExchange does not verify with the server certificate's key")
    #expect(finding.notes.contains { $0.hasPrefix("The client continued anyway") })
    let inTLS13 = judged(signed(.invalid, 0x0304))["ATS-HANDSHAKE-SIG"]
    #expect(inTLS13.outcome == .fail)
    #expect(inTLS13.observed?.contains("CertificateVerify") == true)
    #expect(inTLS13.parts == [.certificates])
  }

  @Test
  func `only a signature that does not verify counts against a session`() {
    #expect(judged(signed(.valid)).outcome("ATS-HANDSHAKE-SIG") == .pass)
    for signature: HandshakeSignature? in [.notVerifiable, .notVerified, nil] {
      #expect(judged(signed(signature)).outcome("ATS-HANDSHAKE-SIG") == .notApplicable)
    }
  }

  @Test
  func `sessions that differ only in their handshake signatures are judged separately`() {
    var judge = Judge()
    #expect(judge.judge(signed(.valid)).verdict != .fail)
    #expect(judge.judge(signed(.invalid)).verdict == .fail)
    #expect(judge.judge(signed(.notVerified)).verdict != .fail)
  }

  // MARK: ATS-TLS-VERSION

  @Test(arguments: [
    (UInt16(0x0300), Finding.Outcome.fail, "SSL 3.0"), (0x0301, .fail, "TLS 1.0"), (0x0302, .fail, "TLS 1.1"),
    (0x0303, .pass, "TLS 1.2"), (0x0002, .fail, "SSL 2.0"),
  ])
  func `TLS 1_2 is the default minimum`(version: UInt16, outcome: Finding.Outcome, name: String) {
    let finding = judged(session(version, 0xC02F))["ATS-TLS-VERSION"]
    #expect(finding.outcome == outcome)
    #expect(finding.observed == name)
    #expect(finding.expected == "TLS 1.2 or later")
    #expect(finding.isRequired)
    #expect(finding.parts == [.serverHello])
  }

  @Test
  func `TLS 1_3 passes in every release, but older ones leave suite and forward secrecy unknown`() {
    let tls13 = SessionBuilder.tls13().session
    #expect(judged(tls13).outcome("ATS-TLS-VERSION") == .pass)
    #expect(judged(tls13).outcome("ATS-CIPHER") == .pass)
    #expect(judged(tls13).outcome("ATS-PFS") == .pass)
    for os in ["ios9", "ios10", "ios11", "macos10.13"] {
      let old = judged(tls13, os: os)
      #expect(old.outcome("ATS-TLS-VERSION") == .pass)
      #expect(old.outcome("ATS-CIPHER") == .unknown)
      #expect(old.outcome("ATS-PFS") == .unknown)
      #expect(old["ATS-PFS"].notes == ["This system cannot negotiate TLS 1.3; capture a TLS 1.2 handshake."])
    }
    #expect(judged(tls13, os: "ios12").outcome("ATS-CIPHER") == .pass)
  }

  @Test(arguments: [UInt16(0x7F1C), 0x7F00, 0x7FFF, 0x7E02, 0x0305, 0x0505, 0xFEFD, 0x0100])
  func `drafts of TLS 1_3 and unknown versions leave version, suite and secrecy unknown`(version: UInt16) {
    let content = judged(session(version, 0x1301))
    for rule in ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS"] { #expect(content.outcome(rule) == .unknown) }
  }

  @Test
  func `a lower minimum version relaxes and a higher one fails, with the deciding key`() {
    let lower = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1"))
    let relaxed = judged(session(0x0302, 0xC013), lower)
    #expect(relaxed.outcome("ATS-TLS-VERSION") == .relaxed)
    #expect(
      relaxed["ATS-TLS-VERSION"].decidingKey
        == KeyReference(key: "NSExceptionMinimumTLSVersion", entry: "www.example.com"))
    #expect(relaxed["ATS-TLS-VERSION"].observed == "TLS 1.1")
    #expect(judged(session(0x0301, 0xC013), lower).outcome("ATS-TLS-VERSION") == .fail)

    let higher = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    let failing = judged(session(0x0303, 0xC02F), higher)
    #expect(failing.outcome("ATS-TLS-VERSION") == .fail)
    #expect(failing["ATS-TLS-VERSION"].decidingKey?.key == "NSExceptionMinimumTLSVersion")
    #expect(failing["ATS-TLS-VERSION"].expected == "TLS 1.3 or later")
    #expect(failing.verdict == .fail)
  }

  @Test(arguments: [
    (UInt16(0x0301), [UInt16(0x0301)], [UInt16(0xC013)], "ATS-TLS-VERSION", "TLS 1.2"),
    (0x0303, [0x0303], [0x009C, 0x0035], "ATS-PFS", "ECDHE suites"),
    (0x0303, [0x0303], [0x0005, 0x000A], "ATS-CIPHER", "ATS cipher suites"),
  ])
  func `if the client offered nothing better, the fix is to record again first`(
    version: UInt16, versions: [UInt16], suites: [UInt16], rule: String, what: String
  ) {
    var builder = SessionBuilder()
    (builder.version, builder.suite) = (version, suites[0])
    (builder.offeredVersions, builder.offeredSuites) = (versions, suites)
    let limited = judged(builder.session)[rule]
    #expect(limited.outcome == .fail)
    #expect(limited.isLimitedByOffer)
    #expect(limited.fix?.text.hasPrefix("Recording: record again with an Apple device, or another client that offers \(what). ") == true)
    // What the client offered in a contested hello is not known.
    builder.finish = { $0.evidence.contest(.clientHello, FrameList([1, 2])) }
    let contested = judged(builder.session)[rule]
    #expect(contested.outcome == .fail)
    #expect(!contested.isLimitedByOffer && contested.offerRemark == nil)
    builder.finish = { _ in }
    builder.offeredVersions = [0x0304, 0x0303]
    builder.offeredSuites.append(0xC02F)
    let chosen = judged(builder.session)[rule]
    #expect(chosen.outcome == .fail)
    #expect(!chosen.isLimitedByOffer)
    #expect(chosen.fix?.text.contains("Recording: ") == false)
  }

  @Test(arguments: [
    // A client of TLS 1.2 cannot use suites of TLS 1.3, one of TLS 1.0 none with SHA-2.
    (UInt16(0x0303), [UInt16(0x0303)], [UInt16(0x0039), 0x1301], true), (0x0303, [0x0303], [0x009C, 0x1301], true),
    (0x0301, [0x0301], [0x000A, 0xC02F], true), (0x0301, [0x0301], [0x0035, 0xC02F], true),
    // That the version fails too does not make a suite worse.
    (0x0301, [0x0301], [0x000A, 0xC013], false), (0x0301, [0x0301], [0x0035, 0xC013], false),
    (0x0303, [0x0304, 0x0303], [0x0039, 0x1301], false),
  ])
  func `the note on the offered suites agrees with the fix`(version: UInt16, versions: [UInt16], suites: [UInt16], isLimited: Bool) throws {
    var builder = SessionBuilder()
    (builder.version, builder.suite) = (version, suites[0])
    (builder.offeredVersions, builder.offeredSuites) = (versions, suites)
    let findings = judged(builder.session).findings.filter { ["ATS-CIPHER", "ATS-PFS"].contains($0.id) && $0.outcome == .fail }
    let finding = try #require(findings.first)
    #expect(findings.count == 1 && finding.isLimitedByOffer == isLimited)
    #expect(finding.offerRemark == (isLimited ? .clientCouldNotDoBetter : .serverChose))
    #expect(finding.fix?.text.hasPrefix("Recording: ") == isLimited)
  }

  @Test
  func `no setting allows SSL 3`() {
    let lower = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.0"))
    #expect(judged(session(0x0300, 0xC013), lower).outcome("ATS-TLS-VERSION") == .fail)
    let off = judged(session(0x0300, 0xC013), ATSDictionary(allowsArbitraryLoads: true))
    #expect(off.outcome("ATS-TLS-VERSION") == .fail)
    #expect(off.verdict == .exempt)
  }

  @Test
  func `a DTLS version as the minimum leaves ATS-TLS-VERSION unknown`() {
    let odd = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "DTLSv1.0"))
    #expect(judged(session(0x0303, 0xC02F), odd).outcome("ATS-TLS-VERSION") == .unknown)
  }

  @Test
  func `the note shows whether the client or the server limits a low version`() {
    let ceiling = judged(session(0x0301, 0xC013))["ATS-TLS-VERSION"]
    #expect(ceiling.notes == ["The client offered TLS 1.3, so TLS 1.0 is the best this server supports."])
    var builder = SessionBuilder()
    builder.version = 0x0301
    builder.offeredVersions = [0x0301]
    #expect(
      judged(builder.session)["ATS-TLS-VERSION"].notes
        == ["The client offered nothing better, so this does not show what the server supports."])
    builder.version = 0x0303
    builder.offeredVersions = [0x0303, 0x0302]
    let higher = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(
      judged(builder.session, higher)["ATS-TLS-VERSION"].notes
        == ["The client offered at most TLS 1.2; the server may support TLS 1.3."])
  }

  @Test(arguments: [("ios26", Finding.Outcome.fail), ("ios18.6", .pass)])
  func `with ATS off, the system's own minimum version applies`(os: String, outcome: Finding.Outcome) {
    let off = ATSDictionary(allowsArbitraryLoads: true)
    let content = judged(session(0x0301, 0xC013), off, os: os)
    #expect(content.verdict == .exempt)
    #expect(content["ATS-TLS-VERSION"].isRequired == false)
    #expect(content.outcome("ATS-TLS-VERSION") == (outcome == .pass ? .relaxed : outcome))
  }

  @Test func `a suite of another version fails ATS-CIPHER`() {
    for (version, suite, name) in [(0x0303, 0x1301, "TLS 1.2"), (0x0304, 0xC02F, "TLS 1.3")] as [(UInt16, UInt16, String)] {
      let finding = judged(session(version, suite))["ATS-CIPHER"]
      #expect(finding.outcome == .fail)
      #expect(finding.observed?.hasSuffix(", which \(name) does not have") == true)
    }
  }

  // MARK: ATS-CIPHER and ATS-PFS

  /// The TLS 1.2 suites of all releases in policy text D.1, with ephemeral keys and with RSA key exchange.
  private static let always: (ephemeral: [UInt16], rsa: [UInt16]) = (
    [0xC02C, 0xC02B, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xC014, 0xC013], [0x009D, 0x009C, 0x0035, 0x002F]
  )
  /// The suites before iOS 15.4 and macOS 12.3.
  private static let early: (ephemeral: [UInt16], rsa: [UInt16]) = (
    [0xC024, 0xC023, 0xC028, 0xC027], [0x003D, 0x003C]
  )
  /// The suites since iOS 12 and macOS 10.14; the last three are of TLS 1.3.
  private static let late: [UInt16] = [0xCCA9, 0xCCA8, 0x1301, 0x1302, 0x1303]

  @Test(arguments: [
    ("ios9", true, false), ("ios11.4", true, false), ("ios12", true, true), ("ios15.3", true, true),
    ("ios15.4", false, true), ("ios26.5", false, true), ("macos12.2", true, true), ("macos12.3", false, true),
  ])
  func `each release accepts its own suites of both groups`(
    os: String, hasEarly: Bool, hasLate: Bool
  ) {
    let suites: [(code: UInt16, isEphemeral: Bool, isMember: Bool)] =
      Self.always.ephemeral.map { ($0, true, true) } + Self.always.rsa.map { ($0, false, true) }
      + Self.early.ephemeral.map { ($0, true, hasEarly) } + Self.early.rsa.map { ($0, false, hasEarly) }
      + Self.late.map { ($0, true, hasLate) }
    for (suite, isEphemeral, isMember) in suites {
      let isTLS13 = suite >> 8 == 0x13
      if isTLS13, !hasLate { continue }
      let content = judged(session(isTLS13 ? 0x0304 : 0x0303, suite), os: os)
      let name = Comment(rawValue: "\(String(suite, radix: 16)) \(os)")
      #expect(content.outcome("ATS-CIPHER") == (isMember ? .pass : .fail), name)
      #expect(content.outcome("ATS-PFS") == (isEphemeral ? .pass : isMember ? .fail : .notApplicable), name)
    }
    #expect(Set(suites.map(\.code)) == Set(CipherSuiteGroups.table.map(\.suite.rawValue)))
  }

  @Test(arguments: [
    (UInt16(0x009F), Finding.Outcome.pass), (0x0033, .pass), (0xC00D, .notApplicable), (0x000A, .notApplicable),
    (0xC012, .pass), (0x0005, .notApplicable), (0xC0A0, .notApplicable), (0x0000, .notApplicable),
    (0xC02D, .notApplicable), (0xFFFE, .notApplicable),
  ])
  func `suites in neither group fail ATS-CIPHER, and ATS-PFS is judged separately`(suite: UInt16, secrecy: Finding.Outcome) {
    let content = judged(session(0x0303, suite))
    #expect(content.outcome("ATS-CIPHER") == .fail)
    #expect(content.outcome("ATS-PFS") == secrecy)
    #expect(content.primaryRule == .cipherSuite)
  }

  @Test(arguments: [UInt16(0x1304), 0x1305])
  func `AES-CCM of TLS 1_3 fails`(suite: UInt16) {
    #expect(judged(session(0x0304, suite)).outcome("ATS-CIPHER") == .fail)
  }

  @Test
  func `ATS-CIPHER names the suite and whether the client offered an acceptable one`() {
    let finding = judged(session(0x0303, 0x0039))["ATS-CIPHER"]
    #expect(finding.observed == "TLS_DHE_RSA_WITH_AES_256_CBC_SHA, not allowed by ATS")
    #expect(finding.notes == ["The server chose this although an acceptable suite was offered."])
    let poor = judged(session(0x0303, 0x0039, offering: [0x0039, 0x00FF, 0x1301]))["ATS-CIPHER"]
    #expect(poor.notes == ["The server chose this although an acceptable suite was offered."])
    var builder = SessionBuilder()
    (builder.suite, builder.offeredSuites, builder.offeredVersions) = (0x0039, [0x0039, 0x1301], [0x0303])
    #expect(
      judged(builder.session)["ATS-CIPHER"].notes
        == ["The client offered nothing better, so this does not show what the server supports."])
    let dropped = judged(session(0x0303, 0xC028))["ATS-CIPHER"]
    #expect(dropped.notes.first?.hasPrefix("Apple's documentation still lists this suite") == true)
  }

  @Test
  func `NSExceptionRequiresForwardSecrecy NO relaxes RSA suites`() {
    let dictionary = entry("www.example.com", ExceptionSettings(requiresForwardSecrecy: false))
    let content = judged(session(0x0303, 0x009C), dictionary)
    #expect(content.outcome("ATS-PFS") == .relaxed)
    #expect(
      content["ATS-PFS"].decidingKey
        == KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "www.example.com"))
    #expect(content.outcome("ATS-CIPHER") == .pass)
    #expect(judged(session(0x0303, 0x000A), dictionary).outcome("ATS-CIPHER") == .fail)
    let both = entry(
      "www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false))
    #expect(judged(session(0x0303, 0x000A), both).outcome("ATS-CIPHER") == .relaxed)
    #expect(judged(session(0x0303, 0x0005), both).outcome("ATS-CIPHER") == .fail)
  }

  @Test
  func `TLS 1_3 without a key share has no forward secrecy`() {
    var builder = SessionBuilder.tls13()
    builder.answerExtensions = [.supportedVersions, .preSharedKey]
    builder.keyShare = nil
    #expect(judged(builder.session).outcome("ATS-PFS") == .fail)
    let relaxed = entry("www.example.com", ExceptionSettings(requiresForwardSecrecy: false))
    #expect(judged(builder.session, relaxed).outcome("ATS-PFS") == .relaxed)
    builder.answerExtensions = [.supportedVersions]
    #expect(judged(builder.session, relaxed)["ATS-PFS"].observed == "neither a key share nor a pre-shared key")
    #expect(judged(builder.session, relaxed).outcome("ATS-PFS") == .fail)
    builder.answerExtensions.append(.preSharedKey)
    builder.isHelloRetryRequest = true
    #expect(judged(builder.session).outcome("ATS-PFS") == .unknown)
    #expect(judged(builder.session).outcome("ATS-CIPHER") == .pass)
  }

  @Test(
    arguments: [
      (.snaplen, "record full packets"),
      (.limit, "read only this connection with --filter; if it reaches a limit too, record a connection with shorter messages"),
    ] as [(Evidence.Incomplete, String)])
  func `a session without ServerHello is unknown and lists what would settle it`(reason: Evidence.Incomplete, advice: String) {
    var builder = SessionBuilder()
    builder.hasAnswer = false
    builder.certificates = nil
    builder.finish = { $0.evidence.incomplete = reason }
    let content = judged(builder.session)
    for rule in ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-CERT-TRUST"] {
      #expect(content.outcome(rule) == .unknown)
      #expect(content[rule].missing == .missing)
      #expect(content[rule].settledBy.first == .evidence(advice))
    }
    #expect(content.outcome("ATS-HTTPS") == .pass)
    #expect(content.verdict == .unknown)
  }

  @Test(arguments: ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-NIAP"])
  func `a version in the missing part of a ServerHello leaves every rule about it unknown`(rule: String) {
    let session = SessionBuilder { builder in
      builder.certificates = nil
      builder.finish = {
        $0.sharedTLS?.sharedServerHello?.version = nil
        $0.evidence.serverHello = .partial
        $0.evidence.incomplete = .snaplen
      }
    }.session
    let finding = judged(session, niap)[rule]
    #expect(finding.outcome == .unknown)
    #expect(finding.missing == .partial)
    #expect(finding.settledBy == [.evidence("record full packets")])
  }

  @Test
  func `version 0 in a ServerHello is observed, but is not a TLS version`() {
    let finding = judged(SessionBuilder { $0.version = 0 }.session)["ATS-TLS-VERSION"]
    #expect(finding.outcome == .unknown)
    #expect(finding.observed == "0x0000")
  }

  @Test
  func `TLS captured mid-stream is unknown and has no score`() {
    var builder = SessionBuilder()
    (builder.hasOffer, builder.hasAnswer, builder.certificates) = (false, false, nil)
    let content = judged(builder.session)
    #expect(content.outcome("ATS-HTTPS") == .unknown)
    #expect(content.score == nil)
    #expect(content.grade == nil)
    #expect(content.confidencePercent == 0)
  }

  // MARK: Failed handshakes

  /// The suites that iOS 15.4 and later offer under strict ATS.
  private static let permitted: [UInt16] = [
    0x0A0A, 0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014,
    0xC013, 0x00FF, 0x5600,
  ]
  private static let compatible: [UInt16] = [0x009D, 0x009C, 0x0035, 0x002F]

  private func refused(_ alert: UInt8, _ change: (inout SessionBuilder) -> Void = { _ in }) -> ObservedSession {
    SessionBuilder.refused(alert) {
      $0.offeredSuites = Self.permitted
      change(&$0)
    }.session
  }

  @Test(arguments: [
    (UInt8(40), Finding.Outcome.fail, Finding.Outcome.unknown), (71, .fail, .unknown), (70, .unknown, .fail),
    (86, .unknown, .fail),
    (80, .unknown, .unknown), (47, .unknown, .unknown),
  ])
  func `the alert that refuses a device's offer decides which rule fails`(alert: UInt8, cipher: Finding.Outcome, version: Finding.Outcome) {
    let content = judged(refused(alert))
    #expect(content.outcome("ATS-CIPHER") == cipher)
    #expect(content.outcome("ATS-TLS-VERSION") == version)
    #expect(content.outcome("ATS-PFS") == .unknown)
    #expect(content.verdict == (cipher == .fail || version == .fail ? .fail : .unknown))
  }

  @Test
  func `a server that refuses a superset of a device's offer refuses the device`() {
    for (alert, rule) in [(40, "ATS-CIPHER"), (71, "ATS-CIPHER"), (70, "ATS-TLS-VERSION")]
      as [(UInt8, String)]
    {
      for change: (inout SessionBuilder) -> Void in [
        { $0.offeredSuites += [0x002F, 0x000A, 0x009E] }, { $0.offeredVersions += [0x0302, 0x0301] },
        { $0.offeredGroups += [0x001E, 0x0100] }, { $0.signatureSchemes += [0x0603, 0x0201] },
      ] {
        let finding = judged(refused(alert, change))[rule]
        #expect(finding.outcome == .fail, "alert \(alert): \(finding.notes)")
        #expect(finding.notes.contains { $0.contains("the server refused even that") })
      }
      #expect(judged(refused(alert))[rule].notes.contains { $0.contains("refused even that") } == false)
    }
  }

  @Test
  func
    `a server that refuses less than a device offers may accept the device, and what was missing is named`()
  {
    for (alert, rule) in [
      (40, "ATS-CIPHER"), (71, "ATS-CIPHER"), (70, "ATS-TLS-VERSION"), (86, "ATS-TLS-VERSION"),
    ]
      as [(UInt8, String)]
    {
      let cases: [(name: String, change: (inout SessionBuilder) -> Void)] = [
        ("TLS 1.3", { $0.offeredVersions = [0x0303] }), ("TLS 1.2", { $0.offeredVersions = [0x0304] }),
        ("TLS 1.3 and TLS 1.2", { $0.offeredVersions = [0x0301] }),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", { $0.offeredSuites.removeAll { $0 == 0xC00A } }),
        ("and 9 more", { $0.offeredSuites = [0xC02F] }),
        ("secp521r1", { $0.offeredGroups = [0x001D, 0x0017, 0x0018] }),
        ("x25519", { $0.offeredGroups = [] }),
        ("ecdsa_secp384r1_sha384", { $0.signatureSchemes.removeAll { $0 == 0x0503 } }),
        ("SNI", { $0.offeredExtensions.removeAll { $0 == .serverName } }),
        // Neither offer contains the other.
        (
          "x25519",
          { ($0.offeredGroups, $0.offeredSuites) = ([0x0017, 0x0018, 0x0019], Self.permitted + [0x002F]) }
        ),
      ]
      for (name, change) in cases {
        let content = judged(refused(alert, change))
        #expect(content.outcome(rule) == .unknown, "\(alert) \(name)")
        #expect(content.verdict == .unknown, "\(alert) \(name)")
        #expect(content.narrowestException == nil, "\(alert) \(name)")
        #expect(content[rule].notes.contains { $0.contains(name) }, "\(name): \(content[rule].notes)")
      }
    }
  }

  @Test(arguments: [(ObservedSession.NameSource.address, Finding.Outcome.unknown), (.connect, .fail)])
  func `a refusal of a client without SNI decides only if the client requested an address`(
    source: ObservedSession.NameSource, expected: Finding.Outcome
  ) {
    let content = judged(
      refused(40) {
        ($0.host, $0.source) = ("203.0.113.7", source)
        $0.offeredExtensions.removeAll { $0 == .serverName }
      })
    #expect(content.outcome("ATS-CIPHER") == expected)
    #expect(content.verdict == (expected == .fail ? .fail : .unknown))
  }

  @Test
  func `a device's offer depends on the policy`() {
    func outcome(_ settings: ExceptionSettings, _ change: (inout SessionBuilder) -> Void = { _ in })
      -> Finding.Outcome
    {
      judged(refused(40, change), entry("www.example.com", settings)).outcome("ATS-CIPHER")
    }
    #expect(outcome(ExceptionSettings()) == .fail)
    #expect(outcome(ExceptionSettings(requiresForwardSecrecy: false)) == .unknown)
    #expect(
      outcome(ExceptionSettings(requiresForwardSecrecy: false)) { $0.offeredSuites += Self.compatible }
        == .fail)
    #expect(outcome(ExceptionSettings(minimumTLSVersion: "TLSv1.0")) == .unknown)
    #expect(
      outcome(ExceptionSettings(minimumTLSVersion: "TLSv1.1")) { $0.offeredVersions += [0x0302] } == .fail)
    // With a minimum of TLS 1.3 a device offers nothing else.
    let strict = ExceptionSettings(minimumTLSVersion: "TLSv1.3")
    #expect(
      outcome(strict) {
        ($0.offeredVersions, $0.offeredSuites) = ([0x0304], [0x1301, 0x1302, 0x1303])
      } == .fail)
    // Under NSAllowsArbitraryLoads the system offers all of its suites; a refusal of ATS suites shows nothing.
    let off = judged(refused(40), ATSDictionary(allowsArbitraryLoads: true))
    #expect(off.outcome("ATS-CIPHER") == .unknown)
    #expect(off.verdict == .exempt)
    let package = ATSDictionary(requiredNIAPPackage: .fcp2d1)
    #expect(
      judged(
        refused(40) { $0.offeredSuites = [0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030] }, package
      )
      .outcome("ATS-CIPHER") == .fail)
  }

  @Test
  func `a device's offer depends on the release`() {
    func outcome(_ os: String, _ change: (inout SessionBuilder) -> Void) -> Finding.Outcome {
      judged(refused(40, change), os: os).outcome("ATS-CIPHER")
    }
    #expect(outcome("ios15.3") { _ in } == .unknown)
    #expect(outcome("ios15.3") { $0.offeredSuites += [0xC023, 0xC024, 0xC027, 0xC028] } == .fail)
    #expect(
      outcome("ios12.1") {
        ($0.offeredVersions, $0.offeredSuites) = (
          [0x0303], Self.permitted + [0xC023, 0xC024, 0xC027, 0xC028]
        )
      } == .fail)
    let old: [UInt16] = [
      0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013,
    ]
    #expect(
      outcome("ios9") {
        ($0.offeredVersions, $0.offeredSuites) = ([0x0303], old)
        $0.offeredGroups = [0x0017, 0x0018, 0x0019]
        $0.signatureSchemes = [0x0401, 0x0403, 0x0501, 0x0503, 0x0601]
      } == .fail)
  }

  @Test
  func `without supported_versions a client offers all versions up to its highest`() {
    let session = refused(70) {
      $0.offeredVersions = [0x0303]
      $0.offeredSuites = Self.permitted + [0xC023, 0xC024, 0xC027, 0xC028]
    }
    let settings = ExceptionSettings(minimumTLSVersion: "TLSv1.0")
    #expect(
      judged(session, entry("www.example.com", settings), os: "ios12").outcome("ATS-TLS-VERSION") == .fail)
    #expect(judged(session, os: "ios12.2").outcome("ATS-TLS-VERSION") == .unknown)
  }

  @Test
  func `a server that refuses a fallback supports a higher version than offered`() {
    let session = refused(86) {
      ($0.offeredVersions, $0.offeredSuites) = ([0x0303], Self.permitted + [0xC023, 0xC024, 0xC027, 0xC028])
    }
    let finding = judged(session, os: "ios12")["ATS-TLS-VERSION"]
    #expect(finding.outcome == .unknown)
    #expect(finding.notes.contains { $0.contains("TLS_FALLBACK_SCSV") })
  }

  @Test(arguments: [UInt8(40), 70])
  func `a refusal over QUIC is unknown, because devices offer TLS 1_2 over TCP`(alert: UInt8) {
    let rule = alert == 40 ? "ATS-CIPHER" : "ATS-TLS-VERSION"
    var session = refused(alert) {
      $0.offeredVersions = [0x0304]
      $0.offeredSuites = [0x1301, 0x1302, 0x1303]
    }
    session.transport = .quic
    let finding = judged(session)[rule]
    #expect(finding.outcome == .unknown)
    #expect(finding.notes.contains { $0.hasPrefix("QUIC requires TLS 1.3") })
    let strict = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(judged(session, strict).outcome(rule) == .fail)
  }

  @Test
  func `a warning, a client's alert, a reset or missing data is not a refusal`() {
    for change: (inout ObservedSession) -> Void in [
      {
        $0.sharedTLS?.serverAlerts = [
          ObservedAlert(level: 1, description: AlertDescription(rawValue: 40), frame: 4)
        ]
      }, { $0.sharedTLS?.outcome = .refusedByClient }, { $0.sharedTLS?.outcome = .reset },
      { $0.evidence.missingBytes = 70 }, { $0.evidence.incomplete = .loss },
      { $0.evidence.serverHello = .partial },
    ] {
      var session = refused(40)
      change(&session)
      #expect(judged(session).outcome("ATS-CIPHER") == .unknown)
    }
  }

  @Test
  func `an alert without a captured ClientHello is not a refusal`() {
    var session = refused(70)
    session.sharedTLS?.sharedOffer = nil
    session.evidence.clientHello = .missing
    let content = judged(session)
    for rule in ["ATS-TLS-VERSION", "ATS-CIPHER"] {
      #expect(content.outcome(rule) == .unknown)
      #expect(
        content[rule].notes
          == ["The server sent alert 70 (protocol_version), and no ClientHello is in the capture."])
    }
  }

  // MARK: ATS-NIAP

  private let niap = ATSDictionary(requiredNIAPPackage: .fcp2d1)

  @Test
  func `the NIAP package is not required by default or before iOS 26_4`() {
    #expect(judged(SessionBuilder().session).outcome("ATS-NIAP") == .notApplicable)
    #expect(judged(SessionBuilder().session, niap, os: "ios26.3").outcome("ATS-NIAP") == .notApplicable)
    let lifted = ATSDictionary(
      exceptionDomains: [ExceptionEntry(key: "www.example.com", requiredNIAPPackage: NIAPPackage.none)],
      requiredNIAPPackage: .recommended)
    #expect(judged(SessionBuilder().session, lifted).outcome("ATS-NIAP") == .notApplicable)
  }

  @Test
  func `a good TLS 1_2 session meets the NIAP package`() {
    #expect(judged(SessionBuilder().session, niap).outcome("ATS-NIAP") == .pass)
  }

  @Test
  func `each broken requirement of the NIAP package fails`() {
    let changes: [(inout SessionBuilder) -> Void] = [
      { $0.suite = 0xC013 }, { $0.version = 0x0302 }, { $0.answerExtensions = [] },
      { $0.offeredExtensions = [.serverName] }, { $0.signatureSchemes = [0x0401, 0x0201] },
      { $0.signatureSchemes = [] }, { $0.signatureSchemes = [0x0403, 0x0804] },
    ]
    for change in changes {
      let content = judged(SessionBuilder(change).session, niap)
      #expect(content.outcome("ATS-NIAP") == .fail)
      #expect(
        content["ATS-NIAP"].decidingKey == KeyReference(key: "NSRequiresNIAPTLSPackageVersion", entry: nil))
      #expect(content.predictedError?.code == -1200)
    }
    let signed = SessionBuilder { builder in
      builder.finish = {
        $0.sharedTLS?.serverKeyExchange = ServerKeyExchangeFacts(
          bits: 256, group: nil, signatureScheme: SignatureScheme(rawValue: 0x0201))
      }
    }
    #expect(judged(signed.session, niap).outcome("ATS-NIAP") == .fail)
  }

  @Test
  func `a failure of the NIAP package is limited by an offer without its suites or versions`() {
    #expect(!judged(SessionBuilder { $0.suite = 0xC013 }.session, niap)["ATS-NIAP"].isLimitedByOffer)
    let old = SessionBuilder {
      $0.suite = 0xC013
      $0.offeredSuites = [0xC013, 0xC014]
    }
    #expect(judged(old.session, niap)["ATS-NIAP"].isLimitedByOffer)
    #expect(!judged(SessionBuilder { $0.version = 0x0302 }.session, niap)["ATS-NIAP"].isLimitedByOffer)
  }

  @Test
  func `TLS 1_3 without keys shows only the suite for the NIAP package`() {
    let content = judged(SessionBuilder.tls13().session, niap)
    #expect(content.outcome("ATS-NIAP") == .unknown)
    #expect(content["ATS-NIAP"].missing == .encrypted)
    #expect(judged(SessionBuilder.tls13 { $0.suite = 0x1304 }.session, niap).outcome("ATS-NIAP") == .fail)
  }
}
