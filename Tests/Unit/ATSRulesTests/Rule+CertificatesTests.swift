import ATSEvaluation
import ATSEvidence
import ATSRules
import CertificateIssuing
import CertificateParsing
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import TrustEvaluation
import Values

/// A TLS 1.2 session with these certificates.
private func session(
  _ certificates: [ObservedCertificate], at time: String = "2026-02-01T12:00:00Z",
  _ change: (inout SessionBuilder) -> Void = { _ in }
) -> ObservedSession {
  SessionBuilder { builder in
    builder.certificates = certificates
    builder.time = Timestamp(time)
    change(&builder)
  }.session
}

/// The evaluation of a chain whose path ends at an anchor of this class, or at none.
private func trust(
  _ certificates: [ObservedCertificate], _ anchorClass: AnchorClass, isLeafAnchor: Bool = false
) -> ChainTrust {
  let path = TrustPath(
    certificates: certificates, origins: certificates.indices.map { .sent($0) }, anchorClass: anchorClass,
    isLeafAnchor: isLeafAnchor)
  return ChainTrust(
    paths: anchorClass == .none ? [] : [path],
    failures: anchorClass == .none ? [PathFailure(certificates: certificates, reason: .unknownRoot)] : [],
    spentBudget: nil, store: TrustStore(systemRoots: .apple), appleStore: nil)
}

private let goodChain = [
  CertificateBuilder.leaf(), CertificateBuilder.intermediate(), CertificateBuilder.root(),
]

private let certificateRules = [
  "ATS-CERT-TRUST", "ATS-CERT-REVOKED", "ATS-CERT-DATES", "ATS-CERT-HOST", "ATS-CERT-SAN", "ATS-CERT-CHAIN",
  "ATS-CERT-KEY", "ATS-CERT-SIG", "ATS-CERT-EKU", "ATS-CERT-LIFETIME", "ATS-CT",
]

@Suite struct RuleVisibilityTests {
  @Test
  func `no key log settles a session whose ClientHello was not captured`() {
    var session = SessionBuilder.tls13().session
    session.serverName = nil
    session.serverNameSource = nil
    session.sharedTLS?.sharedOffer = nil
    session.evidence.clientHello = .missing
    session.evidence.incomplete = .loss
    let content = judged(session)
    for rule in certificateRules {
      #expect(content.outcome(rule) == .unknown)
      #expect(
        content[rule].settledBy
          == [.evidence("record without packet loss: key logs and fetched certificates need the ClientHello")])
    }
  }

  @Test
  func `TLS 1_3 without keys leaves every certificate rule unknown`() {
    let content = judged(SessionBuilder.tls13().session)
    for rule in certificateRules {
      #expect(content.outcome(rule) == .unknown)
      #expect(content[rule].missing == .encrypted)
      #expect(
        content[rule].settledBy
          == [.keyLog, .captureSecrets, .chain(server: "www.example.com")])
    }
    #expect(content["ATS-CERT-REVOKED"].isRequired == false)
    #expect(content.verdict == .unknown)
    #expect(content.predictedError == nil)
    #expect(
      content["ATS-CERT-TRUST"].notes
        == [
          "The client finished the handshake, which does not prove that a device would trust the certificate."
        ])
  }

  @Test(arguments: [
    (EvidenceNote.secretsMissing, "the secrets of this session (the given ones belong to other sessions)"),
    (.secretsDoNotDecrypt, "the secrets of this session (the given ones do not decrypt it)"),
    (.serverSecretMissing, "SERVER_HANDSHAKE_TRAFFIC_SECRET of this session (the given one lacks it)"),
  ])
  func `a key log that does not help is not requested again`(note: EvidenceNote, text: String) {
    let session = SessionBuilder.tls13 { builder in builder.finish = { $0.evidence.add(note) } }.session
    #expect(
      judged(session)["ATS-CERT-TRUST"].settledBy
        == [.evidence("add a key log with \(text)"), .chain(server: "www.example.com")])
  }

  @Test(arguments: [Evidence.State.notSent, .resumed])
  func `ATS-CERT-TRUST has no notes if no certificate was sent`(state: Evidence.State) {
    var builder = SessionBuilder()
    builder.certificates = nil
    builder.finish = { $0.evidence.certificates = state }
    let trust = judged(builder.session)["ATS-CERT-TRUST"]
    #expect(trust.outcome == .unknown)
    #expect(trust.notes == [])
  }

  @Test(arguments: [0x1304, 0x1305, 0x00C6] as [UInt16])
  func `secrets are not requested for a suite that cannot be decrypted`(suite: UInt16) {
    var builder = SessionBuilder.tls13()
    builder.suite = suite
    #expect(
      judged(builder.session)["ATS-CERT-HOST"].settledBy
        == [.evidence("record a handshake with AES-GCM or ChaCha20-Poly1305"), .chain(server: "www.example.com")])
  }

  @Test(arguments: [
    (Evidence.State.resumed, UnseenReason.resumed, "record the original full handshake"),
    (.partial, .partial, "record from the start of the connection"),
    (.missing, .missing, "record from the start of the connection"),
    (.notSent, .notSent, "record a handshake that reaches the certificate"),
  ])
  func `reasons for hidden certificates are distinguished`(state: Evidence.State, reason: UnseenReason, settledBy: String) {
    let hidden = SessionBuilder { builder in
      builder.certificates = nil
      builder.finish = { $0.evidence.certificates = state }
    }
    let content = judged(hidden.session)
    for rule in certificateRules {
      #expect(content.outcome(rule) == .unknown)
      #expect(content[rule].missing == reason)
      #expect(content[rule].settledBy.first == .evidence(settledBy))
    }
  }

  @Test
  func `a visible chain leaves trust unknown without trusted roots`() {
    let content = judged(session(goodChain))
    #expect(content.verdict == .unknown)
    let finding = content["ATS-CERT-TRUST"]
    #expect(finding.outcome == .unknown)
    #expect(finding.missing == nil)
    #expect(finding.isRequired)
    #expect(finding.settledBy == [.anchors, .systemAnchors])
    #expect(finding.notes.first == "No trusted roots are available.")
    for rule in certificateRules where !["ATS-CERT-TRUST", "ATS-CERT-REVOKED"].contains(rule) {
      #expect(content.outcome(rule) == .pass, "\(rule): \(content[rule])")
    }
    #expect(content.outcome("ATS-CERT-REVOKED") == .unknown)
    #expect(content["ATS-CERT-REVOKED"].isRequired == false)
  }

  @Test
  func `a session with a chain to a system root passes`() {
    let content = judged(session(goodChain), trust: trust(goodChain, .system))
    #expect(content.verdict == .pass)
    #expect(content.confidencePercent == 100)
    #expect(content["ATS-CERT-TRUST"].observed == "the chain ends at a system root, Test Root")
  }

  @Test
  func `a chain without a path to a trusted root fails ATS-CERT-TRUST`() {
    let content = judged(session(goodChain), trust: trust(goodChain, .none))
    #expect(content.verdict == .fail)
    #expect(content.primaryRule == .certificateTrust)
    #expect(content.predictedError?.underlyingCode == -9802)
  }

  @Test
  func `a client's alert is noted but decides nothing`() {
    let complaining = session(goodChain) { builder in
      builder.finish = {
        $0.sharedTLS?.outcome = .refusedByClient
        $0.sharedTLS?.clientAlerts = [48, 45, 44].map {
          ObservedAlert(level: 2, description: .init(rawValue: $0), frame: 8)
        }
      }
    }
    let content = judged(complaining)
    #expect(content.verdict == .unknown)
    #expect(content["ATS-CERT-TRUST"].notes.last == "The client itself sent alert 48 (unknown_ca).")
    #expect(content["ATS-CERT-DATES"].notes.last == "The client itself sent alert 45 (certificate_expired).")
    #expect(
      content["ATS-CERT-REVOKED"].notes.last == "The client itself sent alert 44 (certificate_revoked).")
  }

  @Test
  func `rules report a truncated certificate list`() {
    let cut = session([goodChain[0]]) { builder in
      builder.isChainComplete = false
      builder.finish = { $0.evidence.incomplete = .snaplen }
    }
    let content = judged(cut)
    #expect(content["ATS-CERT-CHAIN"].missing == .partial)
    #expect(content["ATS-CERT-CHAIN"].settledBy == [.evidence("record full packets")])
    // The missing certificate may be the one that has expired.
    for rule in ["ATS-CERT-DATES", "ATS-CERT-KEY", "ATS-CERT-SIG"] {
      #expect(content.outcome(rule) == .unknown)
      #expect(content[rule].missing == .partial)
      #expect(content[rule].notes == ["The list of certificates is incomplete in the capture."])
    }
    for advice in ["INCOMPLETE", "ORDER", "EXTRA", "ROOT"] {
      #expect(content.outcome("ADV-CHAIN-" + advice) == .notApplicable)
    }
  }

  @Test
  func `bytes that are not a certificate fail ATS-CERT-CHAIN and decide nothing else`() {
    let garbage = ObservedCertificate(
      certificate: Certificate(parsing: ContiguousArray<UInt8>([1, 2, 3]).span), sha256: "00", spkiSHA256: nil
    )
    let content = judged(session([garbage]), entryWithPins(leaf: ["AAAA"]))
    for rule in certificateRules + ["ATS-PIN"] {
      #expect(content.outcome(rule) == (rule == "ATS-CERT-CHAIN" ? .fail : .unknown), "\(rule)")
    }
  }
}

