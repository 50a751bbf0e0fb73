import Testing

@testable import ATScope

@Suite struct FrameRangesTests {
  @Test(arguments: 1...40)
  func `a frame is held where one of the ranges holds it`(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    func next(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    let ranges = (0..<Int(next(30))).map { _ in
      let lower = next(100)
      return lower...(lower + next(20))
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
