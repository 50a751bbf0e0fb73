package import ByteParsing
package import SessionModel
import Values

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
  var assumedTunnelOpened: Bool {
    if case .tunnel(_, isAnswered: false) = state { true } else { false }
  }

  /// Whether both endpoints agreed to upgrade to TLS (RFC 2817 §3).
  package var isUpgradedToTLS: Bool { if case .upgradedToTLS = state { true } else { false } }

  /// Whether the connection was upgraded to another protocol.
  package var isUpgraded: Bool { if case .upgraded = state { true } else { false } }

  /// Whether another reader continues: with a tunnel, or with TLS.
  var leadsToAnotherProtocol: Bool { tunnel != nil || isUpgradedToTLS }

  /// Whether the last request is a CONNECT without a response so far.
  package var awaitsTunnel: Bool { tunnel == nil && pending.last?.target != nil }

  /// Keeps what the client sends after a CONNECT without a response, and returns what all of it is.
  package func keepEarlyTunnelBytes(_ piece: Span<UInt8>, at reference: PacketReference) -> EarlyTunnelBytes.Kind {
    let (kind, forgotten) = earlyTunnelBytes.add(piece, at: reference)
    requests.account?.add(.content(forgotten))
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
    if missing > 0, !requests.skip(missing: missing) { pending.loseRequests() }
  }

  /// Returns the next part of what the client sent to the proxy before its response.
  package func nextReplayed() -> (bytes: Bytes, reference: PacketReference)? { replayed.popLast() }

  /// Returns what the server sent after a response that arrived early and opened the tunnel.
  package func takeFollowing() -> [(bytes: Bytes, reference: PacketReference)] {
    defer { following = [] }
    return following
  }

  /// Treats a CONNECT without a response as accepted.
  package func assumeTunnelOpened() {
    guard let target = pending.takeLast()?.target else { return }
    state = .tunnel(target, isAnswered: false)
  }

  func receiveConnectAnswer(_ status: UInt16, _ target: ConnectTarget) {
    guard (200..<300).contains(status) else {
      // The proxy refused; the client may send another CONNECT on the same connection.
      resume()
      return
    }
    state = .tunnel(target, isAnswered: true)
  }
}
