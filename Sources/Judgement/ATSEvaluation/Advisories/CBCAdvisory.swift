package import PolicyResolution
import SessionModel
import TLSParsing

/// A suite of cipher block chaining is in use.
package struct CBCAdvisory: Advisory {
  package static let id = "ADV-CBC"
  package static let title = "CBC suite in use"
  package static let weight = 2
  package static let explanation = RuleExplanation(
    demand: "The suite is an AEAD and no CBC suite.",
    reason: "CBC suites invite padding attacks, and the ones with SHA-2 are refused by newer releases.",
    fix: "Put AES-GCM suites first on the server.", since: RuleExplanation.anyRelease, sources: [.helper])

  package init() {}

  /// Looks at the suite.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.tls?.answer?.content, let suite = answer.cipherSuite,
      let structure = suite.structure
    else { return notApplicable() }
    guard structure.mode == .cbc else { return pass(suite.text, parts: [.serverHello]) }
    let isSHA2 = structure.hash == .sha256 || structure.hash == .sha384
    return advise(
      suite.text, expected: "an AEAD suite (AES-GCM, ChaCha20-Poly1305)", parts: [.serverHello],
      fix: "put AES-GCM suites first on the server"
    ).noting(
      isSHA2 ? "CBC with SHA-2 is refused from iOS 15.4 and macOS 12.3 on." : nil,
      structure.hash == .sha1 && answer.version == .tls12
        ? "A table of Apple's gives CBC_SHA suites an upper limit of TLS 1.1; whether it is enforced is not known."
        : nil)
  }
}
