package import SessionRecords
import Values

/// The connections without a handshake by server, over all inputs.
package struct SilentServers {
  private var counts: [Endpoint: UInt64] = [:]

  /// The number of connections to servers that are not listed.
  package private(set) var elsewhere: UInt64 = 0

  /// The maximum number of servers listed.
  private static let maximumCount = 4096

  mutating func add(_ servers: [Endpoint: UInt64], elsewhere others: UInt64) {
    elsewhere = elsewhere.clampedSum(others)
    // Sorted, because the table may become full: the result must not depend on the order of a dictionary.
    for (server, count) in SilentServers.sorted(servers) {
      if counts.count < SilentServers.maximumCount || counts[server] != nil {
        counts[server] = count.clampedSum(counts[server] ?? 0)
      } else {
        elsewhere = elsewhere.clampedSum(count)
      }
    }
  }

  /// The servers, those with the most connections first.
  package var records: [SummaryRecord.SilentServer] {
    SilentServers.sorted(counts).map { SummaryRecord.SilentServer(server: $0.key, connections: $0.value) }
  }

  /// Returns servers with their counts, the highest first.
  private static func sorted(_ counts: [Endpoint: UInt64]) -> [(key: Endpoint, value: UInt64)] {
    counts.sorted { a, b in
      if a.value != b.value { return a.value > b.value }
      let (left, right) = (a.key, b.key)
      return (left.address.high, left.address.low, left.port) < (right.address.high, right.address.low, right.port)
    }
  }
}
