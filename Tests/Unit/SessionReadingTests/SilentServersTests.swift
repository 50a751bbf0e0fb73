import SessionRecords
import Testing
import Values

@testable import SessionReading

@Suite struct SilentServersTests {
  /// The connection counts of servers with these addresses, the highest count first.
  static func counts(_ addresses: Range<UInt32>) -> [Endpoint: UInt64] {
    var counts: [Endpoint: UInt64] = [:]
    for address in addresses {
      counts[Endpoint(address: IPAddress(v4: address), port: 443)] = UInt64(addresses.upperBound - address)
    }
    return counts
  }

  @Test func `with too many servers, every run keeps those with the most connections`() {
    var servers = SilentServers()
    servers.add(Self.counts(0..<3000), elsewhere: 0)
    servers.add(Self.counts(10_000..<13_000), elsewhere: 0)
    // 4096 in all, so 1096 of the second capture, whatever their order in memory.
    let counted = Set(servers.records.map(\.server.address))
    let expected = Array(0..<3000 as Range<UInt32>) + Array(10_000..<11_096)
    #expect(counted == Set(expected.map { IPAddress(v4: $0) }))
    let rest = (1...1904 as ClosedRange<UInt64>).reduce(0, +)
    #expect(servers.elsewhere == rest)
  }
}
