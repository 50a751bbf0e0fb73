package import PolicyResolution
package import SessionModel
import TLSParsing

/// A cleartext request was answered by a redirect to HTTPS.
package struct RedirectAdvisory: Advisory {
  package static let id = "ADV-HTTP-REDIRECT"
  package static let title = "Redirect from HTTP to HTTPS"

  package init() {}

  /// Looks at the answers.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard session.application == .http else { return notApplicable() }
    let traffic = HTTPTraffic(session)
    guard traffic.redirectsToHTTPS else {
      return traffic.lacksAnswers ? notApplicable() : pass(parts: [.clientHello])
    }
    return advise(
      "the server redirects to HTTPS", expected: "an https URL in the app", parts: [.clientHello],
      fix: "use the https URL in the app: ATS stops the load before the redirect")
  }
}
