import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Why ATS does not govern a session (policy text A.6, C.3).
struct Exemption: Hashable {
  var reason: String

  /// Whether the session is a load of a URL that an app's settings can govern. If not, it has no score.
  var isURLLoad: Bool

  /// The exemption of a session; nil if ATS governs it.
  init?(_ session: SessionEvidence, under policy: EffectivePolicy) {
    if let reason = Exemption.notAURLLoad(session) {
      self.init(reason: reason, isURLLoad: false)
    } else if !policy.isGoverned {
      let why = policy.reason(for: .requiresHTTPS)?.text ?? "the program predates ATS"
      self.init(reason: "ATS does not apply to the program: \(why).", isURLLoad: true)
    } else if session.application == .http, !policy.requiresHTTPS {
      if session.http.hasUnreadRequest { return nil }
      let why = policy.reason(for: .requiresHTTPS).map { ": \($0.text)" } ?? ""
      let assumption = policy.matchedEntry == nil && policy.isDirect ? policy.reason(for: .isDirect) : nil
      self.init(reason: "Cleartext is allowed for this host\(why)\(assumption.map { "; \($0.text)" } ?? "").", isURLLoad: true)
    } else if session.application == .tls, policy.isATSOff {
      let why = policy.reason(for: .requiresHTTPS).map { ": \($0.text)" } ?? ""
      self.init(reason: "ATS is off for this host\(why).", isURLLoad: true)
    } else {
      return nil
    }
  }

  private init(reason: String, isURLLoad: Bool) {
    self.reason = reason
    self.isURLLoad = isURLLoad
  }

  /// Returns the reason that a session is not a URL load; nil if it may be one.
  private static func notAURLLoad(_ session: SessionEvidence) -> String? {
    if let row = session.systemProcess, case .ungoverned(let reason) = SystemProcess.all[row].role { return reason }
    if session.isFTPData, !offeredProtocols(session).contains(where: isHTTP) {
      let control = session.controlSession.map { "; its control connection is session \($0)" } ?? ""
      return "An FTP data connection is not a URL load\(control)."
    }
    if session.application == .dtls { return "DTLS is not used to load URLs." }
    if session.application == .http {
      if session.http.scheme == .ftp { return "A request for an ftp URL, which a proxy loads, is not an HTTP load." }
      let isCertain = session.http.certificateFetching == .certain
      return isCertain ? "Fetches of OCSP responses, CRLs and certificates are the system's own traffic." : nil
    }
    let followsUnknownProtocol = session.startTLS == EnclosingLayer.unknownProtocol.startTLSProtocol
    if let upgrade = session.startTLS, !followsUnknownProtocol {
      return "\(upgradedName[upgrade] ?? "\(upgrade.uppercased()) with STARTTLS") is not a URL load."
    }
    // If copies of the ClientHello disagree, its offer proves nothing.
    if session.evidence.contested != nil { return nil }
    // A client that offers HTTP may load a URL, whatever it sends first.
    if followsUnknownProtocol, session.evidence.clientHello == .complete, !offeredProtocols(session).contains(where: isHTTP) {
      return "A connection that begins with a protocol other than HTTP or TLS is not a URL load."
    }
    if isPreShared(session) { return "TLS with a pre-shared key instead of certificates is not used to load URLs." }
    return protocolReason(session)
  }

  /// The names of protocols whose command to start TLS is not STARTTLS.
  private static let upgradedName = [
    "rdp": "A Remote Desktop connection", "adb": "The Android Debug Bridge",
    "nomachine": "A NoMachine connection", "mysql": "MySQL with TLS", "postgresql": "PostgreSQL with TLS",
  ]

  private static func isPreShared(_ session: SessionEvidence) -> Bool {
    func isPreShared(_ suite: CipherSuite) -> Bool { suite.structure?.usesPreSharedKey == true }
    if let serverHello = session.tls?.serverHello, let suite = serverHello.cipherSuite {
      return isPreShared(suite) || session.evidence.contains(.externalPSK) && !serverHello.extensions.contains(.certificateWithExternPSK)
    }
    guard let offered = session.tls?.offer?.cipherSuites.filter({ !$0.isSignal }) else { return false }
    return !offered.isEmpty && offered.allSatisfy(isPreShared)
  }

  /// The protocols that the client offered in ALPN.
  private static func offeredProtocols(_ session: SessionEvidence) -> [String] {
    session.tls?.offer?.alpn ?? []
  }

  private static func protocolReason(_ session: SessionEvidence) -> String? {
    let offered = offeredProtocols(session)
    if let first = offered.first {
      if offered.contains(where: isHTTP) { return nil }
      return "The client offers \(first)\(offered.count > 1 ? " and others" : "") by ALPN, not HTTP."
    }
    if let chosen = session.tls?.serverHello?.alpn { return isHTTP(chosen) ? nil : "The server's ALPN choice, \(chosen), is not HTTP." }
    if session.tls?.offer == nil, session.tls?.serverHello == nil { return nil }
    return otherProtocols[session.hostPort].map { "TLS without ALPN on port \(session.hostPort), which is for \($0), is not a URL load." }
  }

  /// Whether an ALPN name denotes a version of HTTP (IANA, and draft names).
  private static func isHTTP(_ name: String) -> Bool {
    name.hasPrefix("http/") || name == "h2" || name.hasPrefix("h2-") || name == "h2c" || name == "h3"
      || name.hasPrefix("h3-") || name == "hq" || name.hasPrefix("hq-") || name.hasPrefix("spdy/")
  }

  /// Ports on which TLS without ALPN counts as a protocol other than HTTPS.
  private static let otherProtocols: [UInt16: String] = [
    465: "mail submission", 563: "network news", 636: "LDAP", 853: "DNS", 990: "FTP", 993: "IMAP", 995: "POP3", 5061: "SIP",
    5223: "push notifications or XMPP", 8883: "MQTT",
  ]
}
