import ByteParsing
import SeededRandom
import Testing

@testable import QUICObservation

@Suite struct CryptoStreamTests {
  static let content = message(1, Bytes((0..<300).map { UInt8($0 & 0xFF) })) + message(2, [1, 2, 3])

  private func insert(_ range: Range<Int>, into stream: inout CryptoStream, frame: UInt64 = 1) {
    stream.insert(
      CryptoStreamTests.content.span.extracting(range), at: UInt64(range.lowerBound), frame: frame)
  }

  private func insert(
    _ bytes: Bytes, at offset: UInt64, into stream: inout CryptoStream, frame: UInt64 = 1
  ) {
    stream.insert(bytes.span, at: offset, frame: frame)
  }

  @Test
  func `frames in any order and with any overlap give the same messages`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      var stream = CryptoStream(maximumByteCount: 1000)
      var ranges: [Range<Int>] = []
      var start = 0
      while start < CryptoStreamTests.content.count {
        let end = min(CryptoStreamTests.content.count, start + Int.random(in: 1...60, using: &random))
        let early = max(0, start - Int.random(in: 0...40, using: &random))
        ranges.append(early..<end)
        start = end
      }
      for range in ranges.shuffled(using: &random) { insert(range, into: &stream) }
      let first = stream.next()
      let second = stream.next()
      let isWhole = stream.contiguous == CryptoStreamTests.content
      #expect(isWhole)
      #expect(first?.body.count == 300)
      #expect(second?.body == [1, 2, 3])
      #expect(stream.disagreeingBytes == 0)
      #expect(!stream.hasUnfinishedMessage)
    }
  }

  @Test
  func `a message has the frame numbers of the packets that carried its bytes`() {
    var stream = CryptoStream(maximumByteCount: 1000)
    insert(200..<304, into: &stream, frame: 9)
    insert(0..<100, into: &stream, frame: 5)
    insert(304..<311, into: &stream, frame: 11)
    #expect(stream.next() == nil)
    insert(50..<250, into: &stream, frame: 7)
    #expect(stream.next()?.frames == [5, 7, 9])
    #expect(stream.next()?.frames == [11])
  }

  @Test
  func `the first of differing copies counts, and the differing bytes are counted`() {
    var stream = CryptoStream(maximumByteCount: 1000)
    insert(0..<100, into: &stream)
    insert(150..<200, into: &stream)
    insert(Bytes(repeating: 0xFF, count: 300), at: 0, into: &stream, frame: 2)
    #expect(stream.disagreeingBytes == 150)
    let isFirst = Bytes(stream.contiguous.prefix(100)) == Bytes(CryptoStreamTests.content.prefix(100))
    #expect(isFirst)
  }

  @Test
  func `bytes beyond the limit are dropped, and the stream reports it`() {
    var stream = CryptoStream(maximumByteCount: 100)
    insert([1, 2, 3], at: 98, into: &stream)
    #expect(stream.hitLimit)
    var other = CryptoStream(maximumByteCount: 100)
    insert([1], at: .max, into: &other)
    #expect(other.hitLimit)
    #expect(other.heldBytes == 0)
  }

  @Test
  func `the memory for noncontiguous pieces is bounded`() {
    var stream = CryptoStream(maximumByteCount: 10_000)
    for index in 0..<3000 { insert([1], at: UInt64(2 * index + 1), into: &stream) }
    #expect(stream.hitLimit)
    #expect(stream.heldBytes <= 128 * 1024)
  }

  @Test
  func `an empty frame changes nothing`() {
    var stream = CryptoStream(maximumByteCount: 100)
    insert([], at: 50, into: &stream)
    #expect(stream.heldBytes == 0)
    #expect(!stream.hasUnfinishedMessage)
  }
}
