import ATSRules
import Testing

@Suite struct FixTests {
  @Test func `several fixes become one, with one step for each actor`() {
    let fixes: [Fix] = [
      .recording("record again").and(.serverIfRepeated("enable TLS 1.2")), .app("change the URL").and(.server("renew the certificate")),
      .server("renew the certificate"), .serverIfRepeated("use another CA"),
    ]
    #expect(
      Fix.merged(fixes).text
        == "Recording: record again. Server: renew the certificate. Server, if a new recording fails too: enable TLS 1.2; use another CA. "
        + "App: change the URL")
    #expect(Fix.merged([.server("enable it"), .server("disable it")]).text == "Server: enable it; disable it")
    #expect(Fix.merged([.serverIfRepeated("enable it"), .server("enable it")]) == .server("enable it"))
    #expect(Fix.merged([.app("use https, which works"), .app("use https"), .app("use httpsx")]) == .app("use https; use httpsx"))
    let versions: [Fix] = [.server("enable TLS 1.2 and 1.3"), .server("enable TLS 1.2 and 1.3 and disable 1.0 and 1.1")]
    #expect(Fix.merged(versions) == versions[1] && Fix.merged(versions.reversed()) == versions[1])
    #expect(Fix.merged([.serverIfRepeated("enable it"), .server("enable it and disable it")]) == .server("enable it and disable it"))
    #expect(Fix.merged([]).steps.isEmpty)
    #expect(fixes.allSatisfy { $0.isIncluded(in: Fix.merged(fixes).text) })
    #expect(!Fix.app("remove the pin").isIncluded(in: Fix.merged(fixes).text))
  }

  @Test func `the fix of every rule has steps without full stops`() {
    for rule in RuleCatalogue.all {
      #expect(!rule.fix.steps.isEmpty, "\(rule.id)")
      #expect(rule.fix.steps.allSatisfy { !$0.instruction.isEmpty && !$0.instruction.hasSuffix(".") }, "\(rule.id)")
    }
  }
}
