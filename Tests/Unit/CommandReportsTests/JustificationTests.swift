import ATSEvaluation
import Testing

@testable import CommandReports
@testable import ExceptionPlanning

@Suite struct JustificationTests {
  private func written(_ rules: [String], _ observed: [String], key: String = "NSExceptionAllowsInsecureHTTPLoads") -> String? {
    Justification.draft(
      for: ExceptionPlan.Key(
        entry: "www.example.com", key: key, value: key.hasSuffix("Version") ? .string("TLSv1.0") : .boolean(true),
        rules: rules, observed: observed, sessions: 2))
  }

  @Test(
    arguments: [
      (["ATS-HTTPS"], ["cleartext HTTP"], "The app loads www.example.com over HTTP (2 recorded connections), because [the reason that "),
      (
        ["ATS-CIPHER", "ATS-PFS"], ["TLS_RSA_WITH_3DES_EDE_CBC_SHA"],
        "Connections to www.example.com use a cipher suite that App Transport Security does not accept (2 recorded connections). "
      ),
      (
        ["ATS-CERT-TRUST", "ATS-CERT-EKU"], ["a self-signed certificate", "the leaf has no extended key usage"],
        "Connections to www.example.com do not meet the requirements of App Transport Security (2 recorded connections): "
          + "a self-signed certificate; the leaf has no extended key usage. "
      ),
      (
        ["ATS-HTTPS", "ATS-CERT-HOST"], ["cleartext HTTP", "the leaf is for \u{202E}"],
        "Connections to www.example.com do not meet the requirements of App Transport Security (2 recorded connections): "
          + "cleartext HTTP; the leaf is for \\u{202e}. "
      ),
    ])
  func `a draft states what was observed`(rules: [String], observed: [String], start: String) throws {
    let draft = try #require(written(rules, observed))
    #expect(draft.hasPrefix(start), "\(draft)")
  }

  @Test func `a key that is needed only because of the client's offer has no draft`() {
    var key = ExceptionPlan.Key(
      entry: "www.example.com", key: "NSExceptionMinimumTLSVersion", value: .string("TLSv1.0"), rules: ["ATS-TLS-VERSION"],
      observed: ["TLS 1.0"], sessions: 1)
    #expect(Justification.draft(for: key) != nil)
    key.dependsOnOffer = true
    #expect(Justification.draft(for: key) == nil)
  }

  @Test func `a draft for a lower TLS version names the observed version`() throws {
    let draft = try #require(written(["ATS-TLS-VERSION"], ["TLS 1.0"], key: "NSExceptionMinimumTLSVersion"))
    #expect(draft.hasPrefix("Connections to www.example.com use TLS 1.0 (2 recorded connections), older than "))
  }
}
