import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateIssuing
import CertificateParsing
import CertificateTransparency
import Crypto
import PolicyResolution
import Revocation
import SessionBuilding
import SessionModel
import TLSParsing
import TestBytes
import Testing
import TrustEvaluation
import Values

private let root = Issued.root("Status Root")
private let authority = root.authority("Status CA")

/// A leaf with embedded SCTs of these logs, and the URL of its issuer's certificate.
private func leaf(
  _ logs: [TestLog], at time: String = "2026-01-01T00:30:00Z", from: String = "2026-01-01T00:00:00Z", to: String = "2026-04-01T00:00:00Z",
  issuerURL: String? = nil
) -> Issued {
  let key = IssuingKey.newP256()
  func change(_ form: inout CertificateForm) {
    form.notBefore = Timestamp(from)
    form.notAfter = Timestamp(to)
    form.caIssuersURL = issuerURL
  }
  let tbs = authority.leaf(key: key) { change(&$0) }.observed.certificate.tbsCertificateDER
  let issuerKey = authority.key.subjectPublicKeyInfo
  let scts = logs.compactMap { try? $0.sct(ofPrecertificate: tbs, issuerKey: issuerKey, at: Timestamp(time)) }
  return authority.leaf(key: key) { form in
    change(&form)
    form.moreExtensions = [
      DER.certificateExtension("1.3.6.1.4.1.11129.2.4.2", DER.octets(DER.sctList(scts)))
    ]
  }
}

/// An SCT list that is delivered outside of the certificate.
private func deliveredList(_ logs: [TestLog], _ leaf: Issued) -> Bytes {
  let certificate = leaf.observed.certificate
  return DER.sctList(logs.compactMap { try? $0.sct(of: certificate, at: Timestamp("2026-01-01T00:30:00Z")) })
}

/// The judgement of a session below a system root.
private func judged(
  _ leaf: Issued, logs: [TestLog]? = nil, revocations: [RevocationSource] = [],
  at time: String = "2026-02-01T12:00:00Z", _ change: (inout SessionBuilder) -> Void = { _ in }
) -> Judgement {
  let session = SessionBuilder { builder in
    builder.certificates = [leaf, authority].map(\.observed)
    builder.time = Timestamp(iso8601: time)
    change(&builder)
  }.session
  let logList = logs.map { TransparencyLogList(logs: $0.map(\.listed)) }
  var judge = Judge(
    evaluator: TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der])),
    status: StatusEvidence(logList: logList, revocations: revocations))
  return judge.judge(session).value
}

@Suite struct VerifiedTransparencyTests {
  private let logs = [TestLog(), TestLog(operatorName: "another"), TestLog(operatorName: "a third")]

  @Test func `two valid embedded SCTs are enough for a short-lived leaf, one is not`() {
    let enough = judged(leaf([logs[0], logs[1]]), logs: logs)
    #expect(enough["ATS-CT"].outcome == .pass)
    #expect(enough["ATS-CT"].observed == "valid embedded SCTs from 2 logs")
    #expect(enough["ATS-CT"].notes == [])
    #expect(enough.verdict == .pass)
    let few = judged(leaf([logs[0]]), logs: logs)
    #expect(few["ATS-CT"].outcome == .fail)
    #expect(few["ATS-CT"].observed == "valid embedded SCTs from 1 log")
    #expect(few.primaryRule == .certificateTransparency)
  }

  @Test func `SCTs later than the packets make the capture's clock implausible`() {
    let early = judged(leaf([logs[0], logs[1]]), logs: logs, at: "2026-01-01T00:15:00Z")
    for rule in [early["ATS-CT"], early["ATS-CERT-DATES"]] {
      #expect(rule.outcome == .unknown)
      #expect(rule.settledBy == [.time])
      #expect(rule.notes.first?.hasPrefix("A log received the certificate on 2026-01-01T00:30:00Z, after") == true)
    }
    #expect(early.verdict == .unknown)
  }

  @Test func `an SCT that does not verify does not count and is noted`() {
    let forged = authority.leaf { form in
      form.scts = (1...3).map { ($0, Timestamp("2026-01-01T00:30:00Z")) }
    }
    let unknown = judged(forged, logs: logs)
    #expect(unknown["ATS-CT"].outcome == .unknown)
    #expect(unknown["ATS-CT"].notes == ["3 SCTs from logs that the list does not contain."])
    #expect(unknown["ATS-CT"].settledBy == [.logList(isNewer: false, needsIssuer: false)])
    let other = leaf([logs[0], logs[1]])
    // The SCTs of one certificate in another.
    let moved = authority.leaf { form in
      form.moreExtensions = [
        DER.certificateExtension(
          "1.3.6.1.4.1.11129.2.4.2", DER.octets(other.observed.certificate.sctList ?? []))
      ]
    }
    let content = judged(moved, logs: logs)
    #expect(content["ATS-CT"].outcome == .fail)
    #expect(content["ATS-CT"].notes.first == "2 SCTs with a signature that does not verify.")
  }

