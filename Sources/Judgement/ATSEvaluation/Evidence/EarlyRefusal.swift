import SessionModel
import TLSParsing

/// How a server refused a handshake before it chose anything.
struct EarlyRefusal {
  var alert: AlertDescription

  /// The alert with which the server refused a ClientHello; nil where it accepted one, or nothing is to be seen.
  init?(_ session: SessionEvidence) {
    // Where bytes are missing, a ServerHello may be among them.
    guard let tls = session.tls, tls.serverHello == nil, tls.outcome == .refusedByServer,
      !session.evidence.lacksBytes, session.evidence.incomplete == nil,
      session.evidence.serverHello == .missing || session.evidence.serverHello == .notSent,
      let alert = tls.serverAlerts.first(where: { $0.level == 2 })
    else { return nil }
    self.alert = alert.description
  }

  /// Whether it says that no suite is acceptable.
  var isAboutSuites: Bool { alert == .handshakeFailure || alert == .insufficientSecurity }

  /// Whether it says that no version is acceptable.
  var isAboutVersions: Bool { alert == .protocolVersion || alert == .inappropriateFallback }

  /// Whether the server refused only because the client said that it had retried with a lower version, which no device does: then
  /// the server supports a higher version than the client offered (RFC 7507 §3).
  func isOfFallback(_ offer: Shared<ClientOffer>) -> Bool {
    alert == .inappropriateFallback && offer.cipherSuites.contains { $0.rawValue == 0x5600 }
      && !offer.versions.contains(.tls13)
  }
}