@Suite struct CertificateDatesRuleTests {
  @Test(arguments: [
    ("2025-12-31T23:59:59Z", Finding.Outcome.fail), ("2026-01-01T00:00:00Z", .pass), ("2026-04-01T00:00:00Z", .pass),
    ("2026-04-01T00:00:01Z", .fail),
  ])
  func `both ends of a certificate's validity are inclusive`(time: String, outcome: Finding.Outcome) {
    let leaf = CertificateBuilder.leaf { $0.scts = [] }
    let content = judged(session([leaf, CertificateBuilder.intermediate()], at: time))
    #expect(content.outcome("ATS-CERT-DATES") == outcome)
    if outcome == .fail { #expect(content["ATS-CERT-DATES"].certificateIndex == 0) }
  }

  @Test func `Apple's own roots do not expire since iOS 26`() {
    let root = CertificateBuilder.root { $0.notAfter = Timestamp("2026-01-15T00:00:00Z") }
    let chain = [goodChain[0], goodChain[1], root]
    func outcome(_ anchorClass: AnchorClass, os: String = "ios26.5") -> Finding.Outcome {
      judged(session(chain), os: os, trust: trust(chain, anchorClass)).outcome("ATS-CERT-DATES")
    }
    #expect(outcome(.apple) == .pass)
    #expect(outcome(.apple, os: "ios18.5") == .fail)
    #expect(outcome(.system) == .fail)
    #expect(outcome(.added) == .fail)
  }

  @Test
  func `a finding names both days, and the time of expiry if they are the same`() {
    let leaf = CertificateBuilder.leaf { $0.scts = [] }
    let later = judged(session([leaf], at: "2026-05-02T01:00:00Z"))["ATS-CERT-DATES"]
    #expect(later.observed == "the server certificate expired 2026-04-01, judged at 2026-05-02")
    #expect(later.fix?.text.hasPrefix("Server: renew the certificate") == true)
    let early = judged(session([leaf], at: "2025-12-01T01:00:00Z"))["ATS-CERT-DATES"]
    #expect(
      early.fix?.text
        == "Recording: check the clock. Server, if a new recording fails too: use a valid certificate, or wait until 2026-01-01")
    let sameDay = judged(session([leaf], at: "2026-04-01T01:00:00Z"))["ATS-CERT-DATES"]
    #expect(sameDay.observed == "the server certificate expired 2026-04-01T00:00:00Z, judged at 2026-04-01")
  }

  @Test
  func `an expired issuer decides only if the path is certain`() {
    let old = CertificateBuilder.intermediate { $0.notAfter = Timestamp("2026-01-31T00:00:00Z") }
    let content = judged(session([CertificateBuilder.leaf(), old]))
    #expect(content.outcome("ATS-CERT-DATES") == .unknown)
    #expect(content["ATS-CERT-DATES"].certificateIndex == 1)
    let decided = judged(
      session([CertificateBuilder.leaf(), old]), trust: trust([goodChain[0], old], .system))
    #expect(decided.outcome("ATS-CERT-DATES") == .fail)
    #expect(decided["ATS-CERT-DATES"].certificateIndex == 1)
  }

  @Test
  func `an expired certificate outside the path does not matter`() {
    let stray = CertificateBuilder.intermediate { builder in
      builder.subject = "Stray CA"
      builder.notAfter = Timestamp("2021-01-01T00:00:00Z")
    }
    #expect(judged(session(goodChain + [stray])).outcome("ATS-CERT-DATES") == .pass)
  }

  @Test
  func `ATS-CERT-DATES is unknown for packets without a plausible time`() {
    let timeless = session(goodChain) { $0.time = nil }
    #expect(judged(timeless).outcome("ATS-CERT-DATES") == .unknown)
    #expect(judged(timeless)["ATS-CERT-DATES"].settledBy == [.time])
    let implausible = session(goodChain) { builder in
      builder.finish = { $0.evidence.isClockPlausible = false }
    }
    #expect(judged(implausible).outcome("ATS-CERT-DATES") == .unknown)
    let stated = judged(timeless) { $0.judgedAt = Timestamp("2026-03-01T00:00:00Z") }
    #expect(stated.outcome("ATS-CERT-DATES") == .pass)
  }

  @Test
  func `a session earlier than the leaf's SCTs has an implausible clock`() {
    let early = session(goodChain, at: "2019-01-01T00:00:00Z")
    #expect(judged(early).outcome("ATS-CERT-DATES") == .unknown)
    let stated = judged(early) { $0.judgedAt = Timestamp("2019-01-01T00:00:00Z") }
    #expect(stated.outcome("ATS-CERT-DATES") == .fail)
  }

  @Test
  func `judgedAt replaces the time of the session`() {
    let late = judged(session(goodChain)) { $0.judgedAt = Timestamp("2027-01-01T00:00:00Z") }
    #expect(late.outcome("ATS-CERT-DATES") == .fail)
    #expect(late.verdict == .fail)
  }
}

@Suite struct CertificateHostRuleTests {
  @Test
  func `a leaf for another host fails`() {
    let other = CertificateBuilder.leaf { $0.dnsNames = ["other.example.com"] }
    let content = judged(session([other]))
    #expect(content.outcome("ATS-CERT-HOST") == .fail)
    #expect(content["ATS-CERT-HOST"].observed == "issued for other.example.com")
    #expect(content["ATS-CERT-HOST"].expected == "a certificate for www.example.com")
    guard case .impossible(let obstacle)? = content.narrowestException else {
      Issue.record("a key for a wrong name")
      return
    }
    #expect(obstacle.reason.contains("issued for other.example.com"))
  }

