package import PolicyResolution
package import SessionModel
import TLSParsing

/// ServerKeyExchange is signed with SHA-1.
package struct KeyExchangeSignatureAdvisory: Advisory {
  package static let id = "ADV-SKE-SHA1"
  package static let title = "ServerKeyExchange signed with SHA-1"

  package init() {}

  /// Looks at the signature's scheme, which TLS 1.2 names.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let scheme = session.tls?.serverKeyExchange?.signatureScheme else { return notApplicable() }
    let name = scheme.name ?? hexadecimalCode(scheme.rawValue)
    if scheme.hash != .sha1 { return pass(name, parts: [.serverKeyExchange]) }
    return advise(
      name, expected: "a signature with SHA-256 or better", parts: [.serverKeyExchange],
      fix: "let the server sign with SHA-256 or better; the NIAP package refuses SHA-1")
  }
}
