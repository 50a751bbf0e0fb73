import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import Values

/// Warns that the leaf expires soon.
struct ExpiryAdvisory: Advisory {
  static let id = "ADV-EXPIRY"
  static let title = "Certificate expires soon"
  static let weight = 2
  static let explanation = RuleExplanation(
    demand: "The server certificate is valid for more than 30 days.", reason: "An expired certificate blocks every load.",
    fix: .server("renew the certificate"), since: RuleExplanation.anyRelease, sources: [.serverTrust], weaknesses: [295], severity: "2.0")

  /// Fails if the leaf expires within 30 days; the text also states whether within 7.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let leaf = context.certificates.leaf?.certificate, let notAfter = leaf.notAfter,
      context.clock.isAfter(notAfter) == false
    else { return notApplicable() }
    func isWithin(_ days: Int64) -> Bool {
      notAfter.advanced(bySeconds: -days * PolicyDates.day).map { context.clock.isAtOrAfter($0) == true }
        ?? false
    }
    let observed = "the server certificate expires \(notAfter.date)"
    guard isWithin(30) else { return pass(observed, parts: [.certificates]) }
    return fail(
      observed + (isWithin(7) ? ", within 7 days" : ", within 30 days"),
      expected: "more than 30 days remaining", parts: [.certificates], certificate: 0, fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-EXPIRY`: the certificate expires soon.
  public static let expiry = RuleID(rawValue: ExpiryAdvisory.id)
}
