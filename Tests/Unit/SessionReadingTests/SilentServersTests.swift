import SessionRecords
import Testing
import Values

@testable import SessionReading

@Suite struct SilentServersTests {
  /// What a capture says whose servers have these addresses; the first of them had the most connections.
  static func counts(_ addresses: Range<UInt32>) -> [Endpoint: UInt64] {
    var counts: [Endpoint: UInt64] = [:]
    for address in addresses {
      counts[Endpoint(address: IPAddress(v4: address), port: 443)] = UInt64(addresses.upperBound - address)
    }
    return counts
  }

  @Test func `of too many servers those with the most connections are counted, in each run the same`() {
    var servers = SilentServers()
    servers.add(Self.counts(0..<3000), elsewhere: 0)
    servers.add(Self.counts(10_000..<13_000), elsewhere: 0)
    // 4096 in all: of the second capture 1096, which its order in memory has no say in.
    let counted = Set(servers.records.map(\.server.address))
    let expected = Array(0..<3000 as Range<UInt32>) + Array(10_000..<11_096)
    #expect(counted == Set(expected.map { IPAddress(v4: $0) }))
    let rest = (1...1904 as ClosedRange<UInt64>).reduce(0, +)
    #expect(servers.elsewhere == rest)
  }
}