  @Test
  func `the address of the connection can confirm the certificate's host but never refute it`() {
    func content(_ addresses: [IPAddress]) -> Judgement {
      let leaf = CertificateBuilder.leaf { $0.addresses = addresses }
      return judged(
        session([leaf]) {
          $0.host = "203.0.113.7"
          $0.source = .address
        })
    }
    #expect(content([IPAddress(v4: 0xCB00_7107)]).outcome("ATS-CERT-HOST") == .pass)
    #expect(content([IPAddress(v4: 1)]).outcome("ATS-CERT-HOST") == .unknown)
    #expect(content([]).outcome("ATS-CERT-HOST") == .unknown)
  }

  @Test
  func `a hidden certificate alone does not settle the host name if the client sent none`() {
    let builder = SessionBuilder.tls13 {
      $0.host = "203.0.113.7"
      $0.source = .address
    }
    let name = "record a session that shows the name by SNI, CONNECT or decrypted requests"
    let finding = judged(builder.session)["ATS-CERT-HOST"]
    #expect(finding.missing == .notSent)
    #expect(finding.settledBy == [.evidence("\(name), unless the certificate lists the address")])
    #expect(judged(builder.session)["ATS-CERT-TRUST"].missing == .encrypted)
    #expect(judged(SessionBuilder.tls13().session)["ATS-CERT-HOST"].missing == .encrypted)
  }

  @Test
  func `the address requested from a SOCKS proxy is the host, not the proxy's own address`() {
    func content(_ host: String, _ addresses: [IPAddress]) -> Judgement {
      let leaf = CertificateBuilder.leaf { $0.addresses = addresses }
      return judged(
        session([leaf]) { builder in
          builder.host = host
          builder.source = .connect
          builder.address = IPAddress(v4: 0x0A00_0001)
          builder.finish = { $0.tunnel = [EnclosingLayer("socks 5 \(host):443")] }
        })
    }
    let asked = IPAddress(v4: 0xCB00_7109)
    #expect(content("203.0.113.9", [asked]).outcome("ATS-CERT-HOST") == .pass)
    #expect(content("203.0.113.9", [IPAddress(v4: 0x0A00_0001)]).outcome("ATS-CERT-HOST") == .fail)
    #expect(content("203.0.113.9", []).outcome("ATS-CERT-HOST") == .fail)
    #expect(content("203.0.113.9", []).policy.host == "203.0.113.9")
    // The proxy's own address is private: the requested address decides whether the host is local.
    #expect(content("203.0.113.9", []).policy.isDirect == false)
    #expect(content("192.168.1.9", []).policy.isDirect)
  }

  @Test
  func `an address literal that the client requested is compared with the leaf`() {
    let content = judged(
      session([CertificateBuilder.leaf()]) {
        $0.host = "203.0.113.7"
        $0.source = .connect
      })
    #expect(content.outcome("ATS-CERT-HOST") == .fail)
  }

  @Test
  func `an unknown host leaves ATS-CERT-HOST unknown`() {
    let unnamed = session(goodChain) {
      $0.host = nil
      $0.source = nil
    }
    #expect(judged(unnamed).outcome("ATS-CERT-HOST") == .unknown)
  }

  @Test
  func `subjectAltName is required since iOS 13 and macOS 10_15`() {
    let bare = session([CertificateBuilder.leaf { $0.dnsNames = nil }])
    for os in ["ios13", "macos10.15", "ios26.5"] {
      #expect(judged(bare, os: os).outcome("ATS-CERT-SAN") == .fail)
      #expect(judged(bare, os: os).outcome("ATS-CERT-HOST") == .fail)
      #expect(judged(bare, os: os)["ATS-CERT-SAN"].observed == "no subjectAltName")
    }
    for os in ["ios12.2", "macos10.14.4"] {
      #expect(judged(bare, os: os).outcome("ATS-CERT-SAN") == .notApplicable)
      #expect(judged(bare, os: os).outcome("ATS-CERT-HOST") == .pass)
    }
    let useless = session([CertificateBuilder.leaf { $0.dnsNames = ["203.0.113.7"] }])
    #expect(judged(useless)["ATS-CERT-SAN"].observed == "no usable name in subjectAltName")
  }

  /// A session with the chain that the user supplied for its host.
  private func supplied(_ version: UInt16 = 0x0304, _ change: @escaping (inout ObservedSession) -> Void = { _ in })
    -> ObservedSession
  {
    SessionBuilder.tls13 { builder in
      if version != 0x0304 { (builder.version, builder.suite) = (version, 0xC02F) }
      builder.time = Timestamp("2026-02-01T12:00:00Z")
      builder.offeredExtensions.append(.encryptedClientHello)
      builder.finish = { session in
        session.sharedAssumedChain = Shared(
          AssumedChain(chain: CertificateChain(goodChain, isComplete: true), source: .supplied))
        change(&session)
      }
    }.session
  }

  @Test
  func `a supplied chain leaves the host unknown if the SNI may be the ECH public name`() {
    let finding = judged(supplied())["ATS-CERT-HOST"]
    #expect(finding.outcome == .unknown)
    #expect(finding.missing == .encrypted)
    #expect(finding.settledBy == [.keyLog, .captureSecrets])
    #expect(
      finding.notes == ["Encrypted ClientHello was offered: the visible name may be the server's public name."])
    // In TLS 1.2, and in a tunnel to the host, the name is certain.
    #expect(judged(supplied(0x0303)).outcome("ATS-CERT-HOST") == .pass)
    #expect(judged(supplied { $0.serverNameSource = .connect }).outcome("ATS-CERT-HOST") == .pass)
    // The secrets of the outer hello decrypt the handshake, so the outer name is the host.
    #expect(judged(supplied { $0.sharedTLS?.isDecrypted = true }).outcome("ATS-CERT-HOST") == .pass)
  }

  @Test
  func `a supplied chain issued after the session is not judged`() {
    let issued = goodChain[0].certificate.notBefore ?? Timestamp(seconds: 0)
    func judgement(at time: Timestamp, _ source: AssumedChain.Source = .supplied) -> Judgement {
      judged(
        supplied(0x0303) { session in
          session.start = time
          session.sharedAssumedChain?.source = source
        })
    }
    let before = Timestamp(seconds: issued.seconds - 1)
    for source in [AssumedChain.Source.supplied, .captured] {
      let finding = judgement(at: before, source)["ATS-CERT-HOST"]
      #expect(finding.outcome == .unknown)
      #expect(
        finding.settledBy.contains(.evidence("add a chain issued before the session (the supplied one was issued later)")))
      #expect(judgement(at: issued, source).outcome("ATS-CERT-HOST") == .pass)
    }
    // The chain of a resumed session was sent, whatever its dates.
    #expect(judgement(at: before, .earlierSession).outcome("ATS-CERT-HOST") == .pass)
  }
}

@Suite struct CertificateKeyRuleTests {
  private func outcome(
    _ key: CertificateBuilder.Key, os: String = "ios26.5", isFatal: Bool = false
  ) -> Finding.Outcome {
    let finding = judged(session([CertificateBuilder.leaf { $0.key = key }, goodChain[1]]), os: os)[
      "ATS-CERT-KEY"]
    #expect((finding.fatality == .certain) == isFatal)
    return finding.outcome
  }

  @Test
  func `RSA key sizes are rounded up to whole bytes`() {
    #expect(outcome(.rsa(2048)) == .pass)
    #expect(outcome(.rsa(2041)) == .pass)
    #expect(outcome(.rsa(2040)) == .fail)
    #expect(outcome(.rsa(1024)) == .fail)
    #expect(outcome(.rsa(1017)) == .fail)
    #expect(outcome(.rsa(1016), isFatal: true) == .fail)
    #expect(outcome(.rsa(4096)) == .pass)
  }

