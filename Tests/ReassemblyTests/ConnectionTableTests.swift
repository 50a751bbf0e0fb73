import PacketParsing
import Reassembly
import SeededRandom
import Testing
import Values

@Suite struct ConnectionTableTests {
  static func key(_ number: Int) -> ConnectionKey {
    ConnectionKey(
      Endpoint(address: IPAddress(v4: UInt32(number / 1000)), port: UInt16(number % 1000)),
      Endpoint(address: IPAddress(v6: 1, UInt64(number)), port: 443))
  }

  @Test(arguments: [0, 1, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
  func `it finds what was put in and not what was taken out`(seed: UInt64) {
    var table = ConnectionTable(seed: seed)
    var indices: [Int: Int] = [:]
    var random = SeededGenerator(seed: seed &+ 12_345)
    for _ in 0..<60_000 {
      let number = random.below(5000)
      let key = Self.key(number)
      let hash = table.hash(of: key)
      let found = table.index(of: key, hash: hash)
      #expect(found == indices[number])
      if let found {
        table.remove(at: found)
        indices[number] = nil
      } else {
        indices[number] = table.insert(key, hash: hash)
      }
    }
    #expect(table.count == indices.count)
    #expect(Set(indices.values).count == indices.count)
    for (number, index) in indices {
      #expect(table.index(of: Self.key(number), hash: table.hash(of: Self.key(number))) == index)
      #expect(table.key(at: index) == Self.key(number))
    }
  }

  @Test func `both directions have one key`() {
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
    #expect(there.isFromLower != back.isFromLower)
  }

  @Test func `recent connections keep their mark until their set is full`() {
    var recent = RecentConnections()
    recent.remember(0xABCD_0000_1234_5678, mark: 3)
    #expect(recent.mark(of: 0xABCD_0000_1234_5678) == 3)
    #expect(recent.mark(of: 0xABCE_0000_1234_5678) == nil)
    recent.remember(0xABCD_0000_1234_5678, mark: 9)
    #expect(recent.mark(of: 0xABCD_0000_1234_5678) == 9)
    for number in 1...4 as ClosedRange<UInt64> {
      recent.remember(0xABCD_0000_1234_5678 ^ number << 48, mark: 1)
    }
    #expect(recent.mark(of: 0xABCD_0000_1234_5678) == nil)
  }

  @Test func `recent connections are the same as if all sets were there from the start`() {
    var recent = RecentConnections()
    // By set, the newest first.
    var model: [UInt64: [(hash: UInt64, mark: UInt16)]] = [:]
    var random = SeededGenerator(seed: 9)
    var differences = 0
    for round in 0..<60_000 as Range<UInt64> {
      let state = random.next()
      // Some sets are asked for more than others, and some connections again.
      let crowded = (state >> 40) & 0x3 == 0 ? state & ~(0x3F80 << 24) : state
      let hash = ((crowded ^ crowded << 29) >> 16) << 16
      let set = hash >> 24 & 0x3FFF
      let known = model[set, default: []].first { $0.hash == hash }?.mark
      if recent.mark(of: hash) != known { differences += 1 }
      let again = round & 7 == 0 ? model[set, default: []].last?.hash ?? hash : hash
      let mark = UInt16(round & 0xFF) + 1
      recent.remember(again, mark: mark)
      model[set, default: []].removeAll { $0.hash == again }
      model[set, default: []].insert((again, mark), at: 0)
      if model[set, default: []].count > 4 { model[set, default: []].removeLast() }
    }
    for remembered in model.values.joined() where recent.mark(of: remembered.hash) != remembered.mark {
      differences += 1
    }
    #expect(differences == 0)
  }
}
