package import PolicyResolution
package import SessionModel
import Values

/// Cleartext HTTP is not allowed where HTTPS is required (policy text D.2).
package struct HTTPSRule: Rule {
  package static let id = "ATS-HTTPS"
  package static let title = "No cleartext HTTP"
  package static let section = "D.2"
  package static let setting: EffectivePolicy.Setting? = .httpsRequired
  package static let evidence: Set<Evidence.Part> = [.clientHello]

  package init() {}

  /// Judges what was spoken, not what a redirect leads to.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let local = LocalDestination.remark(context)
    guard session.application == .http else {
      guard let tls = session.tls, tls.offer != nil || tls.answer != nil || tls.chain != nil else {
        return unknown(
          Unseen(.missing, settledBy: ["a capture from the start of the connection"]), expected: "HTTPS")
      }
      return pass("TLS", expected: "HTTPS", parts: [tls.offer != nil ? .clientHello : .serverHello])
        .noting(local)
    }
    let traffic = HTTPTraffic(session)
    let observed = traffic.isWebSocket ? "cleartext WebSocket (ws)" : "cleartext HTTP"
    guard policy.httpsRequired else {
      return pass(observed, expected: "HTTPS, or cleartext as the policy allows", parts: [.clientHello])
        .noting(policy.reason(for: .httpsRequired).map { "Cleartext is allowed: \($0.text)." }, local)
    }
    return fail(
      observed, expected: "HTTPS", parts: [.clientHello],
      fix:
        "serve over HTTPS and change the URL in the app; a redirect on the server does not help the first hop"
    ).noting(
      traffic.redirectsToHTTPS ? "The server redirects to HTTPS, but ATS stops the load before that." : nil,
      traffic.mayBeCertificateTraffic
        ? "What is known of the answers is revocation data or certificates, which the system itself fetches; not all are known."
        : nil,
      local)
  }
}

extension LocalDestination {
  /// A remark where the answer whether an address is local is an assumption.
  static func remark(_ context: JudgingContext) -> String? {
    guard let address = context.host.address else { return nil }
    return assumption(address: address).map { "\($0)." }
  }
}
