package import ByteParsing
import HTTPParsing
package import SessionModel

/// Tunnels through a proxy, and other protocols that follow HTTP on a connection.
extension HTTPConversation {
  /// The target of the tunnel that the connection has become; nil if it has not become one.
  var tunnel: ConnectTarget? {
    if case .tunnel(let target, _) = state { target } else { nil }
  }

  /// The host and port of the tunnel's target; nil while the connection is HTTP.
  package var tunnelTarget: String? { tunnel?.text }

  /// The host of the tunnel's target, without its port.
  var tunnelHost: String? { tunnel?.host }

  /// Whether the CONNECT counts as accepted although its response was not seen.
  var assumedTunnelOpened: Bool { if case .tunnel(_, .missing) = state { true } else { false } }

  /// Whether the proxy refused the CONNECT after its client had continued.
  var isTunnelRefused: Bool { if case .tunnel(_, .refused) = state { true } else { false } }

  /// Whether both endpoints agreed to upgrade to TLS (RFC 2817 §3).
  package var isUpgradedToTLS: Bool { if case .upgradedToTLS = state { true } else { false } }

  /// Whether the connection was upgraded to another protocol.
  package var isUpgraded: Bool { if case .upgraded = state { true } else { false } }

  /// Whether TLS followed requests without an upgrade, or bytes that are missing or could not be read.
  package var isUnexplainedTLS: Bool { if case .unexplainedTLS = state { true } else { false } }

  /// Whether another reader continues: with a tunnel, or with TLS.
  package var leadsToAnotherProtocol: Bool { tunnel != nil || isUpgradedToTLS || isUnexplainedTLS }

  /// Whether the last request is a CONNECT without a response so far.
  package var awaitsTunnel: Bool { tunnel == nil && pending.last?.target != nil }

  /// Keeps what the client sends after a CONNECT without a response, and returns what all of it is.
  package func keepEarlyTunnelBytes(_ piece: Span<UInt8>, at reference: PacketReference) -> EarlyTunnelBytes.Kind {
    let (kind, forgotten) = earlyTunnelBytes.add(piece, at: reference)
    account?.add(.content(forgotten), in: clientDirection)
    return kind
  }

  /// Returns what the client sent before the response; nothing if some of it was not kept.
  package func takeEarlyTunnelBytes() -> [(bytes: Bytes, reference: PacketReference)] { earlyTunnelBytes.takeParts() }

  /// Treats a CONNECT without a response as refused: the client sends the proxy another request.
  package func assumeTunnelRefused() {
    guard pending.takeLast()?.target != nil else { return }
    pending.loseResponses()
    // The kept bytes begin with that other request.
    earlyTunnelBytes.mayBeginWithRest = false
    resume()
  }

  /// Continues with what the client sent before a response that refused the tunnel.
  private func resume() {
    let (parts, missing) = earlyTunnelBytes.takeAll()
    replayed += parts.reversed()
    requests.resume()
    if earlyTunnelBytes.mayBeginWithRest { requests.lose() }
    earlyTunnelBytes.mayBeginWithRest = false
    if missing > 0 { skipRequests(missing) }
  }

  /// Returns the next part of what the client sent to the proxy before its response.
  package func nextReplayed() -> (bytes: Bytes, reference: PacketReference)? { replayed.popLast() }

  /// Removes and returns what the server sent after a response that arrived early and opened the tunnel, and the number of bytes after it
  /// that are not kept.
  package func takeFollowing() -> (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int) { following.take() }

  /// Treats a CONNECT without a response as accepted. The response may still come.
  package func assumeTunnelOpened() {
    guard let target = pending.last?.target else { return }
    state = .tunnel(target, .missing)
    awaitsReply = true
  }

  /// Reads the proxy's responses up to that to the last CONNECT, whose client has continued. Returns the offset in the piece at which the
  /// bytes of the tunnel begin; nil if it is not reached.
  package func readReply(_ piece: Span<UInt8>, at reference: PacketReference) -> Int? {
    var position = 0
    while awaitsReply, position < piece.count {
      if !responses.isWithinMessage {
        // The capture lacks the response if other bytes follow.
        guard HTTPRecognition.response(piece.extracting(position..<piece.count)) != .no else { return endReply(at: position) }
        responseStart = reference
      }
      let event = responses.next(in: piece, at: &position)
      accountForRead(event, isClient: false)
      switch event {
      case .head: receiveResponse(at: reference)
      case .longHead, .lost, .hello: return endReply(at: position)
      case nil: return nil
      }
    }
    return awaitsReply ? nil : position
  }

  private func endReply(at position: Int) -> Int {
    endReply()
    return position
  }

  /// Ends the wait for the response to a CONNECT whose client has continued.
  package func endReply() {
    guard awaitsReply else { return }
    awaitsReply = false
    _ = breakHead(isClient: false)
    _ = pending.takeLast()
    pending.loseResponses()
  }

  /// Reads a response of which it is not known what request it answers.
  func receiveUnmatched(_ head: ResponseHead) {
    guard awaitsReply, !isTunnelRefused, let tunnel else {
      responses.expect(head.bodyFraming(answering: "GET"))
      return
    }
    responses.expect(head.bodyFraming(answering: "CONNECT"))
    unansweredConnects -= 1
    let isAccepted = (200..<300).contains(head.status)
    if unansweredConnects == 0 {
      settle(tunnel, isAccepted)
    } else if isAccepted {
      state = .tunnel(tunnel, .accepted)
    }
  }

  /// Records the response to the CONNECT of a tunnel that counted as accepted. A body may follow one that refuses.
  private func settle(_ target: ConnectTarget, _ isAccepted: Bool) {
    isConnectRefused = !isAccepted
    state = .tunnel(target, isAccepted ? .accepted : .refused)
    awaitsReply = !isAccepted
  }

  func receiveConnectResponse(_ status: UInt16, _ target: ConnectTarget) {
    unansweredConnects -= 1
    let isAccepted = (200..<300).contains(status)
    if assumedTunnelOpened {
      // The response to an earlier CONNECT changes nothing.
      guard tunnel === target else { return }
      settle(target, isAccepted)
    } else if isAccepted {
      state = .tunnel(target, .accepted)
    } else {
      // The proxy refused; the client may send another CONNECT on the same connection.
      isConnectRefused = true
      resume()
    }
  }
}
