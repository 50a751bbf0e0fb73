package import PolicyResolution
import SessionModel
import TLSParsing

/// ServerKeyExchange is signed with SHA-1.
package struct KeyExchangeSignatureAdvisory: Advisory {
  package static let id = "ADV-SKE-SHA1"
  package static let title = "ServerKeyExchange signed with SHA-1"
  package static let weight = 2
  package static let explanation = RuleExplanation(
    demand: "ServerKeyExchange is not signed with SHA-1.", reason: "The NIAP package refuses it.",
    fix: "Let the server sign with SHA-256 or better.", since: RuleExplanation.anyRelease, sources: [.niap])

  package init() {}

  /// Looks at the signature's scheme, which TLS 1.2 names.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let scheme = session.tls?.keyExchangeSignature else { return notApplicable() }
    let name = scheme.name ?? hexadecimalCode(scheme.rawValue)
    if scheme.hash != .sha1 { return pass(name, parts: [.serverKeyExchange]) }
    return advise(
      name, expected: "a signature with SHA-256 or better", parts: [.serverKeyExchange],
      fix: "let the server sign with SHA-256 or better; the NIAP package refuses SHA-1")
  }
}
