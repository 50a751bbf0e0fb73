import ByteParsing
import Reassembly
import SeededRandom
import Testing

/// Passes segments to a stream and collects its output, with `nil` for each missing byte.
private final class Gatherer {
  var stream = SegmentStream()
  var output: [UInt8?] = []

  func receive(_ sequence: UInt32, _ bytes: Bytes, onWire: Int? = nil, frame: UInt64 = 1) {
    let length = onWire ?? bytes.count
    let number = SequenceNumber(sequence)
    switch stream.locate(number, length: length) {
    case .old: return
    case .ahead:
      stream.hold(number, bytes.span, lengthOnWire: length, frame: frame)
      while stream.isOverfull { giveUp() }
    case .next(let skip):
      take(bytes, skip: skip, length)
      drain()
    }
  }

  func take(_ bytes: Bytes, skip: Int, _ length: Int) {
    output += bytes.dropFirst(skip).map { $0 }
    output += [UInt8?](repeating: nil, count: length - max(skip, bytes.count))
    stream.advance(by: length - skip)
  }

  func startsAfter(_ sequence: UInt32) -> Bool {
    stream.synchronize(bySYN: SequenceNumber(sequence))
  }

  func drain() {
    while let (segment, skip) = stream.takeHeld() { take(segment.bytes, skip: skip, segment.lengthOnWire) }
  }

  func giveUp() {
    output += [UInt8?](repeating: nil, count: stream.skipGap())
    drain()
  }
}

@Suite struct SegmentStreamTests {
  static let message = Bytes((0..<200).map { UInt8($0) })

  @Test(arguments: [0, UInt32.max - 500] as [UInt32])
  func `out-of-order segments of one byte are held and read in order`(initial: UInt32) {
    let bytes = Bytes((0..<2000).map { UInt8($0 & 0xFF) })
    for seed in 0..<3 {
      var random = SeededGenerator(seed: UInt64(seed))
      var order = Array(1..<bytes.count)
      if seed == 1 { order.reverse() }
      if seed == 2 { order.shuffle(using: &random) }
      let gatherer = Gatherer()
      let begins = gatherer.startsAfter(initial &- 1)
      #expect(begins)
      for index in order { gatherer.receive(initial &+ UInt32(index), [bytes[index]]) }
      // A longer segment that overlaps the held ones.
      gatherer.receive(initial &+ 100, Bytes(bytes[100..<300]))
      #expect(gatherer.output.isEmpty)
      gatherer.receive(initial, [bytes[0]])
      #expect(gatherer.output == bytes.map { $0 })
      #expect(gatherer.stream.disagreeingBytes == 0)
      #expect(gatherer.stream.heldBytes == 0)
    }
  }

  @Test func `held segments of one byte stay within the limit`() {
    let gatherer = Gatherer()
    let begins = gatherer.startsAfter(0)
    #expect(begins)
    for sequence in stride(from: UInt32(40_001), to: 2, by: -2) {
      gatherer.receive(sequence, [1])
      #expect(gatherer.stream.heldBytes <= SegmentStream.maximumHeldByteCount)
    }
    #expect(!gatherer.output.isEmpty)
  }

  @Test(arguments: [0, 1000, UInt32.max - 50, UInt32.max] as [UInt32])
  func `overlapping segments that agree give the same stream in any order`(initial: UInt32) {
    for seed in 0..<300 {
      var random = SeededGenerator(seed: UInt64(seed) &* 77 &+ UInt64(initial))
      var segments: [(Int, Int)] = []
      var start = 0
      while start < 200 {
        let length = min(200 - start, 1 + random.below(40))
        segments.append((start, length))
        start += length
      }
      for _ in 0..<5 {
        let first = random.below(190)
        segments.append((first, 1 + random.below(200 - first)))
      }
      for index in segments.indices { segments.swapAt(index, random.below(segments.count)) }
      let gatherer = Gatherer()
      do {
        let agrees = gatherer.startsAfter(initial)
        #expect(agrees)
      }
      for (first, length) in segments {
        gatherer.receive(
          initial &+ 1 &+ UInt32(first), Bytes(Self.message[first..<(first + length)]))
      }
      #expect(gatherer.output == Self.message.map { $0 })
      #expect(gatherer.stream.disagreeingBytes == 0)
      #expect(gatherer.stream.hasHeld == false)
    }
  }

