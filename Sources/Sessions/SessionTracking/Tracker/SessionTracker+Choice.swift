import BasicContainers
import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import Values

extension SessionTracker {
  /// The connection that a segment belongs to.
  enum Choice {
    case known(Int)
    /// A connection between the same endpoints that is not watched yet; it may have the same sequence numbers as one that is.
    case another(sharingNumbersWith: Int?)
    /// No watched connection, or it is undecidable which one.
    case none
  }

  /// Chooses the connection of a segment that does not clearly belong to the one with its addresses and ports.
  mutating func choose(_ lookup: ConnectionTable.Lookup, at known: Int, _ head: SegmentHead, _ packet: Packet) -> Choice {
    let payload = packet.payload
    let isHello = payload.count > 5 && payload[0] == 22 && payload[5] == 1 && StreamBeginning.kind(of: payload) == .hello
    let candidates = connections[known].isContested ? table.indices(of: table.key(at: known), hash: lookup.hash) : [known]
    var best: (index: Int, score: Int)?
    var isTie = false
    for index in candidates {
      guard case .possible(let score) = connections[index].fit(head, isHello: isHello) else { continue }
      if let best, best.score >= score {
        if best.score == score { isTie = true }
        continue
      }
      best = (index, score)
      isTie = false
    }
    // Two networks may also use the same sequence numbers; then the content and the tunnel decide.
    if let found = best?.index, !connections[found].isOnSamePath(head), mayBegin(payload) {
      let location = connections[found].streams.reading(head.direction) { $0.recentBytes }
      if recentBytes.disagreements(of: payload, at: head.firstByte, with: location) > 0 { return .another(sharingNumbersWith: found) }
    }
    if let best, !isTie {
      connections[best.index].notePath(head)
      return .known(best.index)
    }
    if best == nil, head.flags.contains(.syn) || mayBegin(payload) { return .another(sharingNumbersWith: nil) }
    // Later segments of a connection whose handshake was read are irrelevant.
    if isTie
      || recent.mark(of: lookup.hash) == nil && !candidates.contains(where: { connections[$0].hasUnknownGreeting })
    {
      health.unassignedSegments += 1
    }
    return .none
  }

  /// Whether a conversation may begin with a segment, or the bytes are too few to decide.
  private func mayBegin(_ payload: Span<UInt8>) -> Bool {
    ![.foreign, .alert].contains(StreamBeginning.kind(of: payload))
  }

  /// The maximum number of watched connections between the same endpoints, since each packet is compared with all of them.
  private static let maximumSameEndpointCount = 8

  /// Watches another connection between the same endpoints.
  mutating func openAnother(_ key: ConnectionKey, _ hash: UInt64, sharingNumbersWith twin: Int?, _ head: SegmentHead, _ packet: Packet) {
    makeRoom(for: key, hash)
    guard let index = open(key, hash, head, packet) else { return }
    // The responses of both begin with the same sequence number, so their tunnels have to distinguish them.
    if let twin, connections[twin].isInUse, twin != index, connections[twin].isUnread(head.direction.opposite) {
      let path = connections[twin].paths[head.direction]
      connections[twin].expectReplies(to: head.direction, in: path)
      connections[index].streams[head.direction.opposite] =
        connections[twin].streams.reading(head.direction.opposite) { $0.sharingStart() }
      connections[index].expectReplies(to: head.direction, in: head.path)
    }
    health.connectionsWithSameEndpoints += 1
    for other in table.indices(of: key, hash: hash) { connections[other].isContested = true }
    advance(index, head, packet)
  }

  /// Closes a connection if too many have the same endpoints: preferably one without data, and the one that has been idle longest.
  private mutating func makeRoom(for key: ConnectionKey, _ hash: UInt64) {
    let others = table.indices(of: key, hash: hash)
    guard others.count >= SessionTracker.maximumSameEndpointCount else { return }
    let silent = others.filter { connections[$0].conversation == nil }
    let candidates = silent.isEmpty ? others : silent
    guard let oldest = candidates.min(by: { connections[$0].lastSeen < connections[$1].lastSeen }) else { return }
    if silent.isEmpty { health.evictedConnections += 1 }
    close(oldest, silent.isEmpty ? .limit : .superseded)
  }
}
