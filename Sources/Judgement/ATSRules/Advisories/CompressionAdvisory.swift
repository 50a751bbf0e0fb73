import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

struct CompressionAdvisory: Advisory {
  static let id = "ADV-COMPRESSION"
  static let title = "TLS compression in use"
  static let weight = 3
  static let explanation = RuleExplanation(
    demand: "TLS does not use compression.", reason: "Compression leaks secrets (CRIME).",
    fix: .server("disable TLS compression, which leaks secrets (CRIME)"),
    since: RuleExplanation.anyRelease, sources: [.platformGuide], weaknesses: [327], severity: "3.1")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let serverHello = session.tls?.serverHello, let version = serverHello.version, !version.hasTLS13Handshake,
      let method = serverHello.compressionMethod
    else { return notApplicable() }
    if method == 0 { return pass("none", parts: [.serverHello]) }
    return fail(
      CompressionMethod(rawValue: method).name ?? "method \(method)", expected: "no compression", parts: [.serverHello], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-COMPRESSION`: the session uses TLS compression.
  public static let compression = RuleID(rawValue: CompressionAdvisory.id)
}
