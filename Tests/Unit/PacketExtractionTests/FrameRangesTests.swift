import SeededRandom
import Testing

@testable import PacketExtraction

@Suite struct FrameRangesTests {
  @Test(arguments: 1...40)
  func `a frame number is found if and only if a range contains it`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let ranges = (0..<random.below(30)).map { _ in
      let lower = UInt64(random.below(100))
      return lower...(lower + UInt64(random.below(20)))
    }
    let indexed = FrameRanges(ranges)
    for frame in UInt64(0)..<130 {
      let found = indexed.index(holding: frame)
      #expect((found != nil) == ranges.contains { $0.contains(frame) })
      if let found { #expect(ranges[found].contains(frame)) }
    }
    #expect(indexed.index(holding: .max) == nil)
  }
}
