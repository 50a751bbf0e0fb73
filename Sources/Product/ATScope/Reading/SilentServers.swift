import SessionModel
import SessionRecords
import Values

/// Connections that showed no handshake, by server, over all inputs.
struct SilentServers {
  private var counts: [Endpoint: UInt64] = [:]

  /// Connections of servers that are not counted one by one.
  private(set) var elsewhere: UInt64 = 0

  /// Servers that are listed.
  private static let maximumCount = 4096

  mutating func add(_ health: ObservationHealth) {
    elsewhere &+= health.withoutHandshakeElsewhere
    // In one order, since not all may be counted.
    for (server, count) in SilentServers.sorted(health.withoutHandshake) {
      if counts.count < SilentServers.maximumCount || counts[server] != nil {
        counts[server, default: 0] += count
      } else {
        elsewhere &+= count
      }
    }
  }

  /// The servers, those with the most connections first.
  var records: [SummaryRecord.SilentServer] {
    SilentServers.sorted(counts).map { SummaryRecord.SilentServer(server: $0.key, connections: $0.value) }
  }

  /// Servers with their counts, the greatest first.
  private static func sorted(_ counts: [Endpoint: UInt64]) -> [(key: Endpoint, value: UInt64)] {
    counts.sorted { a, b in
      if a.value != b.value { return a.value > b.value }
      let (left, right) = (a.key, b.key)
      return (left.address.high, left.address.low, left.port)
        < (right.address.high, right.address.low, right.port)
    }
  }
}
