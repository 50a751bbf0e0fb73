package import PolicyResolution
import SessionModel
import TLSParsing

package struct CompressionAdvisory: Advisory {
  package static let id = "ADV-COMPRESSION"
  package static let title = "TLS compression in use"
  package static let weight = 3
  package static let explanation = RuleExplanation(
    demand: "TLS does not use compression.", reason: "Compression leaks secrets (CRIME).",
    fix: "Disable it.", since: RuleExplanation.anyRelease, sources: [.platformGuide], weaknesses: [327], severity: "3.1")

  package init() {}

  /// Looks at the compression method chosen.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let serverHello = session.tls?.serverHello, !serverHello.version.hasTLS13Handshake,
      serverHello.version != .unseen, let method = serverHello.compressionMethod
    else { return notApplicable() }
    if method == 0 { return pass("none", parts: [.serverHello]) }
    return advise(
      CompressionMethod(rawValue: method).name ?? "method \(method)", expected: "no compression",
      parts: [.serverHello], fix: "disable TLS compression, which leaks secrets (CRIME)")
  }
}
