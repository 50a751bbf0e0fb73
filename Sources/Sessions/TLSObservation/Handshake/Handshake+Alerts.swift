package import SessionModel
import TLSParsing
package import Values

/// Alerts, closing of the connection, and other ways in which a handshake ends early.
extension Handshake {
  /// The maximum number of alerts kept for one side.
  static let maximumAlertCount = 32

  /// Alerts that implementations send when the peer closes the connection early: close_notify, unexpected_message, handshake_failure,
  /// decode_error, internal_error. Other alerts refer to an earlier message.
  private static let responsesToClose: [UInt8] = [0, 10, 40, 50, 80]

  /// Alerts after which a handshake continues: no_certificate (SSL 3), user_canceled, no_renegotiation, unrecognized_name.
  private static let mereWarnings: [UInt8] = [41, 90, 100, 112]

  mutating func receiveAlert(_ alert: ObservedAlert, _ direction: Direction) {
    if case .unknown = clientEndpoint {
      // Before any hello only a server has a reason to send an alert; the client's hello was not captured.
      clientEndpoint = .inferred(opener ?? direction.opposite)
    }
    let isClient = clientDirection == direction
    if isClient, facts.clientAlerts.count < Handshake.maximumAlertCount { facts.clientAlerts.append(alert) }
    if !isClient, facts.serverAlerts.count < Handshake.maximumAlertCount { facts.serverAlerts.append(alert) }
    guard facts.outcome == .incomplete, endsHandshake(alert) else { return }
    if isAfterClose(direction, alert.frame), Handshake.responsesToClose.contains(alert.code.rawValue) {
      if closing?.isByReset == false { closing?.isAnsweredByAlert = true }
      return
    }
    if !isClient, decryptor != nil, server.isFinishedRead {
      // It may follow the client's Finished, which the server then refuses after the handshake: the two may be captured in either order.
      if refusalAfterFinished == nil { refusalAfterFinished = alert.frame }
      return
    }
    conclude(isClient ? .refusedByClient : .refusedByServer, alert.frame)
  }

  /// Whether an alert ends the handshake: any fatal one; `close_notify`, after which its sender sends nothing more (RFC 5246 §7.2.1); and
  /// in TLS 1.3 any except a few warnings (RFC 8446 §6).
  private func endsHandshake(_ alert: ObservedAlert) -> Bool {
    if alert.level == 2 || alert.code == .closeNotify { return true }
    return negotiation.isTLS13 && ![90, 100, 112].contains(alert.code.rawValue)
  }

  /// Records which endpoint the client is.
  mutating func setClient(_ direction: Direction) {
    correctClient(direction)
    clientEndpoint = .known(direction)
  }

  /// Corrects which endpoint is the client, if that was only inferred from an alert.
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

  /// Records an HTTP response to the ClientHello, which servers without TLS and many portals and proxies send.
  mutating func noteHTTPResponse(_ piece: Span<UInt8>, _ direction: Direction, _ frame: UInt64) {
    guard isClient(direction) == false, !records.reading(direction, { $0.hasRecord }) else { return }
    var count = Handshake.lengthOfHTTPStart(of: piece, after: httpStart.seen)
    if count == 0 {
      httpStart.seen = 0
      count = Handshake.lengthOfHTTPStart(of: piece, after: 0)
    }
    httpStart = (httpStart.seen + count, count)
    guard count > 0, httpStart.seen == Handshake.startOfHTTPResponse.count else { return }
    note(.httpResponseToClientHello)
    evidence.frames[.outcome].insert(frame)
  }

  /// The number of bytes at the start of a piece that continue the beginning of an HTTP response, of which `seen` bytes precede the
  /// piece; 0 if the piece does not continue it.
  private static func lengthOfHTTPStart(of piece: Span<UInt8>, after seen: Int) -> Int {
    let rest = startOfHTTPResponse.dropFirst(seen)
    for (index, byte) in zip(piece.indices, rest) where piece[index] != byte { return 0 }
    return min(rest.count, piece.count)
  }

  /// Returns the number of bytes of the last piece that begin an HTTP response, once.
  package mutating func takeHTTPStart() -> Int { exchange(&httpStart.inPiece, with: 0) }

  private static let startOfHTTPResponse = Array("HTTP/1.".utf8)
}

// MARK: - Closing

extension Handshake {
  /// Records that one endpoint closes the connection, by FIN or RST, after it received `unread` bytes that have not been read.
  package mutating func close(in direction: Direction, isByReset: Bool, _ frame: UInt64, unread: Int = 0) {
    guard closing == nil || closing?.isSeen == false && closing?.direction == direction, facts.outcome == .incomplete else { return }
    closing = Closing(direction: direction, isByReset: isByReset, frame: frame, unreadByteCount: unread)
  }

