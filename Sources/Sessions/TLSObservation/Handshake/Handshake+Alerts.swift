import ByteParsing
package import SessionModel
import TLSParsing
package import Values

/// Alerts, the closing of the connection, and other reasons why a handshake ends early.
extension Handshake {
  /// How many alerts of one side are kept.
  static let maximumAlertCount = 32

  /// What implementations send when a connection ends early: close_notify, unexpected_message, handshake_failure, decode_error,
  /// internal_error. Other alerts are about something that was read before.
  private static let answersToClose: [UInt8] = [0, 10, 40, 50, 80]

  /// Alerts of a handshake that continues: no_certificate (SSL 3), user_canceled, no_renegotiation, unrecognized_name.
  private static let mereWarnings: [UInt8] = [41, 90, 100, 112]

  mutating func receiveAlert(_ alert: ObservedAlert, _ direction: Direction) {
    if case .unknown = clientEndpoint {
      // Before any hello only a server has a reason to alert: the client's hello is not in the capture.
      clientEndpoint = .inferred(opener ?? direction.opposite)
    }
    let isClient = clientDirection == direction
    if isClient, facts.clientAlerts.count < Handshake.maximumAlertCount { facts.clientAlerts.append(alert) }
    if !isClient, facts.serverAlerts.count < Handshake.maximumAlertCount { facts.serverAlerts.append(alert) }
    guard facts.outcome == .incomplete, endsHandshake(alert) else { return }
    if isAfterClose(direction, alert.frame), Handshake.answersToClose.contains(alert.description.rawValue) {
      if closing?.isByReset == false { closing?.isAnsweredByAlert = true }
      return
    }
    conclude(isClient ? .refusedByClient : .refusedByServer, alert.frame)
  }

  /// Whether an alert ends the handshake: any fatal one; `close_notify`, after which its sender sends nothing more (RFC 5246
  /// §7.2.1); in TLS 1.3 any that is not a mere warning there (RFC 8446 §6).
  private func endsHandshake(_ alert: ObservedAlert) -> Bool {
    if alert.level == 2 || alert.description == .closeNotify { return true }
    return negotiation.isTLS13 && ![90, 100, 112].contains(alert.description.rawValue)
  }

  /// Records which endpoint the client is.
  mutating func setClient(_ direction: Direction) {
    correctClient(direction)
    clientEndpoint = .known(direction)
  }

  /// Corrects which endpoint is the client, where that was only inferred from an alert.
  mutating func correctClient(_ direction: Direction) {
    guard case .inferred(let inferred) = clientEndpoint else { return }
    clientEndpoint = .known(direction)
    guard inferred != direction else { return }
    (facts.clientAlerts, facts.serverAlerts) = (facts.serverAlerts, facts.clientAlerts)
    switch facts.outcome {
    case .refusedByClient: facts.outcome = .refusedByServer
    case .refusedByServer: facts.outcome = .refusedByClient
    case .established, .reset, .incomplete: break
    }
  }

  /// Records a server that responds to the ClientHello with HTTP, as one without TLS does, and many a portal or proxy.
  mutating func noteHTTPResponse(_ piece: Span<UInt8>, _ direction: Direction, _ frame: UInt64) {
    guard isClient(direction) == false, !records[direction].hasRecord,
      Handshake.lengthOfHTTPStart(of: piece) > 0
    else { return }
    note(.httpResponseToClientHello)
    evidence.frames[.outcome].insert(frame)
  }

  /// How many bytes at the start of a piece show that it is an HTTP response; 0 where it is not one.
  package static func lengthOfHTTPStart(of piece: Span<UInt8>) -> Int {
    guard startOfHTTPResponse.count <= piece.count else { return 0 }
    for (index, byte) in startOfHTTPResponse.enumerated() where piece[index] != byte { return 0 }
    return startOfHTTPResponse.count
  }

  private static let startOfHTTPResponse = Array("HTTP/1.".utf8)
}

// MARK: - Closing

extension Handshake {
  /// Records that one endpoint closes the connection, by FIN or RST.
  package mutating func close(in direction: Direction, isByReset: Bool, _ frame: UInt64) {
    guard closing == nil, facts.outcome == .incomplete else { return }
    closing = Closing(direction: direction, isByReset: isByReset, frame: frame)
  }

  /// Whether the other endpoint has closed the connection before this packet.
  func isAfterClose(_ direction: Direction, _ frame: UInt64) -> Bool {
    guard let closing else { return false }
    return closing.direction != direction && closing.frame < frame
  }

  /// Whether one endpoint closed the connection before the handshake was over and neither gave a reason: an alert that answers a
  /// close is not one.
  package var isClosedWithoutAlert: Bool { closing?.isAnsweredByAlert == true }

  /// Notes which endpoint closed or reset a connection whose handshake was not over.
  package mutating func noteClosing(withoutAlert: Bool) {
    if withoutAlert { note(.closedWithoutAlert) }
    guard let closing, let isClient = isClient(closing.direction) else { return }
    note(isClient ? .closedByClient : .closedByServer)
  }

  /// Notes that the server cannot be reached, if that is why the handshake did not continue. It is not if the handshake was over or an
  /// endpoint had closed the connection before. That the client gives up after the report is a consequence.
  package mutating func noteUnreachable(_ reference: PacketReference) -> Bool {
    guard facts.outcome == .incomplete || facts.outcome == .reset else { return false }
    if let closing, isClient(closing.direction) != true || closing.frame < reference.frame { return false }
    note(.icmpUnreachable)
    evidence.frames[.outcome].insert(reference.frame)
    return true
  }

  /// Takes the endpoint that closed for the one that refused, if an alert of it, of whatever level, had given a reason.
  mutating func concludeRefusal() {
    guard let closing, !closing.isByReset, let isClient = isClient(closing.direction) else { return }
    let alerts = isClient ? facts.clientAlerts : facts.serverAlerts
    guard let last = alerts.last(where: { $0.frame <= closing.frame }),
      !Handshake.mereWarnings.contains(last.description.rawValue)
    else { return }
    conclude(isClient ? .refusedByClient : .refusedByServer, last.frame)
    self.closing?.isAnsweredByAlert = false
  }

  /// Whether more of the server's flight may arrive after one endpoint reset the connection, and would show more.
  package func awaitsServer(afterResetFrom direction: Direction) -> Bool {
    guard clientDirection == direction, facts.offer != nil, !isOver, !server.flight.isEndSeen else {
      return false
    }
    switch negotiation {
    case .awaitingServerHello, .tls12: return true
    case .helloRetryRequest: return false
    case .tls13: return opening != nil && !server.isFinishedRead
    }
  }
}