  @Test
  func `EC keys below 256 bits and other kinds of keys fail`() {
    #expect(outcome(.ec("1.2.840.10045.3.1.7")) == .pass)
    #expect(outcome(.ec("1.3.132.0.34")) == .pass)
    #expect(outcome(.ec("1.3.132.0.35")) == .pass)
    #expect(outcome(.ec("1.3.132.0.33")) == .fail)
    #expect(outcome(.ec("1.2.840.10045.3.1.1")) == .fail)
    #expect(outcome(.other("1.3.101.112")) == .fail)
    #expect(outcome(.other("1.3.101.113")) == .fail)
    // The system cannot create a DSA key, and app code cannot override that.
    #expect(outcome(.other("1.2.840.10040.4.1"), isFatal: true) == .fail)
  }

  @Test
  func `app code cannot accept a certificate key that the system cannot create`() {
    let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
    func outcome(_ key: CertificateBuilder.Key) -> Finding.Outcome {
      let path = [CertificateBuilder.leaf { $0.key = key }, goodChain[1], goodChain[2]]
      return judged(session(path), insecure, trust: trust(path, .added)) { $0.appOverridesTrust = true }.outcome(
        "ATS-CERT-KEY")
    }
    #expect(outcome(.ec("1.3.132.0.10")) == .fail)
    #expect(outcome(.other("1.2.840.10040.4.1")) == .fail)
    // Later releases can create Ed25519 and Ed448 keys, which are too small but not fatal.
    #expect(outcome(.other("1.3.101.112")) == .relaxed)
    #expect(outcome(.other("1.3.101.113")) == .relaxed)
    #expect(outcome(.rsa(1536)) == .relaxed)
  }

  @Test
  func `an RSA key for RSASSA-PSS only fails, whatever its length`() {
    let key = CertificateBuilder.Key.other("1.2.840.113549.1.1.10")
    #expect(outcome(key, isFatal: true) == .fail)
    #expect(outcome(key, os: "ios12", isFatal: true) == .fail)
    let finding = judged(session([CertificateBuilder.leaf { $0.key = key }, goodChain[1]]))["ATS-CERT-KEY"]
    #expect(finding.observed?.contains("an RSA key for RSASSA-PSS only") == true)
  }

  @Test
  func `curves that Apple's systems do not support are a fatal failure`() {
    // secp256k1, brainpoolP384r1, secp160r1, secp112r1, sect131r1.
    for curve in ["1.3.132.0.10", "1.3.36.3.3.2.8.1.1.11", "1.3.132.0.8", "1.3.132.0.6", "1.3.132.0.22"] {
      #expect(outcome(.ec(curve), isFatal: true) == .fail)
    }
  }

  @Test
  func `the size of the leaf's key matters in every release, of issuers' keys only in later ones`() {
    #expect(outcome(.rsa(2040), os: "ios9") == .fail)
    let weak = session([goodChain[0], CertificateBuilder.intermediate { $0.key = .rsa(1024) }])
    #expect(judged(weak, os: "ios9").outcome("ATS-CERT-KEY") == .pass)
    // Only paths to system roots are checked, and another path is possible.
    #expect(judged(weak, os: "ios11").outcome("ATS-CERT-KEY") == .unknown)
    #expect(judged(weak, os: "ios13").outcome("ATS-CERT-KEY") == .unknown)
    let path = [goodChain[0], CertificateBuilder.intermediate { $0.key = .rsa(1024) }, goodChain[2]]
    #expect(judged(weak, os: "ios11", trust: trust(path, .system)).outcome("ATS-CERT-KEY") == .fail)
    #expect(judged(weak, os: "ios11", trust: trust(path, .added)).outcome("ATS-CERT-KEY") == .pass)
    #expect(judged(weak, os: "ios13", trust: trust(path, .added)).outcome("ATS-CERT-KEY") == .fail)
  }

  @Test
  func `a weak leaf key does not hide a fatal issuer key`() {
    let fatal = CertificateBuilder.intermediate { $0.key = .rsa(512) }
    let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
    for bits in [2048, 1536] {
      let path = [CertificateBuilder.leaf { $0.key = .rsa(bits) }, fatal, goodChain[2]]
      let certain = judged(session(path), insecure, trust: trust(path, .added)) {
        $0.appOverridesTrust = true
      }
      let finding = certain["ATS-CERT-KEY"]
      #expect(finding.outcome == .fail)
      #expect(finding.fatality == .certain)
      #expect(finding.certificateIndex == 1)
      // A device may know another path, on which app code may accept the leaf.
      let open = judged(session(path), insecure) { $0.appOverridesTrust = true }
      #expect(open.outcome("ATS-CERT-KEY") == .unknown)
      #expect(judged(session(path), insecure).outcome("ATS-CERT-KEY") == (bits == 2048 ? .unknown : .fail))
    }
  }

  @Test
  func `the size of the anchor's key matters since iOS 13`() {
    let path = [goodChain[0], goodChain[1], CertificateBuilder.root { $0.key = .rsa(1024) }]
    #expect(judged(session(path), os: "ios12", trust: trust(path, .system)).outcome("ATS-CERT-KEY") == .pass)
    #expect(judged(session(path), os: "ios13", trust: trust(path, .system)).outcome("ATS-CERT-KEY") == .fail)
  }

  @Test
  func `P-224 issuers pass in iOS 12 and fail since iOS 13`() {
    let path = [goodChain[0], CertificateBuilder.intermediate { $0.key = .ec("1.3.132.0.33") }, goodChain[2]]
    #expect(judged(session(path), os: "ios12", trust: trust(path, .system)).outcome("ATS-CERT-KEY") == .pass)
    #expect(judged(session(path), os: "ios13", trust: trust(path, .system)).outcome("ATS-CERT-KEY") == .fail)
  }

  @Test
  func `the key of a leaf that is itself an anchor is not judged`() {
    let own = CertificateBuilder.leaf { builder in
      builder.issuer = "www.example.com"
      builder.key = .rsa(1024)
    }
    #expect(judged(session([own])).outcome("ATS-CERT-KEY") == .unknown)
    let trusted = judged(session([own]), trust: trust([own], .added, isLeafAnchor: true))
    #expect(trusted.outcome("ATS-CERT-KEY") == .notApplicable)
  }

  @Test
  func `NSAllowsArbitraryLoads relaxes ATS-CERT-KEY in iOS 9, not in the newest release`() {
    let weak = session([CertificateBuilder.leaf { $0.key = .rsa(1024) }])
    let off = ATSDictionary(allowsArbitraryLoads: true)
    #expect(judged(weak, off, os: "ios9").outcome("ATS-CERT-KEY") == .relaxed)
    #expect(judged(weak, off).outcome("ATS-CERT-KEY") == .fail)
    let secrecy = entry("www.example.com", ExceptionSettings(requiresForwardSecrecy: false))
    #expect(judged(weak, secrecy, os: "ios9").outcome("ATS-CERT-KEY") == .fail)
  }
}

@Suite struct CertificateSignatureRuleTests {
  private func outcome(_ oid: String, os: String = "ios26.5") -> Finding.Outcome {
    judged(session([CertificateBuilder.leaf { $0.signatureOID = oid }, goodChain[1]]), os: os).outcome(
      "ATS-CERT-SIG")
  }