  /// Records that one endpoint closed the connection some time before a packet, with a FIN that was not captured.
  package mutating func close(in direction: Direction, before frame: UInt64) {
    guard closing == nil, facts.outcome == .incomplete, frame > 0 else { return }
    closing = Closing(direction: direction, isByReset: false, frame: frame - 1, isSeen: false)
  }

  /// Forgets a FIN that was not captured, because its apparent sender has continued.
  package mutating func continueAfterUnseenClose(in direction: Direction) {
    if let closing, !closing.isSeen, closing.direction == direction { self.closing = nil }
  }

  /// Whether the other endpoint has closed the connection before this packet.
  func isAfterClose(_ direction: Direction, _ frame: UInt64) -> Bool {
    guard let closing else { return false }
    return closing.direction != direction && closing.frame < frame && closing.unreadByteCount == 0
  }

  /// Records that bytes of one direction were read or are missing, which the endpoint that closed may have received before.
  mutating func passUnread(_ count: Int, _ direction: Direction) {
    guard let closing, closing.direction != direction else { return }
    self.closing?.unreadByteCount -= min(count, closing.unreadByteCount)
  }

  /// Whether an endpoint closed the connection before the handshake was complete, and the other one responded with an alert, which gives no
  /// reason for the close.
  package var isCloseAnsweredByAlert: Bool { mutating get { closing?.isAnsweredByAlert == true } }

  /// Records which endpoint closed or reset a connection whose handshake was not complete.
  package mutating func noteClosing(withoutAlert: Bool) {
    if withoutAlert { note(.closedWithoutAlert) }
    guard let closing, let isClient = isClient(closing.direction) else { return }
    // It is not known whether the ServerHello precedes a client's FIN that was not captured.
    if isClient, !closing.isSeen, facts.sharedServerHello != nil { return }
    note(isClient ? .closedByClient : .closedByServer)
    // What the server sent before it received the FIN or RST is no reason for it.
    let last = max(evidence.frames[.serverHello].last ?? 0, evidence.frames[.certificates].last ?? 0)
    if isClient, closing.frame < last { evidence.frames[.outcome].insert(closing.frame) }
  }

  /// Records that the server is unreachable, and returns true, if that is why the handshake ended. It is not if the handshake was complete,
  /// or if an endpoint had closed the connection before. A client that closes after the report does so because of it.
  package mutating func noteUnreachable(_ reference: PacketReference) -> Bool {
    guard facts.outcome == .incomplete || facts.outcome == .reset else { return false }
    if let closing, isClient(closing.direction) != true || closing.frame < reference.frame { return false }
    note(.icmpUnreachable)
    evidence.frames[.outcome].insert(reference.frame)
    return true
  }

  /// Treats the server's alert after its Finished as a refusal, because the capture contains no Finished of the client.
  mutating func concludeRefusalAfterFinished() {
    guard facts.outcome == .incomplete, let frame = refusalAfterFinished else { return }
    conclude(.refusedByServer, frame)
    closing?.isAnsweredByAlert = false
  }

  /// Treats the endpoint that closed as the one that refused, if it had sent an alert of any level that gives a reason.
  mutating func concludeRefusal() {
    guard let closing, !closing.isByReset, let isClient = isClient(closing.direction) else { return }
    let alerts = isClient ? facts.clientAlerts : facts.serverAlerts
    guard let last = alerts.last(where: { $0.frame <= closing.frame }),
      !Handshake.mereWarnings.contains(last.code.rawValue)
    else { return }
    conclude(isClient ? .refusedByClient : .refusedByServer, last.frame)
    self.closing?.isAnsweredByAlert = false
  }

  /// Forgets a reset whose apparent sender continued the handshake.
  package mutating func continueAfterReset() {
    if closing?.isByReset == true || closing?.isSeen == false { closing = nil }
  }

  /// Whether more of the server's flight may arrive after a reset, and would show more: what was in flight when the client sent it, or the
  /// whole flight if the reset was forged.
  package func awaitsServer(afterResetFrom direction: Direction) -> Bool {
    guard let clientDirection, facts.sharedOffer != nil, !isOver, !server.flight.isEndSeen,
      direction == clientDirection || facts.outcome == .incomplete
    else { return false }
    switch negotiation {
    case .awaitingServerHello, .tls12: return true
    case .helloRetryRequest: return false
    case .tls13: return decryptor != nil && !server.isFinishedRead
    }
  }
}
