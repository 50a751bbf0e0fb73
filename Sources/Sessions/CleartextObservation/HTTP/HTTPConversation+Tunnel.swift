package import ByteParsing
package import SessionModel
import Values

/// Tunnels through a proxy, and other protocols that follow HTTP on a connection.
extension HTTPConversation {
  /// Where the tunnel leads that the connection has become; nil for none.
  var tunnel: ConnectTarget? {
    if case .tunnel(let target, _) = state { target } else { nil }
  }

  /// The host and port of that target: what follows is not HTTP.
  package var tunnelTarget: String? { tunnel?.text }

  /// The host of that target, without its port.
  var tunnelHost: String? { tunnel?.host }

  /// Whether the CONNECT was taken for answered without its answer.
  var tookTunnelForOpened: Bool {
    if case .tunnel(_, isAnswered: false) = state { true } else { false }
  }

  /// Whether the connection changes to TLS by the consent of both (RFC 2817 §3).
  package var isUpgradedToTLS: Bool { if case .upgradedToTLS = state { true } else { false } }

  /// Whether the connection has become that of another protocol.
  package var isUpgraded: Bool { if case .upgraded = state { true } else { false } }

  /// Whether what follows is for another reader: a tunnel, or TLS.
  var leadsToAnotherProtocol: Bool { tunnel != nil || isUpgradedToTLS }

  /// Whether the last request was a CONNECT that has not been answered.
  package var awaitsTunnel: Bool { tunnel == nil && pending.last?.target != nil }

  /// Keeps what the client says behind a CONNECT that has not been answered, and tells what all of that is.
  package func keepAhead(_ piece: Span<UInt8>, at moment: PacketReference) -> AheadOfAnswer.Kind {
    let (kind, forgotten) = ahead.add(piece, at: moment)
    requests.account?.add(.content(forgotten))
    return kind
  }

  /// Gives out what the client said ahead of the answer; nothing if not all of it was kept.
  package func takeAhead() -> [(bytes: Bytes, moment: PacketReference)] { ahead.takeParts() }

  /// Takes a CONNECT that has not been answered for one that was refused: the client asks the proxy for something else.
  package func takeTunnelForRefused() {
    guard pending.takeLast()?.target != nil else { return }
    pending.loseResponses()
    // What was kept begins with the request that told.
    ahead.mayBeginWithRest = false
    goOn()
  }

  /// Goes on with what the client said ahead of an answer that refused the tunnel.
  private func goOn() {
    let (parts, missing) = ahead.takeAll()
    refed += parts.reversed()
    requests.goOn()
    if ahead.mayBeginWithRest { requests.lose() }
    ahead.mayBeginWithRest = false
    if missing > 0, !requests.skip(missing: missing) { pending.loseRequests() }
  }

  /// Gives out the next part of what the client said to the proxy ahead of its answer.
  package func nextRefed() -> (bytes: Bytes, moment: PacketReference)? { refed.popLast() }

  /// Gives out what the server said behind an early answer that opened the tunnel.
  package func takeBehind() -> [(bytes: Bytes, moment: PacketReference)] {
    defer { behind = [] }
    return behind
  }

  /// Takes a CONNECT that has not been answered for one that has been, with success.
  package func takeTunnelForOpened() {
    guard let target = pending.takeLast()?.target else { return }
    state = .tunnel(target, isAnswered: false)
  }

  func receiveConnectAnswer(_ status: UInt16, _ target: ConnectTarget) {
    guard (200..<300).contains(status) else {
      // The proxy refused; the client may ask again on the same connection.
      goOn()
      return
    }
    var target = target
    target.request.status = Int(status)
    state = .tunnel(target, isAnswered: true)
  }

}