  @Test(arguments: [
    "1.2.840.113549.1.1.2", "1.2.840.113549.1.1.3", "1.2.840.113549.1.1.4", "1.2.840.113549.1.1.5",
    "1.2.840.113549.1.1.14", "1.2.840.10045.4.1", "1.2.840.10045.4.3.1", "1.2.840.10040.4.3", "1.3.14.3.2.2",
    "1.3.14.3.2.3", "1.3.14.3.2.4", "1.3.14.3.2.27", "1.3.14.3.2.29",
  ])
  func `every algorithm of the deny list fails in the leaf in every release`(oid: String) {
    for os in ["ios9", "ios11", "ios13", "ios26.5"] { #expect(outcome(oid, os: os) == .fail) }
  }

  @Test(arguments: [
    "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3",
    "1.3.101.112",
  ])
  func `SHA-256 and stronger signatures pass`(oid: String) {
    #expect(outcome(oid) == .pass)
  }

  @Test
  func `RSASSA-PSS without parameters counts as SHA-1 and fails`() {
    #expect(outcome("1.2.840.113549.1.1.10") == .fail)
  }

  @Test
  func `MD5 is fatal and SHA-1 is not`() {
    let md5 = judged(session([CertificateBuilder.leaf { $0.signatureOID = "1.2.840.113549.1.1.4" }]))
    #expect(md5["ATS-CERT-SIG"].fatality == .certain)
    let sha1 = judged(session([CertificateBuilder.leaf { $0.signatureOID = "1.2.840.113549.1.1.5" }]))
    #expect(sha1["ATS-CERT-SIG"].fatality != .certain)
    let path = [
      CertificateBuilder.leaf { $0.signatureOID = "1.2.840.113549.1.1.5" },
      CertificateBuilder.intermediate { $0.signatureOID = "1.2.840.113549.1.1.4" }, goodChain[2],
    ]
    let both = judged(session(path), trust: trust(path, .added))
    #expect(both["ATS-CERT-SIG"].fatality == .certain)
    #expect(both["ATS-CERT-SIG"].certificateIndex == 1)
  }

  @Test
  func `root signatures are not judged, issuer signatures only if the path is certain`() {
    let sha1 = "1.2.840.113549.1.1.5"
    let root = CertificateBuilder.root {
      $0.issuer = "Test Root"
      $0.signatureOID = sha1
    }
    #expect(judged(session([goodChain[0], goodChain[1], root])).outcome("ATS-CERT-SIG") == .pass)
    let weak = CertificateBuilder.intermediate { $0.signatureOID = sha1 }
    let path = [goodChain[0], weak, root]
    #expect(judged(session(path)).outcome("ATS-CERT-SIG") == .unknown)
    let decided = judged(session(path), trust: trust(path, .added))
    #expect(decided.outcome("ATS-CERT-SIG") == .fail)
    #expect(decided.predictedError?.underlyingCode == -9885)
    #expect(judged(session(path), os: "ios12", trust: trust(path, .added)).outcome("ATS-CERT-SIG") == .pass)
    #expect(judged(session(path), os: "ios12", trust: trust(path, .system)).outcome("ATS-CERT-SIG") == .fail)
  }

  @Test
  func `the signature of a self-signed leaf is not judged`() {
    let own = CertificateBuilder.leaf {
      $0.issuer = "www.example.com"
      $0.signatureOID = "1.2.840.113549.1.1.5"
    }
    #expect(judged(session([own])).outcome("ATS-CERT-SIG") == .notApplicable)
  }

  @Test
  func `NSAllowsArbitraryLoads relaxes a SHA-224 signature`() {
    let leaf = session([CertificateBuilder.leaf { $0.signatureOID = "1.2.840.10045.4.3.1" }])
    #expect(judged(leaf, ATSDictionary(allowsArbitraryLoads: true)).outcome("ATS-CERT-SIG") == .relaxed)
  }
}

@Suite struct ExtendedKeyUsageRuleTests {
  private func leaf(_ usages: [String]?, notBefore: String = "2026-01-01T00:00:00Z") -> [ObservedCertificate] {
    [
      CertificateBuilder.leaf {
        $0.usages = usages
        $0.notBefore = Timestamp(notBefore)
      }, goodChain[1], goodChain[2],
    ]
  }

  @Test
  func `extended key usages that exclude servers fail in every release`() {
    for os in ["ios9", "ios12", "ios26.5"] {
      #expect(judged(session(leaf([CertificateForm.clientAuth])), os: os).outcome("ATS-CERT-EKU") == .fail)
      // Apple's parser rejects the certificate.
      #expect(judged(session(leaf([])), os: os).outcome("ATS-CERT-CHAIN") == .fail)
      #expect(judged(session(leaf([CertificateForm.serverAuth])), os: os).outcome("ATS-CERT-EKU") == .pass)
    }
  }

  @Test
  func `usages beyond the sixth are counted`() {
    let usages = (1...8).map { "1.2.3.\($0)" }
    #expect(
      judged(session(leaf(usages)))["ATS-CERT-EKU"].observed
        == "the server certificate allows only 1.2.3.1, 1.2.3.2, 1.2.3.3, 1.2.3.4, 1.2.3.5, 1.2.3.6 and 2 more")
  }

  @Test(arguments: [
    nil, [CertificateForm.anyUsage], ["1.3.6.1.4.1.311.10.3.3"], ["2.16.840.1.113730.4.1"],
  ])
  func `no usages, any usage and server-gated cryptography depend on the root since iOS 13`(usages: [String]?) {
    let chain = leaf(usages)
    #expect(judged(session(chain), os: "ios12").outcome("ATS-CERT-EKU") == .pass)
    #expect(judged(session(chain), os: "ios13").outcome("ATS-CERT-EKU") == .unknown)
    #expect(judged(session(chain), trust: trust(chain, .system)).outcome("ATS-CERT-EKU") == .fail)
    #expect(judged(session(chain), trust: trust(chain, .apple)).outcome("ATS-CERT-EKU") == .fail)
    #expect(judged(session(chain), trust: trust(chain, .added)).outcome("ATS-CERT-EKU") == .pass)
  }

  @Test(arguments: [("2019-06-30T23:00:00Z", Finding.Outcome.pass), ("2019-06-30T23:00:01Z", .fail)])
  func `below untrusted roots notBefore decides whether serverAuth is required`(notBefore: String, outcome: Finding.Outcome) {
    let chain = leaf(nil, notBefore: notBefore)
    #expect(judged(session(chain), trust: trust(chain, .none)).outcome("ATS-CERT-EKU") == outcome)
  }

  @Test
  func `an intermediate without a server usage fails below system and added roots`() {
    let chain = [
      goodChain[0], CertificateBuilder.intermediate { $0.usages = [CertificateForm.clientAuth] },
      goodChain[2],
    ]
    #expect(judged(session(chain)).outcome("ATS-CERT-EKU") == .unknown)
    #expect(judged(session(chain), trust: trust(chain, .system)).outcome("ATS-CERT-EKU") == .fail)
    #expect(judged(session(chain), trust: trust(chain, .added)).outcome("ATS-CERT-EKU") == .fail)
    let any = [
      goodChain[0], CertificateBuilder.intermediate { $0.usages = [CertificateForm.anyUsage] },
      goodChain[2],
    ]
    #expect(judged(session(any), trust: trust(any, .system)).outcome("ATS-CERT-EKU") == .pass)
  }
}

@Suite struct CertificateLifetimeRuleTests {
  private func chain(from: String, seconds: Int64) -> [ObservedCertificate] {
    [
      CertificateBuilder.leaf {
        $0.notBefore = Timestamp(from)
        $0.notAfter = Timestamp(seconds: Timestamp(from).seconds + seconds)
        $0.scts = []
      }, goodChain[1], goodChain[2],
    ]
  }