  @Test func `an unknown ATS-CT lists exactly the inputs that would settle it`() {
    let issued = leaf([logs[0], logs[1]])
    var pending = logs
    pending[1].state = .pending
    let later = judged(issued, logs: pending)["ATS-CT"]
    #expect(later.outcome == .unknown)
    #expect(later.settledBy == [.logList(isNewer: true, needsIssuer: false)])
    #expect(later.notes == ["1 SCT from logs that were pending when the list was made, and may be trusted since."])
    let alone = leaf([logs[0], logs[1]], issuerURL: "http://ca.example.com/ca.cer")
    func settledBy(_ logs: [TestLog]) -> [DecidingInput] {
      judged(alone, logs: logs) { $0.certificates = [alone.observed] }["ATS-CT"].settledBy
    }
    #expect(settledBy(logs) == [.issuerCertificate])
    #expect(settledBy([]) == [.logList(isNewer: false, needsIssuer: true)])
  }

  @Test func `a resumed session inherits the SCT evidence of its original handshake`() {
    let bare = authority.leaf()
    var judge = Judge(
      evaluator: TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der])),
      status: StatusEvidence(logList: TransparencyLogList(logs: logs.map(\.listed))))
    let chain = CertificateChain([bare, authority].map(\.observed), isComplete: true)
    func outcome(_ source: AssumedChain.Source, notes: [EvidenceNote] = []) -> Finding.Outcome {
      let resumed = SessionBuilder { builder in
        builder.certificates = nil
        builder.finish = { session in
          session.sharedTLS?.isResumed = true
          session.sharedTLS?.resumption = .ticket
          session.evidence.certificates = .resumed
          session.evidence.certificateStatus = .resumed
          session.evidence.notes = notes
          session.sharedAssumedChain = Shared(AssumedChain(chain: chain, source: source))
        }
      }
      return judge.judge(resumed.session)["ATS-CT"].outcome
    }
    #expect(outcome(.earlierSession) == .fail)
    #expect(outcome(.earlierSession, notes: [.firstHandshakeStatusMissing]) == .unknown)
    // A supplied chain does not show which SCTs the server delivers with it.
    #expect(outcome(.supplied) == .unknown)
    #expect(outcome(.earlierSession) == .fail)
  }

  @Test func `SCTs in the TLS extension and in the stapled response count`() {
    let bare = authority.leaf()
    func outcome(_ change: @escaping (inout ObservedSession) -> Void) -> Finding.Outcome {
      judged(bare, logs: logs) { $0.finish = change }["ATS-CT"].outcome
    }
    #expect(outcome { _ in } == .fail)
    let two = deliveredList(Array(logs.prefix(2)), bare)
    #expect(outcome { $0.sharedTLS?.sctList = two } == .pass)
    let one = deliveredList([logs[0]], bare)
    #expect(outcome { $0.sharedTLS?.sctList = one } == .fail)
    let few = judged(bare, logs: logs) { builder in
      builder.finish = { $0.sharedTLS?.sctList = one }
    }
    #expect(few["ATS-CT"].observed?.hasSuffix(", valid SCTs from 1 log including extension and OCSP") == true)
    let response = stapled(bare, sctList: deliveredList([logs[1]], bare))
    #expect(
      outcome { session in
        session.sharedTLS?.sctList = one
        session.sharedTLS?.hasStapledOCSPResponse = true
        session.sharedTLS?.ocspResponse = response
        session.evidence.certificateStatus = .complete
      } == .pass)
  }

  @Test func `an unseen stapled response or a client that requests no SCTs leaves ATS-CT unknown`() {
    let bare = authority.leaf()
    let unseen = judged(bare, logs: logs) { builder in
      builder.finish = { $0.sharedTLS?.hasStapledOCSPResponse = true }
    }
    #expect(unseen["ATS-CT"].outcome == .unknown)
    let silent = judged(bare, logs: logs) { $0.offeredExtensions = [.serverName] }
    #expect(silent["ATS-CT"].outcome == .unknown)
  }

  @Test func `ADV-CT-OPERATORS fails if all SCTs are from logs of one operator`() {
    let alike = [TestLog(), TestLog()]
    let content = judged(leaf(alike), logs: alike)
    #expect(content["ATS-CT"].outcome == .pass)
    #expect(content["ADV-CT-OPERATORS"].outcome == .fail)
    #expect(content["ADV-CT-OPERATORS"].observed == "logs of somebody (2)")
    let diverse = judged(leaf([logs[0], logs[1]]), logs: logs)
    #expect(diverse["ADV-CT-OPERATORS"].outcome == .pass)
    #expect(judged(leaf([logs[0], logs[1]]))["ADV-CT-OPERATORS"].outcome == .notApplicable)
  }

  @Test(arguments: [("2021-04-20T23:59:59Z", Finding.Outcome.notApplicable), ("2021-04-21T00:00:00Z", .fail)])
  func `ADV-CT-OPERATORS applies to leaves from 2021-04-21 on`(from: String, outcome: Finding.Outcome) {
    let alike = [TestLog(), TestLog()]
    let issued = leaf(alike, at: "2021-04-22T00:00:00Z", from: from, to: "2021-07-01T00:00:00Z")
    let content = judged(issued, logs: alike, at: "2021-05-01T00:00:00Z")
    #expect(content["ATS-CT"].outcome == .pass)
    #expect(content["ADV-CT-OPERATORS"].outcome == outcome)
  }

  @Test func `with a log list, only verified SCTs count for ADV-CT-MARGIN`() {
    // The third SCT is from a log that is not in the list.
    let strangers = TestLog()
    let issued = leaf([logs[0], logs[1], strangers])
    #expect(judged(issued)["ADV-CT-MARGIN"].outcome == .pass)
    let verified = judged(issued, logs: logs)["ADV-CT-MARGIN"]
    #expect(verified.outcome == .fail)
    #expect(verified.observed == "valid embedded SCTs from 2 logs")
    #expect(judged(leaf(logs), logs: logs)["ADV-CT-MARGIN"].outcome == .pass)
    #expect(judged(leaf([logs[0]]), logs: logs)["ADV-CT-MARGIN"].outcome == .notApplicable)
  }

  @Test func `without a log list SCTs are counted, not verified`() {
    let content = judged(leaf([logs[0], logs[1]]))
    #expect(content["ATS-CT"].outcome == .pass)
    #expect(content["ATS-CT"].notes == ["The SCTs were counted, not verified."])
  }
}

