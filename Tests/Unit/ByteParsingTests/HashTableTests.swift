import ByteParsing
import SeededRandom
import Testing

@Suite struct HashTableTests {
  @Test func `a hash table contains the same values as a dictionary`() {
    var random = SeededGenerator(seed: 5)
    var table = HashTable()
    var expected: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      // Few hashes, some of which map to the same slot.
      let hash = UInt64(random.below(600)) << 15 | 1
      let value = random.below(3) == 0 ? nil : step
      table[hash] = value
      expected[hash] = value
    }
    #expect(table.count == expected.count)
    for number in 0..<600 as Range<UInt64> {
      let hash = number << 15 | 1
      #expect(table[hash] == expected[hash])
      #expect(table.isAbsent(hash) == (expected[hash] == nil))
    }
  }

  @Test func `values with the same hash are found in the order of insertion`() {
    var table = HashTable()
    for value in 0..<500 { table.insert(value, for: UInt64(value % 5)) }
    table.remove(7, for: 2)
    var found: [Int] = []
    _ = table.first(of: 2) { value in
      found.append(value)
      return false
    }
    #expect(found == (0..<500).filter { ($0 % 5 | 1) == 3 && $0 != 7 })
    #expect(table.first(of: 2) { $0 > 400 } == 402)
  }

  @Test func `a recent table keeps the values inserted or renewed last`() {
    var table = RecentTable<[Int: String]>(entriesPerGeneration: 10)
    for number in 0..<100 {
      table.insert("\(number)", for: number)
      if number >= 3 { #expect(table.renewed(3) == "3") }
    }
    #expect((91..<100).allSatisfy { table[$0] == "\($0)" })
    #expect(table[50] == nil)
    #expect(table.evicted > 70)
    var other = RecentTable<[Int: String]>(entriesPerGeneration: 10)
    other.insert(contentsOf: table)
    #expect((91..<100).allSatisfy { other[$0] == "\($0)" })
  }

  @Test func `a recent table does not keep a value that would evict all others`() {
    var table = RecentTable<[Int: Int]>(entriesPerGeneration: 100, costPerGeneration: 100)
    for number in 0..<40 {
      #expect(table.value(for: number, cost: { $0 }, make: { number == 7 ? 90 : 10 }) > 0)
    }
    #expect(table[7] == nil)
    #expect((30..<40).allSatisfy { table[$0] == 10 })
    #expect(table[5] == nil)
  }

  @Test func `keys with the same bytes are equal`() {
    #expect(ByteKey([1, 2, 3]) == ByteKey(copying: Bytes([1, 2, 3]).span))
    #expect(Set([[], [0], [0, 0], [0]].map { ByteKey($0) }).count == 3)
  }
}
