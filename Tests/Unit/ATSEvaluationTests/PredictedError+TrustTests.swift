@testable import ATSEvaluation
import ATSEvidence
import ATSRules
import CertificateIssuing
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

/// The errors that devices report for a rejected certificate (policy text D.20).
@Suite struct PredictedErrorTrustTests {
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

  @Test(arguments: ["ios12", "ios26"], [nil, ExceptionSettings(allowsInsecureHTTPLoads: true)])
  func `the codes of every rule are among those in its explanation`(os: String, settings: ExceptionSettings?) throws {
    let session = SessionEvidence(SessionBuilder().session, at: nil)
    let policy = PolicyResolver(dictionary: settings.flatMap { entry("www.example.com", $0) }).policy(
      for: PolicyRequest(host: .name("www.example.com"), release: try SystemRelease(named: os)))
    for rule in RuleTable.mandatory {
      let id = type(of: rule).id
      let context = JudgingContext(session, clock: JudgingClock(nil))
      let error = try #require(
        PredictedErrors.error(for: [Finding(id: id, outcome: .fail)], of: session, under: policy, context))
      let described = try #require(RuleCatalogue.rule(withID: id)).errors.map(\.code)
      for code in [error.code, error.underlyingCode, error.trustCode].compactMap(\.self) + error.alternativeCodes where code != -1203 {
        #expect(described.contains(code), "\(id)")
      }
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
