import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Advises against CBC cipher suites.
struct CBCAdvisory: Advisory {
  static let id = "ADV-CBC"
  static let title = "CBC cipher suite in use"
  static let weight = 2
  static let explanation = RuleExplanation(
    demand: "The cipher suite is an AEAD suite, not a CBC suite.",
    reason: "CBC suites are open to padding attacks, and newer releases reject those with SHA-2.",
    fix: .server("prefer AES-GCM suites"), since: RuleExplanation.anyRelease, sources: [.helper], weaknesses: [327], severity: "3.1")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let serverHello = session.tls?.serverHello, let suite = serverHello.cipherSuite,
      let structure = suite.structure
    else { return notApplicable() }
    guard structure.isCBC else { return pass(suite.text, parts: [.serverHello]) }
    let isSHA2 = structure.hash == .sha256 || structure.hash == .sha384
    return fail(suite.text, expected: "an AEAD suite (AES-GCM, ChaCha20-Poly1305)", parts: [.serverHello], fix: Self.fix).noting(
      isSHA2 ? "iOS 15.4 and macOS 12.3 and later reject CBC with SHA-2." : nil,
      structure.hash == .sha1 && serverHello.version == .tls12
        ? "A table in Apple's source limits CBC_SHA suites to TLS 1.1; whether it is enforced is not known." : nil)
  }
}

extension RuleID {
  /// `ADV-CBC`: the cipher suite uses CBC.
  public static let cbc = RuleID(rawValue: CBCAdvisory.id)
}
