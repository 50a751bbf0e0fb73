import SessionObservation
import TLSParsing

/// How a handshake was refused before the server chose anything.
struct EarlyRefusal {
  /// The alert.
  var alert: AlertDescription

  /// The alert with which the server refused a ClientHello; nil where it answered, or nothing is to be seen.
  init?(_ session: ObservedSession) {
    // Where bytes are missing, a ServerHello may be among them.
    guard let tls = session.tls, tls.answer == nil, tls.outcome == .refusedByServer,
      session.evidence.missingBytes == 0, session.evidence.incomplete == nil,
      session.evidence.serverHello == .missing || session.evidence.serverHello == .notSent,
      let alert = tls.serverAlerts.first(where: { $0.level == 2 })
    else { return nil }
    self.alert = alert.description
  }

  /// Whether it says that no suite is acceptable.
  var isAboutSuites: Bool { alert == .handshakeFailure || alert == .insufficientSecurity }

  /// Whether it says that no version is acceptable.
  var isAboutVersions: Bool { alert == .protocolVersion || alert == .inappropriateFallback }
}
