public import TLSParsing

/// How a handshake ended: which endpoint ended it and why, as far as the capture contains it.
public enum SessionEnding: Hashable, Sendable {
  /// One of the two endpoints of a connection.
  public enum Peer: String, Hashable, Sendable {
    /// The endpoint that sent the ClientHello.
    case client
    /// The endpoint that received the ClientHello.
    case server
  }

  /// Application data or Finished was captured in both directions.
  case established
  /// One endpoint refused; `alert` is its alert if that could be read.
  case refused(by: Peer, alert: AlertDescription?)
  /// The server required a client certificate, and the client sent none.
  case clientCertificateMissing(alert: AlertDescription?)
  /// The server rejected the client's certificate.
  case clientCertificateRejected(alert: AlertDescription?)
  /// A RST ended the handshake; `by` is nil if its sender is unknown, or if the client had closed before with a FIN that was not captured,
  /// but a ServerHello was.
  case reset(by: Peer?)
  /// One endpoint closed the connection without an alert before the handshake was complete; `by` is nil if it is unknown which, or if the
  /// client's FIN was not captured, but a ServerHello was.
  case closed(by: Peer?)
  /// The client closed or reset the connection without an alert after the server's certificate, or after its ServerHello if the certificate
  /// is encrypted.
  case clientLeft(sawCertificate: Bool)
  /// The server sent an HTTP response to the ClientHello.
  case httpResponse
  /// The proxy refused the HTTP CONNECT, after the client had sent its ClientHello.
  case proxyRefused
  /// ICMP reported that the server is unreachable.
  case unreachable
  /// The capture does not contain the end of the handshake.
  case unknown

  /// Whether the handshake is known to have failed.
  public var isFailure: Bool { self != .established && self != .unknown }
}

extension Evidence {
  /// Whether the server requested a client certificate and the client sent an empty list.
  package var lacksClientCertificate: Bool { contains(.clientCertificateNotSent) }

  /// Whether a message of the server precedes the packet with which the client closed or reset the connection. A later one was on its way.
  fileprivate func mayHaveCausedClose(_ part: Part) -> Bool {
    guard !frames[.outcome].isEmpty, let last = frames[part].last else { return true }
    return last < frames[.outcome].first
  }
}

extension ObservedSession {
  /// How the handshake ended; nil for cleartext HTTP.
  public var ending: SessionEnding? {
    guard let sharedTLS else { return nil }
    if sharedTLS.outcome == .reset || sharedTLS.outcome == .incomplete {
      if evidence.contains(.connectRefused) { return .proxyRefused }
      if evidence.contains(.httpResponseToClientHello) { return .httpResponse }
      if evidence.contains(.icmpUnreachable) { return .unreachable }
    }
    switch sharedTLS.outcome {
    case .established:
      // TLS 1.3: a server checks the client's certificate after its own Finished (RFC 8446 §4.4.2.4).
      let refusal = SessionEnding(refusalOf: sharedTLS, evidence)
      if case .refused = refusal { return .established }
      return refusal
    case .refusedByClient: return .refused(by: .client, alert: SessionEnding.decisiveAlert(sharedTLS.clientAlerts))
    case .refusedByServer: return SessionEnding(refusalOf: sharedTLS, evidence)
    case .reset: return left(sharedTLS) ?? SessionEnding.reset(by: closingPeer)
    case .incomplete:
      guard evidence.incomplete == nil, evidence.contains(.closedWithoutAlert) else { return .unknown }
      return left(sharedTLS) ?? SessionEnding.closed(by: closingPeer)
    }
  }

  /// The ending if the client closed or reset the connection after the ServerHello; otherwise nil.
  private func left(_ tls: Shared<TLSFacts>) -> SessionEnding? {
    guard closingPeer == .client, tls.sharedServerHello != nil, evidence.mayHaveCausedClose(.serverHello) else { return nil }
    return .clientLeft(sawCertificate: tls.chain?.certificates.isEmpty == false && evidence.mayHaveCausedClose(.certificates))
  }

  private var closingPeer: SessionEnding.Peer? {
    if evidence.contains(.closedByClient) { return .client }
    return evidence.contains(.closedByServer) ? .server : nil
  }
}

extension SessionEnding {
  /// The first fatal alert, or else the last alert.
  fileprivate static func decisiveAlert(_ alerts: [ObservedAlert]) -> AlertDescription? {
    (alerts.first { $0.level == 2 } ?? alerts.last)?.code
  }

  /// The ending for a server's refusal, which may be about the client's certificate.
  fileprivate init(refusalOf tls: Shared<TLSFacts>, _ evidence: borrowing Evidence) {
    let alert = SessionEnding.decisiveAlert(tls.serverAlerts)
    self = .refused(by: .server, alert: alert)
    if alert == .certificateRequired {
      self = .clientCertificateMissing(alert: alert)
    } else if tls.isClientCertificateRequested, let alert, SessionEnding.aboutClientCertificate.contains(alert) {
      if evidence.lacksClientCertificate {
        self = .clientCertificateMissing(alert: alert)
      } else if tls.clientChain?.certificates.isEmpty == false {
        self = .clientCertificateRejected(alert: alert)
      }
    }
  }

  /// Alerts with which servers reject a client's certificate, or its absence (RFC 5246 §7.2.2, §7.4.6).
  private static let aboutClientCertificate: Set<AlertDescription> = [
    .handshakeFailure, .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired,
    .certificateUnknown, .unknownCA, .accessDenied, .decryptError,
  ]
}
