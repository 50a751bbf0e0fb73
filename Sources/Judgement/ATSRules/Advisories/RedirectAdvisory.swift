import ATSEvidence
import PolicyResolution
import SessionModel

/// Reports that the response to a cleartext request was a redirect to HTTPS.
struct RedirectAdvisory: Advisory {
  static let id = "ADV-HTTP-REDIRECT"
  static let title = "Redirect from HTTP to HTTPS"
  static let weight = 0
  static let appliesToCleartext = true
  static let explanation = RuleExplanation(
    demand: "The app does not rely on a redirect from HTTP to HTTPS.",
    reason: "ATS blocks the first request, before the redirect.", fix: .app("use the https URL; ATS blocks the load before the redirect"),
    since: RuleExplanation.anyRelease, sources: [.cocoaKeys, .seedOverview], weaknesses: [319], severity: "3.7")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard session.application == .http else { return notApplicable() }
    let traffic = session.http
    guard traffic.redirectsToHTTPS else { return traffic.lacksResponses ? notApplicable() : pass(parts: [.clientHello]) }
    return fail("the server redirects to HTTPS", expected: "an https URL in the app", parts: [.clientHello], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-HTTP-REDIRECT`: a cleartext request is redirected to HTTPS.
  public static let redirect = RuleID(rawValue: RedirectAdvisory.id)
}
