import ByteParsing
import PacketParsing
import Reassembly
import SeededRandom
import TestBytes
import Testing
import Values

@Suite struct ConnectionTableTests {
  static func key(_ number: Int) -> ConnectionKey {
    ConnectionKey(
      Endpoint(address: IPAddress(v4: UInt32(number / 1000)), port: UInt16(number % 1000)),
      Endpoint(address: IPAddress(v6: 1, UInt64(number)), port: 443))
  }

  @Test(arguments: [0, 1, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
  func `a connection is found after its insertion and not after its removal`(seed: UInt64) {
    var table = ConnectionTable(seed: seed)
    var indices: [Int: Int] = [:]
    var random = SeededGenerator(seed: seed &+ 12_345)
    for _ in 0..<60_000 {
      let number = random.below(5000)
      let key = Self.key(number)
      let found = table.lookup(from: key.lower, to: key.upper)
      #expect(found.index == indices[number])
      if let found = found.index {
        table.remove(at: found)
        indices[number] = nil
      } else {
        indices[number] = table.insert(key, hash: found.hash)
      }
    }
    #expect(table.count == indices.count)
    #expect(Set(indices.values).count == indices.count)
    for (number, index) in indices {
      #expect(table.lookup(from: Self.key(number).lower, to: Self.key(number).upper).index == index)
      #expect(table.key(at: index) == Self.key(number))
    }
  }

  @Test func `both directions of a connection have the same key`() {
    var headers = PacketHeaders()
    headers.source = IPAddress(v4: 9)
    headers.sourcePort = 5
    headers.destination = IPAddress(v4: 3)
    headers.destinationPort = 7
    let there = ConnectionKey.make(headers)
    swap(&headers.source, &headers.destination)
    swap(&headers.sourcePort, &headers.destinationPort)
    let back = ConnectionKey.make(headers)
    #expect(there.key == back.key)
    #expect(there.direction != back.direction)
  }

  @Test func `a fast-path segment has the same hash as its connection key`() throws {
    let table = ConnectionTable(seed: 0x0123_4567_89AB_CDEF)
    var random = SeededGenerator(seed: 77)
    for round in 0..<2000 {
      // Few values, so that some addresses and ports are equal.
      func end(_ length: Int) -> (address: [UInt8], port: [UInt8]) {
        ((0..<length).map { _ in UInt8(random.below(2)) }, [UInt8(random.below(2)), UInt8(random.below(2))])
      }
      let isIPv6 = round % 2 == 1
      let (source, destination) = (end(isIPv6 ? 16 : 4), end(isIPv6 ? 16 : 4))
      let ends = Bytes(source.address + destination.address)
      let segment = PacketBuilder.tcp(ports: Bytes(source.port + destination.port), flags: 0x10)
      let packet =
        isIPv6
        ? PacketBuilder.ethernet(PacketBuilder.ipv6(segment, ends: ends), type: 0x86DD)
        : PacketBuilder.ethernet(PacketBuilder.ipv4(segment, ends: ends))
      var headers = PacketHeaders()
      let kind = headers.decode(packet.span, linkType: 1)
      try #require(kind == .tcp)
      let made = ConnectionKey.make(headers)
      var hash: UInt64?
      let bytes = packet.span
      if let segment = FastPathSegment(ethernetV4: bytes) {
        hash = table.hash(of: segment)
      } else if let segment = FastPathSegment(ethernetV6: bytes) {
        hash = table.hash(of: segment)
      }
      #expect(hash == table.lookup(from: made.key.lower, to: made.key.upper).hash)
    }
  }

  @Test func `IPv6 addresses cannot be chosen to have the same hash`() {
    let table = ConnectionTable(seed: 0x0123_4567_89AB_CDEF)
    var hashes: Set<UInt64> = []
    let server = Endpoint(address: IPAddress(v6: 0xFFFF_0000_0000_0000, 1), port: 443)
    for number in 0..<4096 as Range<UInt64> {
      // The same bits in both halves of an address, or in an address and a port.
      let joined = IPAddress(v6: 0x2001_0DB8_0000_0000 ^ number, number << 48 | 7)
      let withPort = IPAddress(v6: 0x2001_0DB8_0000_0000, number << 48 ^ number << 16 ^ number)
      for client in [
        Endpoint(address: joined, port: 50_000), Endpoint(address: withPort, port: UInt16(number)),
      ] {
        hashes.insert(table.lookup(from: client, to: server).hash)
      }
    }
    #expect(hashes.count == 8192)
  }

  @Test func `connections between the same endpoints are found in insertion order`() {
    for seed in 0..<400 as Range<UInt64> {
      var table = ConnectionTable(seed: seed &* 0x9E37_79B9_7F4A_7C15)
      var inOrder = true
      var keys: [(key: ConnectionKey, indices: [Int])] = []
      for number in 0..<300 as Range<UInt32> {
        let key = ConnectionKey(
          Endpoint(address: IPAddress(v4: number), port: 443),
          Endpoint(address: IPAddress(v4: 1 << 30), port: 1))
        let hash = table.lookup(from: key.lower, to: key.upper).hash
        keys.append((key, [table.insert(key, hash: hash), table.insert(key, hash: hash)]))
      }
      for (key, indices) in keys
      where table.indices(of: key, hash: table.lookup(from: key.lower, to: key.upper).hash) != indices {
        inOrder = false
      }
      #expect(inOrder)
    }
  }

  @Test func `a recent connection keeps its latest mark`() {
    var recent = RecentConnections()
    recent.remember(0xABCD_0000_1234_5678, mark: 3)
    let first = recent.mark(of: 0xABCD_0000_1234_5678)
    #expect(first == 3)
    let another = recent.mark(of: 0xABCE_0000_1234_5678)
    #expect(another == nil)
    recent.remember(0xABCD_0000_1234_5678, mark: 9)
    let last = recent.mark(of: 0xABCD_0000_1234_5678)
    #expect(last == 9)
  }

  /// The hash of a connection under a seed.
  static func hash(_ connection: UInt64, _ seed: UInt64) -> UInt64 {
    var generator = SeededGenerator(seed: connection &* 0x9E37_79B9_7F4A_7C15 ^ seed)
    return generator.next()
  }

  @Test func `the eviction of connections does not depend on hashes and spares recent ones`() {
    var recent = RecentConnections()
    var another = RecentConnections()
    var lastTime: [UInt64: Int] = [:]
    var random = SeededGenerator(seed: 9)
    var (differences, forgotten, lost, remembered) = (0, 0, 0, 0)
    for round in 0..<400_000 {
      // New connections, and older ones that still send packets.
      let isNew = random.next() & 3 != 0
      let connection = isNew ? UInt64(round) : UInt64(round) - min(UInt64(round), random.next() % 200_000)
      let mark = recent.mark(of: Self.hash(connection, 1))
      if mark != another.mark(of: Self.hash(connection, 2)) { differences += 1 }
      if let before = lastTime[connection] {
        if mark == nil { forgotten += 1 } else { remembered += 1 }
        if mark == nil, round - before < RecentConnections.capacity { lost += 1 }
        if let mark, mark != UInt16(connection & 0xFF) + 1 { lost += 1 }
      } else if mark != nil {
        differences += 1
      }
      if mark == nil {
        recent.remember(Self.hash(connection, 1), mark: UInt16(connection & 0xFF) + 1)
        another.remember(Self.hash(connection, 2), mark: UInt16(connection & 0xFF) + 1)
      }
      lastTime[connection] = round
    }
    #expect(differences == 0)
    #expect(lost == 0)
    let counted = recent.forgotten
    #expect(counted > 65_536)
    // Some older connections are forgotten and some are remembered.
    #expect(forgotten > 1000)
    #expect(remembered > 10_000)
  }
}