  private func outcome(
    from: String, seconds: Int64, os: String = "ios26.5", _ anchorClass: AnchorClass? = nil
  ) -> Finding.Outcome {
    let chain = chain(from: from, seconds: seconds)
    return judged(session(chain), os: os, trust: anchorClass.map { trust(chain, $0) }).outcome(
      "ATS-CERT-LIFETIME")
  }

  private static let day: Int64 = 86_400

  struct Limit: CustomTestStringConvertible {
    var anchorClass: AnchorClass
    var from: String
    var os: String
    /// The maximum lifetime in seconds; nil if there is no limit.
    var limit: Int64?

    var testDescription: String { "\(anchorClass) from \(from) in \(os)" }
  }

  static let limits: [Limit] = [
    Limit(anchorClass: .system, from: "2016-06-30T23:59:59Z", os: "ios13", limit: 1827 * day + 3600),
    Limit(anchorClass: .system, from: "2016-06-30T23:59:59Z", os: "ios15.4", limit: 1827 * day + 3600),
    Limit(anchorClass: .system, from: "2016-06-30T23:59:59Z", os: "ios15.5", limit: nil),
    Limit(anchorClass: .system, from: "2016-07-01T00:00:00Z", os: "ios13", limit: 1188 * day + 3600),
    Limit(anchorClass: .system, from: "2018-02-28T23:59:59Z", os: "macos12.3", limit: 1188 * day + 3600),
    Limit(anchorClass: .system, from: "2018-02-28T23:59:59Z", os: "macos12.4", limit: nil),
    Limit(anchorClass: .system, from: "2018-02-28T23:59:59Z", os: "ios16", limit: nil),
    Limit(anchorClass: .system, from: "2018-03-01T00:00:00Z", os: "ios13", limit: 825 * day + 3600),
    Limit(anchorClass: .system, from: "2020-08-31T23:59:59Z", os: "ios26.5", limit: 825 * day + 3600),
    Limit(anchorClass: .system, from: "2020-09-01T00:00:00Z", os: "ios14", limit: 398 * day),
    Limit(anchorClass: .apple, from: "2020-09-01T00:00:00Z", os: "ios14", limit: 398 * day),
    Limit(anchorClass: .system, from: "2020-09-01T00:00:00Z", os: "ios13.7", limit: 825 * day + 3600),
    Limit(anchorClass: .system, from: "2020-09-01T00:00:00Z", os: "ios12", limit: nil),
    Limit(anchorClass: .added, from: "2019-06-30T23:00:00Z", os: "ios15.5", limit: 825 * day + 3600),
    Limit(anchorClass: .added, from: "2019-06-30T23:00:00Z", os: "ios15.4", limit: nil),
    Limit(anchorClass: .added, from: "2019-06-30T23:00:01Z", os: "ios13", limit: 825 * day + 3600),
    Limit(anchorClass: .none, from: "2019-06-30T22:59:59Z", os: "ios26.5", limit: nil),
    Limit(anchorClass: .added, from: "2026-01-01T00:00:00Z", os: "ios26.5", limit: 825 * day + 3600),
  ]

  @Test(arguments: limits)
  func `each lifetime limit holds to the second`(_ row: Limit) {
    let none: Finding.Outcome = row.os == "ios12" ? .notApplicable : .pass
    guard let limit = row.limit else {
      #expect(outcome(from: row.from, seconds: 4000 * Self.day, os: row.os, row.anchorClass) == none)
      return
    }
    #expect(outcome(from: row.from, seconds: limit, os: row.os, row.anchorClass) == .pass)
    #expect(outcome(from: row.from, seconds: limit + 1, os: row.os, row.anchorClass) == .fail)
  }

  @Test
  func `with an unknown root only what all limits agree on is decided`() {
    let from = "2026-01-01T00:00:00Z"
    #expect(outcome(from: from, seconds: 398 * Self.day) == .pass)
    #expect(outcome(from: from, seconds: 398 * Self.day + 1) == .unknown)
    #expect(outcome(from: from, seconds: 825 * Self.day + 3600) == .unknown)
    #expect(outcome(from: from, seconds: 825 * Self.day + 3601) == .fail)
    // Certificates from before September 2020 have one limit under all roots.
    #expect(outcome(from: "2020-01-01T00:00:00Z", seconds: 825 * Self.day) == .pass)
    #expect(outcome(from: "2020-01-01T00:00:00Z", seconds: 826 * Self.day) == .fail)
    #expect(outcome(from: "2018-06-01T00:00:00Z", seconds: 826 * Self.day) == .unknown)
    #expect(outcome(from: "2012-01-01T00:00:00Z", seconds: 4000 * Self.day) == .pass)
  }

  @Test
  func `the texts name the lifetime and its maximum`() {
    let chain = chain(from: "2026-01-01T00:00:00Z", seconds: 825 * Self.day + 3601)
    let finding = judged(session(chain), trust: trust(chain, .system))["ATS-CERT-LIFETIME"]
    #expect(finding.observed == "the server certificate is valid for 825 days and 01:00:01")
    #expect(finding.expected == "at most 398 days")
    // The hour beyond whole days is omitted if it makes no difference.
    func added(_ seconds: Int64) -> Finding {
      let chain = self.chain(from: "2026-01-01T00:00:00Z", seconds: seconds)
      return judged(session(chain), trust: trust(chain, .added))["ATS-CERT-LIFETIME"]
    }
    #expect(added(826 * Self.day).expected == "at most 825 days")
    #expect(added(826 * Self.day).fix?.text == "Server: use a certificate for at most 825 days")
    #expect(added(825 * Self.day + 3601).expected == "at most 825 days and 01:00:00")
  }
}

@Suite struct CertificateTransparencyRuleTests {
  private func chain(
    logs: [UInt8], from: String = "2026-01-01T00:00:00Z", to: String = "2026-04-01T00:00:00Z",
    seen: String = "2026-01-01T01:00:00Z"
  ) -> [ObservedCertificate] {
    [
      CertificateBuilder.leaf {
        $0.scts = logs.map { (log: $0, time: Timestamp(seen)) }
        $0.notBefore = Timestamp(from)
        $0.notAfter = Timestamp(to)
      }, goodChain[1], goodChain[2],
    ]
  }

  private func outcome(_ chain: [ObservedCertificate], os: String = "ios26.5", at time: String? = nil)
    -> Finding.Outcome
  {
    judged(session(chain, at: time ?? "2026-02-01T00:00:00Z"), os: os, trust: trust(chain, .system)).outcome(
      "ATS-CT")
  }

  @Test(arguments: [
    ("2026-06-30T00:00:00Z", 2), ("2026-06-30T00:00:01Z", 3), ("2028-04-05T00:00:00Z", 3),
    ("2028-04-05T00:00:01Z", 4),
  ])
  func `the required number of SCTs depends on the lifetime in days`(end: String, needed: Int) {
    let logs = (1...5).map { UInt8($0) }
    #expect(outcome(chain(logs: Array(logs.prefix(needed)), to: end)) == .pass)
    #expect(outcome(chain(logs: Array(logs.prefix(needed - 1)), to: end)) == .fail)
  }

