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

@Suite struct JudgementPrimaryRuleTests {
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

  @Test(arguments: [true, false])
  func `the error is that of a failure that does not depend on the client's offer, if there is one`(isExpired: Bool) {
    let content = judged(
      SessionBuilder {
        ($0.version, $0.suite) = (0x0301, 0xC013)
        ($0.offeredVersions, $0.offeredSuites) = ([0x0301], [0xC013])
        if isExpired { $0.time = Timestamp("2027-01-01T00:00:00Z") }
      }.session)
    #expect(content.primaryRule == .tlsVersion)
    #expect(content.predictedError?.underlyingCode == (isExpired ? -9802 : -9836))
    #expect(content.predictedError?.dependsOnOffer == !isExpired)
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

  @Test(arguments: [TLSFacts.Outcome.reset, .incomplete], [EvidenceNote.closedByClient, .closedByServer, nil] as [EvidenceNote?])
  func `an error is predicted for a handshake that ended early unless the client ended it`(outcome: TLSFacts.Outcome, note: EvidenceNote?) {
    let builder = SessionBuilder {
      $0.hasAnswer = false
      $0.certificates = nil
      $0.finish = { session in
        session.sharedTLS?.outcome = outcome
        if let note { session.evidence.add(note) }
        if outcome == .incomplete { session.evidence.add(.closedWithoutAlert) }
      }
    }
    #expect(judged(builder.session).predictedError?.underlyingCode == (note == .closedByClient ? nil : -9806))
  }

  @Test func `no error is predicted for a handshake that its client ended before or after the ServerHello`() {
    let builder = SessionBuilder {
      $0.certificates = nil
      $0.finish = { $0.sharedTLS?.outcome = .reset }
    }
    #expect(builder.session.ending == .reset(by: nil))
    #expect(judged(builder.session).predictedError == nil)
  }
}
