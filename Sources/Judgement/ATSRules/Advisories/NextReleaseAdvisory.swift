import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Warns about a session that passes now and would fail the stricter rules announced for system processes.
struct NextReleaseAdvisory: Advisory {
  static let id = "ADV-NEXT"
  static let title = "Below Apple's rules for system services"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "TLS 1.2 or later, ECDHE with AES-GCM, Extended Master Secret.",
    reason: "Announced for system services in the next major release.",
    fix: .server("meet them before system services require them"),
    since: "announced", sources: [.systemServices], weaknesses: [], severity: "1.0")

  /// Checks version, suite and Extended Master Secret if the session meets the present rules about them.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let present: [any Rule] = [TLSVersionRule(), CipherSuiteRule(), ForwardSecrecyRule()]
    guard let serverHello = session.finalServerHello, let version = serverHello.version,
      let suite = serverHello.cipherSuite,
      present.allSatisfy({ $0.judge(session, under: policy, in: context).outcome == .pass })
    else { return notApplicable() }
    let expected = "TLS 1.2 or later, ECDHE with AES-GCM, Extended Master Secret"
    func advise(_ text: String) -> Finding {
      fail(text, expected: expected, parts: [.serverHello], fix: Self.fix)
    }
    if version.rawValue < TLSVersion.tls12.rawValue { return advise(version.text) }
    if version == .tls12 {
      guard CipherSuiteGroups.niapTLS12.contains(suite) else { return advise(suite.text) }
      if !serverHello.extensions.contains(.extendedMasterSecret) {
        return session.evidence.serverHello == .complete ? advise("no Extended Master Secret") : notApplicable()
      }
    }
    return pass(suite.text, expected: expected, parts: [.serverHello])
  }
}

extension RuleID {
  /// `ADV-NEXT`: the session does not meet the stricter requirements that Apple announced for system services.
  public static let nextRelease = RuleID(rawValue: NextReleaseAdvisory.id)
}
