import ByteParsing
import SeededRandom
import Testing

@Suite struct AssemblerTests {
  @Test func `the first copy of each byte is kept when pieces overlap, in any order`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      var assembler = Assembler<Int>()
      var known = [UInt8?](repeating: nil, count: 80)
      var (disagreements, expected) = (0, 0)
      for origin in 0..<random.below(20) {
        let start = random.below(70)
        let bytes = Bytes((0..<random.below(80 - start)).map { _ in UInt8(random.below(3)) })
        for (offset, byte) in bytes.enumerated() {
          if let first = known[start + offset], first != byte { expected += 1 }
          known[start + offset] = known[start + offset] ?? byte
        }
        for conflict in assembler.insert(bytes.span, length: bytes.count, at: start, from: origin) {
          #expect(conflict.origin < origin)
          disagreements += conflict.disagreeingBytes
        }
      }
      #expect(disagreements == expected)
      #expect(assembler.length == known.count { $0 != nil })
      #expect(zip(assembler.pieces, assembler.pieces.dropFirst()).allSatisfy { $0.end <= $1.start })
      for piece in assembler.pieces {
        #expect(piece.bytes.elementsEqual(known[piece.start..<piece.end].compactMap(\.self)))
      }
      #expect(Array(assembler.contiguous) == known.prefix { $0 != nil }.compactMap(\.self))
    }
  }

  @Test func `replacing bytes in the middle of a piece splits it`() {
    var assembler = Assembler<Int>()
    _ = assembler.insert([1, 2, 3, 4, 5, 6], at: 10, from: 1)
    let conflicts = assembler.insert([9, 4], at: 12, from: 2)
    #expect(conflicts.map(\.range) == [12..<14])
    assembler.replace(12..<14, by: Bytes([9, 4]).span, at: 12, from: 2)
    #expect(assembler.pieces.map(\.origin) == [1, 2, 1])
    #expect(assembler.pieces.flatMap(\.bytes) == [1, 2, 9, 4, 5, 6])
    #expect(assembler.length == 6)
    var empty = Assembler<Int>()
    _ = empty.insert([1], at: 0, from: 1)
    _ = empty.removeFirst()
    #expect(empty.cost == 0)
    #expect(empty.length == 0)
  }

  @Test func `bytes missing from a truncated piece leave a gap that later pieces do not fill`() {
    var assembler = Assembler<Int>()
    _ = assembler.insert(Bytes([1, 2]).span, length: 4, at: 0, from: 1)
    _ = assembler.insert([7, 7], at: 4, from: 2)
    #expect(assembler.insert([1, 2, 3, 4], at: 0, from: 3).isEmpty)
    #expect(assembler.contiguous == [1, 2])
    #expect(assembler.length == 6)
  }

  @Test func `adjacent pieces with the same origin are joined, and the number of pieces is limited`() {
    var assembler = Assembler<Int>(maximumPieces: 2)
    for offset in 0..<5 { _ = assembler.insert([0], at: offset, from: 1) }
    #expect(assembler.pieces.count == 1)
    _ = assembler.insert([0], at: 7, from: 1)
    #expect(!assembler.hitLimit)
    _ = assembler.insert([0], at: 9, from: 2)
    #expect(assembler.hitLimit)
    #expect(assembler.pieces(in: 4..<8).map(\.start) == [0, 7])
  }
}

extension Assembler<Int> {
  fileprivate mutating func insert(_ bytes: Bytes, at start: Int, from origin: Int) -> [Conflict] {
    insert(bytes.span, length: bytes.count, at: start, from: origin)
  }
}
