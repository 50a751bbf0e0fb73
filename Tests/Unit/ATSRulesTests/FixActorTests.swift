import ATSRules
import Testing

@Suite struct FixActorTests {
  @Test func `several fixes become one, with the steps of each actor together`() {
    let fixes = [
      "Recording: record again. Server, if a new recording fails too: enable TLS 1.2", "App: change the URL. Server: renew the certificate",
      "Server: renew the certificate", "Server, if a new recording fails too: use another CA",
    ]
    #expect(
      FixActor.merged(fixes)
        == "Recording: record again. Server: renew the certificate. Server, if a new recording fails too: enable TLS 1.2; use another CA. "
        + "App: change the URL")
    #expect(FixActor.merged(["enable it", "disable it"]) == "enable it; disable it")
    #expect(FixActor.merged([]).isEmpty)
    #expect(fixes.allSatisfy { FixActor.isIncluded($0, in: FixActor.merged(fixes)) })
    #expect(!FixActor.isIncluded("App: remove the pin", in: FixActor.merged(fixes)))
  }

  @Test func `the fix of every rule begins with its actor`() {
    for rule in RuleCatalogue.all {
      #expect(FixActor.allCases.contains { rule.fix.hasPrefix("\($0.rawValue): ") }, "\(rule.id)")
      #expect(rule.fix.hasSuffix("."), "\(rule.id)")
    }
  }
}
