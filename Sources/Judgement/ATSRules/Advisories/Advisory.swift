import ATSEvidence
import SessionModel
import TLSParsing

/// An advisory rule: it fails if its advice applies and never decides a verdict (policy text D.19).
protocol Advisory: Rule {}

extension Advisory {
  package static var section: String { "D.19" }
  package static var isAdvisory: Bool { true }
}

extension SessionEvidence {
  /// The final ServerHello, not a HelloRetryRequest; nil if the capture shows none.
  var finalServerHello: Shared<ServerHelloFacts>? {
    guard let serverHello = tls?.serverHello, !serverHello.isHelloRetryRequest else { return nil }
    return serverHello
  }

  /// The ServerHello of a TLS 1.0 to 1.2 handshake; nil if the capture does not contain it completely.
  var olderServerHello: Shared<ServerHelloFacts>? {
    guard let serverHello = finalServerHello, evidence.serverHello != .partial,
      let version = serverHello.version, (TLSVersion.tls10.rawValue...TLSVersion.tls12.rawValue).contains(version.rawValue)
    else { return nil }
    return serverHello
  }
}