  @Test(arguments: [
    ("2021-03-31T23:59:59Z", 2), ("2021-04-01T00:00:00Z", 3), ("2022-04-30T23:59:59Z", 3),
    ("2022-05-01T00:00:00Z", 4), ("2023-04-30T23:59:59Z", 4), ("2023-05-01T00:00:00Z", 5),
  ])
  func `older certificates require a number of SCTs by the lifetime in months`(end: String, needed: Int) {
    let logs = (1...5).map { UInt8($0) }
    func outcome(_ count: Int) -> Finding.Outcome {
      self.outcome(
        chain(
          logs: Array(logs.prefix(count)), from: "2020-01-01T00:00:00Z", to: end, seen: "2020-01-01T00:00:00Z"
        ),
        at: "2020-06-01T00:00:00Z")
    }
    #expect(outcome(needed) == .pass)
    #expect(outcome(needed - 1) == .fail)
  }

  @Test
  func `the count by days applies since iOS 14_6 to certificates from 2021-04-21 on`() {
    let half = ("2021-04-21T00:00:00Z", "2021-11-01T00:00:00Z", "2021-05-01T00:00:00Z")
    let chain = chain(logs: [1, 2], from: half.0, to: half.1, seen: half.0)
    #expect(outcome(chain, os: "ios14.6", at: half.2) == .fail)
    #expect(outcome(chain, os: "ios14.5", at: half.2) == .pass)
    let earlier = self.chain(logs: [1, 2], from: "2021-04-20T23:59:59Z", to: half.1, seen: half.0)
    #expect(outcome(earlier, os: "ios14.6", at: half.2) == .pass)
  }

  @Test
  func `SCTs of one log count once, and SCTs later than the session leave ATS-CT unknown`() {
    #expect(outcome(chain(logs: [1, 1])) == .fail)
    let late = chain(logs: [1, 2], seen: "2026-02-01T00:00:01Z")
    // The capture's clock may be wrong.
    #expect(outcome(late, at: "2026-02-01T00:00:00Z") == .unknown)
    #expect(outcome(late, at: "2026-02-01T00:00:01Z") == .pass)
  }

  @Test
  func `ATS-CT applies since iOS 12_1 to valid certificates from 2018-10-16 on, below system roots`() {
    let chain = chain(logs: [])
    #expect(outcome(chain) == .fail)
    #expect(outcome(chain, os: "ios12") == .notApplicable)
    #expect(outcome(chain, os: "ios12.1") == .fail)
    #expect(outcome(chain, at: "2027-01-01T00:00:00Z") == .notApplicable)
    #expect(outcome(chain, at: "2025-01-01T00:00:00Z") == .notApplicable)
    for other in [AnchorClass.apple, .added, .none] {
      #expect(judged(session(chain), trust: trust(chain, other)).outcome("ATS-CT") == .notApplicable)
    }
    #expect(outcome(self.chain(logs: [], from: "2018-10-15T23:59:59Z")) == .notApplicable)
    #expect(outcome(self.chain(logs: [], from: "2018-10-16T00:00:00Z")) == .fail)
  }

  @Test
  func `with an unknown root too few SCTs leave ATS-CT unknown and enough SCTs pass`() {
    #expect(judged(session(chain(logs: [1]))).outcome("ATS-CT") == .unknown)
    let enough = judged(session(chain(logs: [1, 2])))["ATS-CT"]
    #expect(enough.outcome == .pass)
    #expect(enough.notes.first == "The SCTs were counted, not verified.")
    #expect(enough.notes.count == 2)
  }

  @Test
  func `too few SCTs fail only if a device would not have received more`() {
    let chain = chain(logs: [1])
    func outcome(_ change: (inout SessionBuilder) -> Void) -> Finding.Outcome {
      judged(session(chain, change), trust: trust(chain, .system)).outcome("ATS-CT")
    }
    #expect(outcome { _ in } == .fail)
    #expect(outcome { $0.offeredExtensions = [.statusRequest] } == .unknown)
    #expect(outcome { $0.offeredExtensions = [.signedCertificateTimestamp] } == .unknown)
    #expect(outcome { builder in builder.finish = { $0.sharedTLS?.hasStapledOCSPResponse = true } } == .unknown)
    #expect(outcome { builder in builder.finish = { $0.evidence.certificateStatus = .missing } } == .unknown)
    #expect(outcome { builder in builder.finish = { $0.evidence.serverHello = .partial } } == .unknown)
  }

  @Test(arguments: [
    (Evidence.State.encrypted, UnseenReason.encrypted, DecidingInput.evidence("record a handshake with AES-GCM or ChaCha20-Poly1305")),
    (.resumed, .resumed, .evidence("record the original full handshake")),
    (.partial, .partial, .evidence("record from the start of the connection")),
  ])
  func `SCTs that may be in a part that is not visible leave ATS-CT unknown for this reason`(
    state: Evidence.State, reason: UnseenReason, input: DecidingInput
  ) {
    let chain = chain(logs: [1])
    let session = session(chain) { builder in builder.finish = { $0.evidence.certificateStatus = state } }
    let finding = judged(session, trust: trust(chain, .system))["ATS-CT"]
    #expect(finding.missing == reason)
    #expect(finding.settledBy.first == input)
    #expect(finding.notes.last == "SCTs that the server sends by extension or OCSP are not visible.")
  }

  @Test
  func `SCTs in the TLS extension count with embedded ones, once per log`() {
    let chain = chain(logs: [1])
    func outcome(_ logs: [UInt8]) -> Finding.Outcome {
      let list = CertificateForm.sctList(
        logs.map { (log: $0, time: Timestamp("2026-01-01T00:00:00Z")) })
      let session = session(chain) { builder in builder.finish = { $0.sharedTLS?.sctList = list } }
      return judged(session, trust: trust(chain, .system)).outcome("ATS-CT")
    }
    #expect(outcome([2]) == .pass)
    #expect(outcome([1]) == .fail)
    #expect(outcome([]) == .fail)
    let broken = session(chain) { builder in builder.finish = { $0.sharedTLS?.sctList = [0, 9, 1] } }
    #expect(judged(broken, trust: trust(chain, .system)).outcome("ATS-CT") == .fail)
  }

  @Test
  func `NSRequiresCertificateTransparency requires SCTs from two logs in iOS 11, none in iOS 9`() {
    let dictionary = ATSDictionary(
      exceptionDomains: [ExceptionEntry(key: "www.example.com", requiresCertificateTransparency: true)])
    let one = judged(session(chain(logs: [1])), dictionary, os: "ios11")
    #expect(one.outcome("ATS-CT") == .fail)
    #expect(one["ATS-CT"].decidingKey?.key == "NSRequiresCertificateTransparency")
    #expect(one["ATS-CT"].fix?.text.hasSuffix(". App: or remove NSRequiresCertificateTransparency") == true)
    #expect(!one["ATS-CT"].notes.contains { $0.hasPrefix("Required since iOS 12.1") })
    #expect(judged(session(chain(logs: [1, 2])), dictionary, os: "ios11").outcome("ATS-CT") == .pass)
    #expect(judged(session(chain(logs: [1])), dictionary, os: "ios9").outcome("ATS-CT") == .notApplicable)
  }
}

@Suite struct CertificateChainRuleTests {
  private func outcome(
    _ chain: [ObservedCertificate], _ trust: ChainTrust? = nil, os: String = "ios26.5"
  ) -> Finding.Outcome {
    judged(session(chain), os: os, trust: trust).outcome("ATS-CERT-CHAIN")
  }

  @Test
  func `a good chain passes, and a leaf without its issuer leaves ATS-CERT-CHAIN unknown`() {
    #expect(outcome(goodChain) == .pass)
    #expect(outcome([goodChain[0], goodChain[1]]) == .pass)
    #expect(outcome([goodChain[0]]) == .unknown)
    #expect(outcome([CertificateBuilder.leaf { $0.issuer = "www.example.com" }]) == .pass)
  }

