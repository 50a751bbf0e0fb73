import BasicContainers
import Reassembly
import SessionModel
import Values

/// Limits on the memory of open connections, and counts of those that are not watched.
extension SessionTracker {
  /// Reserves memory for as many connections as a capture of very many hosts has open at once. A growing array is copied, and both copies
  /// take memory meanwhile; reserved memory takes none until it is written.
  @inline(never)
  mutating func reserve() {
    connections.reserveCapacity(SessionTracker.reservedConnections)
    conversations.reserve(SessionTracker.reservedConnections)
  }

  private static let reservedConnections = 65_536

  /// The endpoint with the smaller port, which is usually the server.
  func serverOf(_ key: ConnectionKey) -> Endpoint {
    key.lower.port <= key.upper.port ? key.lower : key.upper
  }

  mutating func countWithoutHandshake(_ server: Endpoint) {
    if health.withoutHandshake.count < limits.serversWithoutHandshake || health.withoutHandshake[server] != nil {
      health.withoutHandshake[server, default: 0] += 1
    } else {
      health.withoutHandshakeElsewhere += 1
    }
  }

  /// Undoes the count of a connection without a handshake, because it now has one.
  mutating func uncountWithoutHandshake(_ server: Endpoint) {
    if let count = health.withoutHandshake[server] {
      health.withoutHandshake[server] = count > 1 ? count - 1 : nil
    } else if health.withoutHandshakeElsewhere > 0 {
      health.withoutHandshakeElsewhere -= 1
    }
  }

  /// Evicts connections until the open ones are within the limit: of the next few, the one that takes the most memory.
  @inline(never)
  mutating func relieve() {
    while openBytes > limits.openBytes {
      var heaviest: (index: Int, weight: Int)?
      for _ in 0..<min(connections.count, 64) {
        sweepPosition = sweepPosition + 1 < connections.count ? sweepPosition + 1 : 0
        guard connections[sweepPosition].isInUse, let slot = connections[sweepPosition].conversation else { continue }
        let weight = conversations.slots[slot].weight
        if weight > heaviest?.weight ?? 0 { heaviest = (sweepPosition, weight) }
      }
      guard let heaviest else { return }
      health.evictedConnections += 1
      close(heaviest.index, .limit)
    }
  }

  /// Closes idle connections, and evicts another one if the table is full.
  mutating func makeRoom(_ now: Int64) {
    if !fragmentTurns.isEmpty { forgetLost(before: now) }
    var longest: (index: Int, lastSeen: Int64)?
    for _ in 0..<min(connections.count, table.count >= limits.openConnections ? 16 : 2) {
      sweepPosition = sweepPosition + 1 < connections.count ? sweepPosition + 1 : 0
      guard connections[sweepPosition].isInUse else { continue }
      let lastSeen = connections[sweepPosition].lastSeen
      let isReset = connections[sweepPosition].doubtfulReset?.isAccepted == true
      if limits.isIdle(since: lastSeen, at: now, afterReset: isReset) {
        close(sweepPosition, .stillOpen)
      } else if lastSeen < longest?.lastSeen ?? .max {
        longest = (sweepPosition, lastSeen)
      }
    }
    if table.count >= limits.openConnections, let longest {
      // After the greeting of an unknown protocol, probably nothing is lost.
      if !connections[longest.index].hasUnknownGreeting { health.evictedConnections += 1 }
      close(longest.index, .limit)
    }
  }
}
