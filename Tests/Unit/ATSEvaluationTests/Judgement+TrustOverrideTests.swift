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

@Suite struct JudgementTrustOverrideTests {
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
  func `app code may accept a certificate where ATS is off without a key`() {
    let local = SessionBuilder {
      $0.host = "printer.local"
      $0.certificates = [CertificateBuilder.leaf { $0.dnsNames = ["x.example"] }]
    }.session
    let strict = judged(local)
    #expect(strict.verdict == .exempt && strict.isRefused)
    let lax = judged(local) { $0.appOverridesTrust = true }
    #expect(lax.verdict == .exempt && !lax.isRefused)
    #expect(lax["ATS-CERT-HOST"].outcome == .relaxed && lax["ATS-CERT-HOST"].decidingKey == nil)
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
