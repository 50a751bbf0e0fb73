import ATSEvaluation
import ATSRules
import ReportSamples
import Reporting
import SessionModel
import SessionRecords
import Testing

@testable import CommandReports

@Suite struct PacketCommentsTests {
  private func comments(_ session: ObservedSession, _ judgement: Shared<Judgement>) -> [UInt64: [String]] {
    var found: [UInt64: [String]] = [:]
    for comment in PacketComments.comments(of: session, judgement) {
      found[comment.frame, default: []].append(comment.text)
    }
    return found
  }

  @Test func `the verdict is at the ClientHello, and a finding is at each frame that proves it`() {
    let session = Samples.session("api.example.com", frame: 12)
    let finding = Samples.finding(
      "ATS-CERT-DATES", .fail, "expired 2014-03-04", expected: "a valid certificate", parts: [.certificates],
      fix: .server("renew the certificate"))
    let found = comments(session, Samples.judgement(.fail, [finding], score: 12, grade: "F"))
    let identifier = session.identifier
    #expect(found[12] == ["atscope FAIL api.example.com: ATS-CERT-DATES; score 12 F; session \(identifier)"])
    let proof =
      "atscope FAIL api.example.com: ATS-CERT-DATES: expired 2014-03-04; requires a valid certificate. Fix: Server: renew the certificate"
    #expect([14, 15, 16].allSatisfy { found[$0] == [proof] })
    #expect(found.count == 4)
  }

  @Test func `the verdict names what settles undecided rules as other reports do`() {
    let session = Samples.session("api.example.com", frame: 12)
    func verdict(_ steps: NextSteps) -> String {
      PacketComments.comments(of: session, Samples.undecided, steps).first?.text ?? ""
    }
    let keyLog = "or add --keylog FILE if the app wrote a key log; session \(session.identifier)"
    #expect(verdict(NextSteps()).hasSuffix("; to settle: add --chain lh3.example.com=FILE, \(keyLog)"))
    let recording = "record again, since certificates fetched now are newer than the sessions"
    #expect(verdict(NextSteps(isOld: true)).hasSuffix("; to settle: \(recording), \(keyLog)"))
    #expect(PacketComments.isComment(verdict(NextSteps())))
  }

  @Test func `a rule for which the system rejects a load with ATS off has its own word`() {
    let session = Samples.session("api.example.com", frame: 12)
    let found = comments(session, Samples.rejected)
    let verdict = "atscope EXEMPT api.example.com: ATS is off; rejected by the system, although ATS is off: ATS-CERT-TRUST; session "
    #expect(found[12]?.first?.hasPrefix(verdict) == true)
    let proof = "atscope REFUSED api.example.com: ATS-CERT-TRUST: no root; requires a trusted root. Fix: Server: use a public CA"
    #expect(found[14] == [proof])
    #expect(found[12]?.last?.hasPrefix("atscope ADVICE api.example.com: ADV-EMS: ") == true)
  }

  @Test func `a finding without frames is at the ClientHello`() {
    let session = Samples.session("api.example.com", frame: 12)
    let finding = Samples.finding("ADV-X", .fail, "something", parts: [], fix: nil)
    let found = comments(session, Samples.judgement(.fail, [finding]))
    #expect(found[12]?.count == 2)
  }

  @Test(arguments: Samples.hostileNames)
  func `text from the capture stays on one line without control characters`(name: String) {
    var finding = Samples.finding(
      "ATS-CERT-HOST", .fail, "a certificate for \(name)", expected: name, parts: [.certificates], fix: .server(name))
    finding.notes = [name]
    let judgements = [
      Samples.judgement(.fail, [finding]), Samples.judgement(.exempt, exemption: name),
    ]
    for judgement in judgements {
      for comment in PacketComments.comments(of: Samples.session(name), judgement) {
        #expect(comment.text.hasPrefix("atscope "))
        #expect(PacketComments.isComment(comment.text))
        let isClean = comment.text.unicodeScalars.allSatisfy { scalar in
          let category = scalar.properties.generalCategory
          return category != .control && category != .format && scalar != "\u{2028}"
        }
        #expect(isClean)
      }
    }
  }

  @Test func `the comment on a run names its version, policy and roots`() {
    var run = RunRecord(toolVersion: "1.2.3", policyVersion: "2", command: "annotate")
    run.releaseName = "iOS 26.5"
    run.rootsName = "Apple, iOS 26.5 (store 2025072000)"
    let comment = PacketComments.comment(on: run, at: 7)
    #expect(comment.frame == 7)
    let start =
      "atscope RUN 1.2.3: judged as iOS 26.5, ATS defaults (no Info.plist); Roots: Apple, iOS 26.5 (store 2025072000); "
      + "SCTs counted, not verified"
    #expect(comment.text.hasPrefix(start))
    #expect(PacketComments.isComment(comment.text))
  }

  @Test(arguments: [
    "", "atscope", "atscope FAIL", "atscope RUN 0.2.0: see the wiki", "atscope FAIL api.example.com", "atscope FAIL: see the ticket",
    "atscope FAIL here: ask the server team",
    "see atscope FAIL api.example.com: ATS-CIPHER: RC4", "atscope ATTENTION api.example.com: ATS-CIPHER: RC4",
    "atscope OUTCOME looks wrong to me: ask the vendor", "atscope FAIL a.example: ATS-CIPHER: RC4\nticket 4711",
    "atscope FAIL is wrong: ATS-OURS: this is our own test server",
    "atscope PASS api.example.com: score 100 A+; session of Monday", "atscope fail api.example.com: ATS-CIPHER: RC4",
  ])
  func `a comment that only resembles those of annotate is not one`(text: String) {
    #expect(!PacketComments.isComment(text))
  }

  @Test(arguments: [
    SessionEnding.refused(by: .client, alert: nil), .refused(by: .server, alert: nil), .clientCertificateMissing(alert: nil),
    .clientCertificateRejected(alert: nil), .reset(by: nil), .closed(by: .server), .closed(by: nil), .clientLeft(sawCertificate: true),
    .httpResponse, .proxyRefused, .unreachable,
  ])
  func `the comment on every failed ending is recognized`(ending: SessionEnding) {
    #expect(PacketComments.isComment("atscope OUTCOME a.example: \(Wording.ending(ending))"))
  }

  @Test(arguments: [
    "atscope PASS api.example.com: score 100 A+; session 5f0c1a2b3c4d5e6f", "atscope PASS (relaxed) a.example: session 5f0c1a2b3c4d5e6f",
    "atscope OUTCOME 192.0.2.1: reset by the server", "atscope UNKNOWN a.example: contested bytes: copies of clientHello disagree",
    "atscope REFUSED a.example: ATS-CIPHER: RC4; requires AES",
    "atscope RELAXED a.example: ATS-CIPHER: RC4; allowed by NSExceptionRequiresForwardSecrecy",
  ])
  func `a comment of each kind is recognized`(text: String) {
    #expect(PacketComments.isComment(text))
  }
}
