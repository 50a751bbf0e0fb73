import ByteParsing
import QUICParsing
import TestBytes
import Testing

@Suite struct FrameReaderTests {
  static let payload = hex(
    """
    00 00 00 01 02 05 00 01 02 00 01 03 07 00 00 04 01 02 03 06 4100 03 aabbcc 1c 41 28 06 02 6e6f 1d 05 00
    """)

  static let expected: [Frame] = [
    .padding(count: 3), .ping, .acknowledgment(largest: 5), .acknowledgment(largest: 7),
    .crypto(offset: 256, data: 23..<26), .connectionClose(code: 0x128, isApplication: false, reason: 31..<33),
    .connectionClose(code: 5, isApplication: true, reason: 36..<36),
  ]

  /// The frames up to the end or the first fault. `isWhole` is false if there is a fault.
  private func read(_ payload: Bytes) -> (frames: [Frame], isWhole: Bool) {
    var frames: [Frame] = []
    var reader = FrameReader(payload.span)
    do {
      while let frame = try reader.next() { frames.append(frame) }
      return (frames, true)
    } catch {
      return (frames, false)
    }
  }

  @Test
  func `every frame type of the handshake is read`() {
    let (frames, isWhole) = read(FrameReaderTests.payload)
    #expect(frames == FrameReaderTests.expected)
    #expect(isWhole)
  }

  @Test
  func `a payload truncated in a frame gives the frames before it, and throws`() {
    for count in 0..<FrameReaderTests.payload.count {
      let (frames, isWhole) = read(Bytes(FrameReaderTests.payload.prefix(count)))
      let isPrefix = zip(frames, FrameReaderTests.expected).dropFirst().allSatisfy { $0 == $1 }
      #expect(isPrefix, "at \(count)")
      if count == FrameReaderTests.payload.count - 1 { #expect(!isWhole) }
    }
  }

  @Test(arguments: ["04", "08", "0a01", "1e", "30", "4042", "ff000000000000ff"])
  func `a frame that handshake packets must not contain throws`(digits: String) {
    let (frames, isWhole) = read(hex("01") + hex(digits))
    #expect(frames == [.ping])
    #expect(!isWhole)
  }

  @Test
  func `an ACK frame with a million ranges is rejected`() {
    let (_, isWhole) = read(hex("02 05 00 800f4240 00") + Bytes(repeating: 0, count: 100))
    #expect(!isWhole)
  }

  @Test
  func `lengths beyond the packet are rejected`() {
    #expect(!read(hex("06 00 ffffffffffffffff 00")).isWhole)
    #expect(!read(hex("1c 00 00 ffffffffffffffff 00")).isWhole)
  }

  @Test
  func `any bytes parse or throw`() {
    torment(FrameReaderTests.payload, seed: 5) { payload in
      for frame in read(Bytes(copying: payload)).frames {
        if case .crypto(_, let data) = frame { #expect(data.upperBound <= payload.count) }
      }
    }
  }
}