  @Test func `the first copy of a byte counts, and differing bytes are counted`() {
    let gatherer = Gatherer()
    _ = gatherer.stream.synchronize(bySYN: SequenceNumber(9))
    gatherer.receive(13, [4, 5, 6], frame: 2)
    gatherer.receive(12, [3, 9, 9, 9, 7], frame: 3)
    gatherer.receive(10, [1, 2], frame: 4)
    #expect(gatherer.output == [1, 2, 3, 4, 5, 6, 7])
    #expect(gatherer.stream.disagreeingBytes == 3)
    #expect(gatherer.stream.disputeFrame == 3)
  }

  @Test func `the bytes of an abandoned gap are counted, and later bytes are read`() {
    let gatherer = Gatherer()
    _ = gatherer.stream.synchronize(bySYN: SequenceNumber(0))
    gatherer.receive(1, [1])
    gatherer.receive(5, [5, 6])
    #expect(gatherer.output == [1])
    gatherer.giveUp()
    #expect(gatherer.output == [1, nil, nil, nil, 5, 6])
    #expect(gatherer.stream.missingBytes == 3)
  }

  @Test func `bytes truncated by the snapshot length leave a gap of their length`() {
    let gatherer = Gatherer()
    _ = gatherer.stream.synchronize(bySYN: SequenceNumber(0))
    gatherer.receive(1, [1, 2], onWire: 4)
    gatherer.receive(5, [5])
    #expect(gatherer.output == [1, 2, nil, nil, 5])
  }

  @Test func `held bytes are bounded`() {
    let gatherer = Gatherer()
    _ = gatherer.stream.synchronize(bySYN: SequenceNumber(0))
    let big = Bytes(repeating: 8, count: 1000)
    for index in 0..<1000 { gatherer.receive(UInt32(101 + index * 1000), big) }
    #expect(gatherer.output.count > 700_000)
    #expect(gatherer.stream.missingBytes == 100)
  }

  @Test func `the SYN counts whose sequence number precedes the data`() {
    for data in [1001, 50_001] as [UInt32] {
      let gatherer = Gatherer()
      do {
        let agrees = gatherer.startsAfter(1000)
        #expect(agrees)
      }
      do {
        let agrees = gatherer.startsAfter(50_000)
        #expect(agrees)
      }
      gatherer.receive(data, [1, 2, 3])
      #expect(gatherer.output == [1, 2, 3])
      do {
        let agrees = gatherer.startsAfter(data - 1)
        #expect(agrees)
      }
      do {
        let agrees = gatherer.startsAfter(77)
        #expect(!agrees)
      }
    }
  }

  @Test func `an earlier segment replaces a guessed start`() {
    let gatherer = Gatherer()
    gatherer.stream.acknowledge(upTo: SequenceNumber(5000))
    gatherer.receive(4000, [1, 2])
    gatherer.receive(4002, [3])
    #expect(gatherer.output == [1, 2, 3])
  }

  @Test func `acknowledged bytes that were not captured are missing, unlike the FIN's number`() {
    for (acknowledgment, end, expected) in [
      (4, nil, 0), (5, nil, 0), (6, nil, 2), (104, nil, 100), (104, 54, 50), (5, 4, 0), (3, nil, 0),
      (2_000_000, nil, 0),
    ] as [(UInt32, UInt32?, Int)] {
      let gatherer = Gatherer()
      _ = gatherer.stream.synchronize(bySYN: SequenceNumber(0))
      gatherer.receive(1, [1, 2, 3])
      gatherer.stream.acknowledge(upTo: SequenceNumber(acknowledgment))
      if let end { gatherer.stream.finish(at: SequenceNumber(end)) }
      let hasUnread = gatherer.stream.hasUnreadBytes
      #expect(hasUnread == (expected > 0))
      let lacksEnd = gatherer.stream.lacksEnd
      #expect(lacksEnd == (acknowledgment == 5 && end == nil))
      let gap = gatherer.stream.skipUnseenEnd()
      #expect(gap == expected)
      let missing = gatherer.stream.missingBytes
      #expect(missing == expected)
    }
  }

  @Test func `a stream is finished when every byte before the FIN is read`() {
    let gatherer = Gatherer()
    _ = gatherer.stream.synchronize(bySYN: SequenceNumber(0))
    gatherer.stream.finish(at: SequenceNumber(4))
    #expect(gatherer.stream.isFinished == false)
    gatherer.receive(1, [1, 2, 3])
    #expect(gatherer.stream.isFinished == true)
  }
}