/// An OCSP response about a leaf, signed by its issuer.
private func stapled(
  _ leaf: Issued, status: Bytes = [0x80, 0], from start: String = "20260201000000Z",
  to end: String = "20260208000000Z", signer: IssuingKey? = nil, issuer other: Issued? = nil,
  sctList: Bytes? = nil
) -> Bytes {
  let issuer = (other ?? authority).observed.certificate
  func digest(_ bytes: Bytes) -> Bytes {
    DER.octets(Bytes(Insecure.SHA1.hash(data: bytes)))
  }
  let identifier = DER.sequence(
    DER.sequence(DER.oid("1.3.14.3.2.26"), [5, 0]), digest(issuer.subjectDER),
    digest(issuer.bytes(issuer.publicKey.keyRange)), [0x02, 0x01, 0x07])
  let extensions = sctList.map { list in
    DER.element(
      0xA1,
      DER.sequence(
        DER.certificateExtension("1.3.6.1.4.1.11129.2.4.5", DER.octets(list))))
  }
  let single = DER.sequence(identifier, status, DER.time(start), DER.element(0xA0, DER.time(end)), extensions ?? [])
  let data = DER.sequence(
    DER.element(0xA1, issuer.subjectDER), DER.time(start), DER.sequence(single))
  let basic = (try? (signer ?? (other ?? authority).key).signed(data)) ?? []
  return DER.sequence(
    DER.element(0x0A, [0]),
    DER.element(0xA0, DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1.1"), DER.octets(basic))))
}

@Suite struct CertificateRevokedRuleTests {
  private let subject = authority.leaf()

  private func judge(_ response: Bytes?, at time: String = "2026-02-03T00:00:00Z") -> Judgement {
    judged(subject, at: time) { builder in
      builder.finish = { session in
        session.sharedTLS?.hasStapledOCSPResponse = response != nil
        session.sharedTLS?.ocspResponse = response
      }
    }
  }

  private static let revoked: Bytes = DER.element(
    0xA1, DER.time("20260115000000Z") + [0xA0, 0x03, 0x0A, 0x01, 0x01])

  @Test func `a stapled response with status good passes`() {
    let finding = judge(stapled(subject))["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .pass)
    #expect(finding.isRequired)
    #expect(finding.notes == ["No revocation data covers the CA certificates."])
  }

  @Test func `a revoked leaf is a fatal failure`() {
    let content = judge(stapled(subject, status: Self.revoked))
    let finding = content["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .fail)
    #expect(finding.fatality == .certain)
    #expect(finding.certificateIndex == 0)
    #expect(
      finding.observed
        == "the server certificate was revoked on 2026-01-15 (key compromise) according to the stapled OCSP response")
    #expect(content.verdict == .fail)
  }

  @Test(arguments: [
    ("2026-01-31T22:44:59Z", "it was issued after the judged time"),
    ("2026-02-08T01:15:01Z", "it was out of date at the judged time"),
  ])
  func `status good counts only while the response is valid, status revoked always`(
    time: String, reason: String
  ) {
    #expect(judge(stapled(subject, status: Self.revoked), at: time)["ATS-CERT-REVOKED"].outcome == .fail)
    let finding = judge(stapled(subject), at: time)["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .unknown)
    #expect(!finding.isRequired)
    #expect(finding.notes == ["The stapled OCSP response does not count: \(reason)."])
  }

  @Test func `a response signed by another key does not count`() {
    let finding = judge(stapled(subject, status: Self.revoked, signer: .newP256()))["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .unknown)
    #expect(finding.notes == ["The stapled OCSP response does not count: its signature is not valid."])
  }

  @Test func `without revocation data ATS-CERT-REVOKED is unknown and not required`() {
    let finding = judge(nil)["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .unknown)
    #expect(!finding.isRequired)
    #expect(finding.settledBy == [.revocations])
    #expect(finding.notes == ["No revocation data was available; devices continue without it."])
  }

  @Test func `a stapled response of which the capture lacks a part leaves the verdict unknown`() {
    let content = judged(subject) { builder in
      builder.finish = { session in
        session.sharedTLS?.hasStapledOCSPResponse = true
        session.evidence.certificateStatus = .partial
      }
    }
    let finding = content["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .unknown && finding.isRequired)
    #expect(finding.missing == .partial)
    #expect(content.verdict == .unknown)
  }

  @Test func `sessions that differ only in their stapled response are judged separately`() {
    var judge = Judge(
      evaluator: TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der])))
    let chain = [subject, authority].map(\.observed)
    func outcome(_ response: Bytes) -> Finding.Outcome {
      var session = SessionBuilder { $0.certificates = chain }.session
      session.sharedTLS?.hasStapledOCSPResponse = true
      session.sharedTLS?.ocspResponse = response
      return judge.judge(session)["ATS-CERT-REVOKED"].outcome
    }
    let good = stapled(subject)
    let bad = stapled(subject, status: Self.revoked)
    #expect(outcome(good) == .pass)
    #expect(outcome(bad) == .fail)
    #expect(outcome(good) == .pass)
  }

  @Test func `a response stapled for an intermediate applies to it`() {
    var judge = Judge(
      evaluator: TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der])))
    let chain = [subject, authority].map(\.observed)
    func finding(_ responses: [Int: Bytes]) -> Finding {
      var session = SessionBuilder { $0.certificates = chain }.session
      session.sharedTLS?.hasStapledOCSPResponse = true
      session.sharedTLS?.ocspResponse = stapled(subject)
      session.sharedTLS?.issuerOCSPResponses = responses
      return judge.judge(session)["ATS-CERT-REVOKED"]
    }
    let good = stapled(authority, issuer: root)
    let bad = stapled(authority, status: Self.revoked, issuer: root)
    #expect(finding([1: good]).outcome == .pass)
    #expect(finding([1: good]).notes == [])
    #expect(finding([:]).notes == ["No revocation data covers the CA certificates."])
    #expect(finding([1: bad]).outcome == .fail)
    #expect(finding([1: bad]).certificateIndex == 1)
    // At the index of another certificate it is ignored.
    #expect(finding([2: bad]).outcome == .pass)
    #expect(finding([:]).outcome == .pass)
  }

  @Test func `a supplied CRL revokes an intermediate`() throws {
    let tbs = DER.sequence(
      [0x02, 0x01, 0x01], DER.sequence(DER.oid(root.key.algorithm)), DER.name("Status Root"),
      DER.time("20260101000000Z"), DER.time("20270101000000Z"),
      DER.sequence(DER.sequence([0x02, 0x01, 0x07], DER.time("20260110000000Z"))))
    let signature = try root.key.sign(tbs, algorithm: root.key.algorithm)
    let der = DER.sequence(tbs, DER.sequence(DER.oid(root.key.algorithm)), DER.bits(signature))
    let sources = try RevocationSource.read(der.span)
    let finding = judged(subject, revocations: sources)["ATS-CERT-REVOKED"]
    #expect(finding.outcome == .fail)
    #expect(finding.certificateIndex == 1)
    #expect(
      finding.observed == "the certificate of Status CA was revoked on 2026-01-10 according to a supplied CRL"
    )
    // The truncated part of the list may contain another certificate of that CA.
    let cut = judged(subject, revocations: sources) { $0.isChainComplete = false }["ATS-CERT-REVOKED"]
    #expect(cut.outcome == .unknown)
    #expect(cut.isRequired)
    #expect(cut.settledBy == [.evidence("record from the start of the connection")])
  }
}
