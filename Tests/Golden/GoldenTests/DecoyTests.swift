import ATScope
import SessionModel
import Testing

/// Decoys: forged segments and fragments that the receiver discards or may discard.
@Suite struct DecoyTests {
  /// The only session of a capture.
  private static func session(_ path: String) throws -> JudgedSession {
    var options = AuditOptions(paths: ["captures/\(path).pcap"])
    options.judging.anchors = Goldens.anchors
    let sessions = try Audit(options).sessions()
    try #require(sessions.count == 1)
    return sessions[0]
  }

  private static func findings(_ session: JudgedSession) -> [String: Finding] {
    Dictionary(uniqueKeysWithValues: session.judgement.findings.map { ($0.rule.rawValue, $0) })
  }

  @Test(arguments: [
    ("decoy/hello", "tls12/ecdhe-rsa-gcm"), ("decoy/hello-after", "tls12/ecdhe-rsa-gcm"),
    ("decoy/ip-header", "tls12/ecdhe-rsa-gcm"), ("decoy/server-hello", "tls12/ecdhe-rsa-gcm"),
    ("decoy/edge", "tls12/ecdhe-rsa-gcm"), ("decoy/ahead", "tls12/ecdhe-rsa-gcm"),
    ("decoy/several", "tls12/ecdhe-rsa-gcm"), ("decoy/fragment", "tls12/ecdhe-rsa-gcm"),
    ("decoy/request", "http/post"),
  ])
  func `a decoy with a wrong checksum does not change the session`(decoy: String, base: String) throws {
    let judged = try Self.session("variants/\(decoy)")
    let expected = try Self.session(base)
    let name = try #require(judged.session.serverName)
    #expect(name == expected.session.serverName)
    #expect(Self.findings(judged).mapValues(\.outcome) == Self.findings(expected).mapValues(\.outcome))
    // A session of cleartext HTTP has no TLS facts.
    let (facts, others) = (judged.session.tls, expected.session.tls)
    #expect((facts == nil) == (base == "http/post"))
    if let facts {
      #expect(!facts.clientRandom.isEmpty && facts.clientRandom == others?.clientRandom)
      #expect(!facts.serverRandom.isEmpty && facts.serverRandom == others?.serverRandom)
      let suite = try #require(facts.serverHello?.cipherSuite)
      #expect(suite == others?.serverHello?.cipherSuite)
      let fingerprints = try (#require(facts.offer?.ja3), #require(facts.serverHello?.ja3s))
      #expect(fingerprints.0 == others?.offer?.ja3)
      #expect(fingerprints.1 == others?.serverHello?.ja3s)
    }
    #expect(facts?.chain?.certificates.map(\.sha256) == others?.chain?.certificates.map(\.sha256))
  }

  /// The rules that are unknown, the frames of the contested bytes, the verdict, and whether other rules pass.
  @Test(
    arguments: [
      ("decoy/hello-contested", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5], .unknown, true),
      ("decoy/acknowledgement", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5], .unknown, true),
      ("decoy/offloaded", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5], .unknown, true),
      ("decoy/fragment-contested", ["ATS-HTTPS", "ATS-CERT-HOST"], [5, 6], .unknown, true),
      ("decoy/server-hello-contested", ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS"], [6, 7], .unknown, true),
      ("decoy/key-exchange-contested", ["ATS-PFS", "ATS-HANDSHAKE-SIG"], [8, 9], .unknown, true),
      ("decoy/certificate-contested", ["ATS-CERT-TRUST", "ATS-CERT-DATES", "ATS-CERT-HOST"], [6, 7], .unknown, true),
      ("stream/overlap-disagrees", ["ATS-CERT-TRUST", "ATS-CERT-DATES", "ATS-CERT-HOST"], [6, 8], .unknown, true),
      ("decoy/request-contested", ["ATS-HTTPS"], [4, 5], .unknown, false),
    ] as [(String, [String], [Int], Verdict, Bool)])
  func `rules that depend on contested bytes are unknown`(
    name: String, unknown: [String], frames: [Int], verdict: Verdict, othersPass: Bool
  ) throws {
    let judged = try Self.session("variants/\(name)")
    let findings = Self.findings(judged)
    for id in unknown {
      let finding = try #require(findings[id])
      #expect(finding.outcome == .unknown)
      #expect(finding.missing == .contested)
      #expect(finding.notes.first?.hasPrefix("Contested bytes, frames \(frames[0]) and \(frames[1])") == true)
    }
    #expect(judged.verdict == verdict)
    #expect(findings.values.contains { $0.outcome == .pass } == othersPass)
  }

  @Test(arguments: ["tls/signature-parameters", "tls/signature-changed", "tls/signature-ecdsa"])
  func `a handshake whose signature does not verify with the leaf's key fails`(name: String) throws {
    let judged = try Self.session("variants/\(name)")
    #expect(judged.session.tls?.handshakeSignature == .invalid)
    let finding = try #require(Self.findings(judged)["ATS-HANDSHAKE-SIG"])
    #expect(finding.outcome == .fail)
    #expect(finding.isRequired)
    #expect(judged.verdict == .fail)
    #expect(judged.judgement.primaryRule?.rawValue == "ATS-HANDSHAKE-SIG")
    #expect(judged.judgement.narrowestException?.settings.isEmpty != false)
  }
}