  @Test
  func `a structural fault of the leaf decides`() {
    let repeated = Array(repeating: "1.3.6.1.4.1.41577.5.9", count: 2)
    #expect(outcome([CertificateBuilder.leaf { $0.criticalExtensions = repeated }, goodChain[1]]) == .fail)
    #expect(
      outcome([CertificateBuilder.leaf { $0.criticalExtensions = ["1.2.3.4"] }, goodChain[1]]) == .fail)
    // Unknown critical extensions are skipped only in certain arcs, most of them Apple's.
    for (identifier, result) in [
      ("1.2.840.113635.100.6.1.2", Finding.Outcome.pass), ("1.2.840.113635.100.15.1", .pass),
      ("1.3.6.1.4.1.41577.5.9", .pass), ("1.2.840.113635.100.7.1", .fail), ("1.2.840.113635.1", .fail),
    ] {
      let leaf = CertificateBuilder.leaf { $0.criticalExtensions = [identifier] }
      #expect(outcome([leaf, goodChain[1]]) == result, "\(identifier)")
    }
    // A NULL as the value of keyUsage cannot be read.
    #expect(
      outcome([CertificateBuilder.leaf { $0.criticalExtensions = ["2.5.29.15"] }, goodChain[1]]) == .fail)
    #expect(
      outcome([
        CertificateBuilder.leaf {
          $0.subject = ""
          $0.dnsNames = nil
        }, goodChain[1],
      ]) == .fail)
    #expect(outcome([CertificateBuilder.leaf { $0.subject = "" }, goodChain[1]]) == .pass)
    let authority = CertificateBuilder.leaf {
      $0.subject = ""
      $0.isCA = true
    }
    #expect(outcome([authority, goodChain[1]]) == .fail)
    #expect(outcome([authority, goodChain[1]], os: "ios10") == .pass)
  }

  @Test
  func `a structural fault of an issuer decides only if the path is certain`() {
    let changes: [(inout CertificateBuilder) -> Void] = [
      { $0.isCA = nil }, { $0.isCA = false }, { $0.subjectKeyID = 9 },
      { $0.criticalExtensions = ["1.2.3.4"] },
    ]
    for change in changes {
      let chain = [goodChain[0], CertificateBuilder.intermediate(change), goodChain[2]]
      #expect(outcome(chain) == .unknown)
      #expect(outcome(chain, trust(chain, .system)) == .fail)
    }
    let constrained = [
      goodChain[0], CertificateBuilder.intermediate { $0.hasNameConstraints = true }, goodChain[2],
    ]
    #expect(outcome(constrained) == .unknown)
    #expect(outcome(constrained, trust(constrained, .system)) == .pass)
  }

  @Test
  func `pathLenConstraint counts the CAs below`() {
    func chain(_ limit: UInt8) -> [ObservedCertificate] {
      [
        goodChain[0], goodChain[1],
        CertificateBuilder.root {
          $0.subject = "Higher CA"
          $0.issuer = "Higher Root"
          $0.pathLength = limit
        },
        CertificateBuilder.root {
          $0.subject = "Higher Root"
          $0.issuer = "Higher Root"
          $0.pathLength = 0
        },
      ]
    }
    #expect(outcome(chain(1), trust(chain(1), .system), os: "ios14") == .pass)
    #expect(outcome(chain(0), trust(chain(0), .system), os: "ios14") == .fail)
    // Since iOS 15 the root's own limit applies.
    #expect(outcome(chain(1), trust(chain(1), .system)) == .fail)
  }
}

/// A dictionary that pins keys of www.example.com.
private func entryWithPins(leaf: [String]? = nil, ca: [String]? = nil) -> ATSDictionary {
  ATSDictionary(
    pinnedDomains: [PinnedDomain(key: "www.example.com", leafDigests: leaf, caDigests: ca)])
}

@Suite struct PinRuleTests {
  /// The base64 of 32 bytes 0xAB, the key digest of the builder's certificates.
  private let good = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
  private let bad = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private func finding(
    leaf: [String]? = nil, ca: [String]? = nil, _ chain: [ObservedCertificate] = goodChain,
    os: String = "ios26.5",
    _ trust: ChainTrust? = nil
  ) -> Finding {
    judged(session(chain), entryWithPins(leaf: leaf, ca: ca), os: os, trust: trust)["ATS-PIN"]
  }

  @Test
  func `ATS-PIN does not apply without pins or in iOS 13`() {
    #expect(judged(session(goodChain)).outcome("ATS-PIN") == .notApplicable)
    #expect(finding(leaf: [bad], os: "ios13").outcome == .notApplicable)
  }

  @Test
  func `the leaf's key alone decides NSPinnedLeafIdentities`() {
    #expect(finding(leaf: [bad, good]).outcome == .pass)
    #expect(finding(leaf: [bad]).outcome == .fail)
    #expect(finding(leaf: [bad]).decidingKey == KeyReference(key: "NSPinnedDomains", entry: nil))
    #expect(finding(leaf: ["not base64!", "q6ur"]).outcome == .fail)
  }

  @Test
  func `NSPinnedCAIdentities match the sent CAs and are unknown if the path is not certain`() {
    #expect(finding(ca: [good]).outcome == .pass)
    #expect(finding(ca: [bad]).outcome == .unknown)
    #expect(finding(ca: [bad], goodChain, trust(goodChain, .system)).outcome == .fail)
    #expect(finding(ca: [good], [goodChain[0]]).outcome == .unknown)
    #expect(
      finding(ca: [good], [goodChain[0]], trust([goodChain[0]], .added, isLeafAnchor: true)).outcome == .fail)
  }

  @Test
  func `the fix for another key names the command that lists keys, and a proxy as a possible cause`() throws {
    let fix = try #require(finding(leaf: [bad]).fix?.text)
    #expect(fix.contains("no proxy") && fix.contains("atscope certificates"))
    #expect(finding(leaf: []).fix?.text.contains("proxy") == false)
  }

  @Test
  func `pins of both kinds must match`() {
    #expect(finding(leaf: [good], ca: [good]).outcome == .pass)
    #expect(finding(leaf: [bad], ca: [good]).outcome == .fail)
    #expect(finding(leaf: [good], ca: [bad]).outcome == .unknown)
    #expect(finding(leaf: [bad], ca: [bad]).outcome == .fail)
  }

  @Test
  func `an empty pin list fails every connection, even an encrypted one`() {
    #expect(finding(leaf: []).outcome == .fail)
    let hidden = judged(SessionBuilder.tls13().session, entryWithPins(leaf: []))
    #expect(hidden.outcome("ATS-PIN") == .fail)
    #expect(hidden.predictedError?.underlyingCode == -9886)
    let open = judged(SessionBuilder.tls13().session, entryWithPins(leaf: [good]))
    #expect(open["ATS-PIN"].missing == .encrypted)
  }

  @Test
  func `web views do not enforce pins`() {
    let web = judged(session(goodChain), entryWithPins(leaf: [bad])) { $0.context = .web }
    #expect(web.outcome("ATS-PIN") == .notApplicable)
    #expect(web["ATS-PIN"].notes == ["Web views do not enforce NSPinnedDomains."])
  }

  @Test
  func `no exception lifts a pin mismatch`() {
    guard
      case .impossible(let obstacle)? = judged(session(goodChain), entryWithPins(leaf: [bad]))
        .narrowestException
    else {
      Issue.record("an exception for a pin")
      return
    }
    #expect(obstacle.reason.contains("or remove the pin"))
  }
}
