import ATSEvidence
import PolicyResolution
import SessionModel
import Values

/// The load does not use cleartext HTTP, if the policy requires HTTPS (policy text D.2).
struct HTTPSRule: Rule {
  static let id = "ATS-HTTPS"
  static let title = "Cleartext HTTP"
  static let section = "D.2"
  static let setting: EffectivePolicy.Setting? = .requiresHTTPS
  static let evidence: Set<Evidence.Part> = [.clientHello]
  static let weight = 20
  static let appliesToCleartext = true
  static let explanation = RuleExplanation(
    demand:
      "Loads use HTTPS. Cleartext HTTP and ws are blocked, even if the server redirects to HTTPS, unless the destination is local or a key "
      + "allows them.",
    reason: "Anyone on the network path can read and change cleartext traffic.",
    fix:
      .server("offer HTTPS").and(.app("change the URL to https")),
    since: RuleExplanation.firstRelease,
    relaxedBy: [ATSKeys.insecureLoads] + ATSKeys.arbitrary,
    errors: [.url: [-1022], .network: [-1022]],
    sources: [.configuration, .insecureLoads, .arbitraryLoads, .preventing, .blocked, .seedOverview], weaknesses: [319], severity: "8.1")

  /// Checks the protocol of the session, not the target of a redirect.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let local = LocalDestination.remark(context)
    guard session.application == .http else {
      guard let tls = session.tls, tls.offer != nil || tls.serverHello != nil || tls.chain != nil else {
        return unknown(Unseen(.missing, settledBy: [.evidence("record from the start of the connection")]), expected: "HTTPS")
      }
      return pass("TLS", expected: "HTTPS", parts: [tls.offer != nil ? .clientHello : .serverHello]).noting(local)
    }
    let traffic = session.http
    let observed = traffic.isWebSocket ? "WebSocket (ws) without TLS" : "HTTP without TLS"
    let unread = unreadRequest(session)
    guard policy.requiresHTTPS else {
      if let unread { return unknown(unread.why, expected: "HTTPS", note: unread.note) }
      return pass(observed, expected: "HTTPS, or cleartext as the policy allows", parts: [.clientHello])
        .noting(policy.reason(for: .requiresHTTPS).map { "Cleartext is allowed: \($0.text)." }, local)
    }
    let fetching = "The system itself fetches revocation data and certificates in cleartext."
    switch traffic.certificateFetching {
    case .possible:
      return unknown(
        Unseen(nil, settledBy: [session.betterCapture]), expected: "HTTPS",
        note: "\(fetching) The capture does not show all that decides whether this connection does only that.")
    case .refused:
      return unknown(
        Unseen(nil, settledBy: [.evidence("record again while the server sends such data")]), expected: "HTTPS",
        note: "\(fetching) A response is a redirect or an error, whose media type does not show what was requested.")
    case .no, .certain: break
    }
    if let note = undecidedURL(session) { return unknown(Unseen(nil), expected: "HTTPS", note: note) }
    // This is exempt, and nothing is to be fixed.
    if traffic.certificateFetching == .certain { return fail(observed, expected: "HTTPS", parts: [.clientHello]).noting(fetching) }
    return fail(
      observed, expected: "HTTPS", parts: [.clientHello],
      fix: fix(of: session)
    ).noting(
      traffic.redirectsToHTTPS ? "The server redirects to HTTPS, but ATS blocks the load before that." : nil,
      unread?.note, local)
  }

  private func fix(of session: SessionEvidence) -> Fix {
    if session.http.isWebSocket { return .server("offer wss").and(.app("change the URL from ws to wss")) }
    if session.http.redirectsToHTTPS { return .app("change the URL to https, to which the server redirects") }
    return session.hostPort == 443
      ? .app("change the URL to https: port 443 is for HTTPS").and(.server("offer HTTPS there, if it does not")) : Self.fix
  }

  /// Why a request on the connection is not known; nil if all are.
  private func unreadRequest(_ session: SessionEvidence) -> (why: Unseen, note: String)? {
    guard session.http.hasUnreadRequest else { return nil }
    return session.evidence.contains(.httpRequestLost)
      ? (
        Unseen(nil, settledBy: [session.betterCapture]), "A request on this connection is not in the capture, and may be for another host."
      ) : (Unseen(nil), "A request on this connection could not be read, and may be for another host.")
  }

  /// Why it is not known whether a request is a load that the policy blocks; nil if it is known.
  private func undecidedURL(_ session: SessionEvidence) -> String? {
    if session.http.scheme == .https {
      return "The URL is https, but the client leaves TLS to a proxy or another program, whose session is not in this connection."
    }
    return session.http.hasDifferentHosts && session.serverName == nil
      ? "The Host fields of a request differ; cleartext to one of the hosts may be allowed, and servers refuse such requests." : nil
  }
}

extension LocalDestination {
  /// Returns a remark if it is an assumption whether the address is local.
  static func remark(_ context: JudgingContext) -> String? {
    guard let address = context.host.address else { return nil }
    return assumption(address: address).map { "\($0)." }
  }
}

extension RuleID {
  /// `ATS-HTTPS`: the load uses HTTPS.
  public static let https = RuleID(rawValue: HTTPSRule.id)
}
