package import ATSEvidence
import SessionModel
package import TLSParsing

/// A server's refusal of a handshake before it sent a ServerHello.
package struct EarlyRefusal {
  package var alert: AlertDescription

  /// The alert with which the server refused a ClientHello; nil if it refused none, or if none is visible.
  package init?(_ session: SessionEvidence) {
    // If bytes are missing, a ServerHello may be among them.
    guard let tls = session.tls, tls.serverHello == nil, tls.outcome == .refusedByServer, !session.evidence.lacksBytes,
      session.evidence.incomplete == nil, session.evidence.serverHello == .missing || session.evidence.serverHello == .notSent,
      let alert = tls.serverAlerts.first(where: { $0.level == 2 })
    else { return nil }
    self.alert = alert.description
  }

  /// Whether the alert means that no offered suite is acceptable.
  var isAboutSuites: Bool { alert == .handshakeFailure || alert == .insufficientSecurity }

  /// Whether the alert means that no offered version is acceptable.
  var isAboutVersions: Bool { alert == .protocolVersion || alert == .inappropriateFallback }

  /// Whether the server refused only because the client signalled a version fallback, which no device does. Such a server supports a higher
  /// version than the client offered (RFC 7507 §3).
  func isOfFallback(_ offer: Shared<ClientOffer>) -> Bool {
    alert == .inappropriateFallback && offer.cipherSuites.contains(.fallbackSCSV) && !offer.versions.contains(.tls13)
  }
}
