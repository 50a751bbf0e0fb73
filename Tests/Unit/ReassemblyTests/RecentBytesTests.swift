import ByteParsing
import Reassembly
import Testing

@Suite struct RecentBytesTests {
  static let message = Bytes((0..<2000).map { (index: Int) in UInt8(truncatingIfNeeded: index &* 7) })

  /// Remembers the message in pieces of `length` bytes, beginning at sequence number `start`.
  static func remembered(
    _ recent: inout RecentBytes, from start: UInt32 = 1, inPiecesOf length: Int
  ) -> RecentBytes.Location {
    var location: RecentBytes.Location = 0
    for first in stride(from: 0, to: message.count, by: length) {
      let piece = Bytes(message[first..<min(first + length, message.count)])
      location = recent.remember(piece.span, at: SequenceNumber(start &+ UInt32(first)), after: location)
    }
    return location
  }

  @Test(arguments: [1, 7, 100, 1448], [1, 0xFFFF_FF00] as [UInt32])
  func `an unchanged retransmission agrees, however it is divided`(length: Int, start: UInt32) {
    var recent = RecentBytes()
    let location = Self.remembered(&recent, from: start, inPiecesOf: length)
    for (first, count) in [(0, 200), (5, 90), (1999, 1), (150, 250)] {
      let again = Bytes(Self.message[first..<(first + count)])
      let number = SequenceNumber(start &+ UInt32(first))
      let different = recent.disagreements(of: again.span, at: number, with: location)
      #expect(different == 0)
    }
  }

  @Test func `differing bytes are counted one by one, if the originals are remembered`() {
    var recent = RecentBytes()
    let location = Self.remembered(&recent, inPiecesOf: 1448)
    var again = Bytes(Self.message[1400..<2000])
    for index in [0, 47, 48, 599] { again[index] ^= 1 }
    let different = recent.disagreements(of: again.span, at: SequenceNumber(1401), with: location)
    #expect(different == 4)
    // Bytes after the remembered ones are not compared.
    let behind = recent.disagreements(of: again.span, at: SequenceNumber(2001), with: location)
    #expect(behind == 0)
    let ofNone = recent.disagreements(of: again.span, at: SequenceNumber(1401), with: 0)
    #expect(ofNone == 0)
  }

  @Test func `bytes that filled a gap later are compared, too`() {
    var recent = RecentBytes()
    var location: RecentBytes.Location = 0
    for index in [Int](0..<1000) + [Int](1500..<2000) {
      let piece = Bytes(repeating: Self.message[index], count: 1)
      location = recent.remember(piece.span, at: SequenceNumber(UInt32(index)), after: location)
    }
    for first in stride(from: 1000, to: 1500, by: 10) {
      let piece = Bytes(Self.message[first..<(first + 10)])
      location = recent.insert(piece.span, at: SequenceNumber(UInt32(first)), after: location, from: RecentBytes.Origin())
    }
    for range in [0..<2000, 0..<1, 70..<80, 995..<1005, 1000..<1500, 1234..<1236, 1499..<1501, 1999..<2000] {
      let wrong = Bytes(Self.message[range].map { ~$0 })
      let different = recent.disagreements(of: wrong.span, at: SequenceNumber(UInt32(range.lowerBound)), with: location)
      #expect(different == range.count)
    }
    let isWhole = recent.isWhole(at: location)
    #expect(isWhole)
  }

  @Test func `a retransmission does not take longer the more pieces its direction has`() throws {
    var recent = RecentBytes()
    var locations: [RecentBytes.Location] = [0]
    for (index, byte) in Self.message.enumerated() {
      let piece = Bytes(repeating: byte, count: 1)
      locations.append(recent.remember(piece.span, at: SequenceNumber(UInt32(index)), after: locations[index]))
    }
    // The least time to compare the first byte, by the number of pieces.
    var times: [Int: Duration] = [:]
    let wrong = Bytes(repeating: ~Self.message[0], count: 1)
    for count in [100, 2000, 100, 2000, 100, 2000] {
      let start = ContinuousClock.now
      var different = 0
      for _ in 0..<200 { different += recent.disagreements(of: wrong.span, at: SequenceNumber(0), with: locations[count]) }
      times[count] = min(ContinuousClock.now - start, times[count] ?? .seconds(100))
      #expect(different == 200)
    }
    let (few, many) = try (#require(times[100]), #require(times[2000]))
    #expect(many < few * 6)
  }

  @Test func `bytes are compared only within their connection`() {
    var recent = RecentBytes()
    let ones = Bytes(repeating: 1, count: 10)
    let twos = Bytes(repeating: 2, count: 10)
    let first = recent.remember(ones.span, at: SequenceNumber(1), after: 0)
    let second = recent.remember(twos.span, at: SequenceNumber(1), after: 0)
    let agrees = recent.disagreements(of: ones.span, at: SequenceNumber(1), with: first)
    let differs = recent.disagreements(of: ones.span, at: SequenceNumber(1), with: second)
    #expect(agrees == 0)
    #expect(differs == 10)
  }

  @Test func `evicted bytes are not compared`() {
    var recent = RecentBytes()
    let old = Self.remembered(&recent, inPiecesOf: 1448)
    var location: RecentBytes.Location = 0
    let filler = Bytes(repeating: 9, count: 10_000)
    for index in 0..<500 {
      location = recent.remember(filler.span, at: SequenceNumber(UInt32(index * 10_000)), after: location)
    }
    let wrong = Bytes(repeating: 0xEE, count: 100)
    let forgotten = recent.disagreements(of: wrong.span, at: SequenceNumber(1), with: old)
    #expect(forgotten == 0)
    let last = recent.disagreements(of: wrong.span, at: SequenceNumber(499 * 10_000), with: location)
    #expect(last == 100)
  }
}
