import ByteParsing
import Testing

@testable import SessionObservation

@Suite struct StreamBeginningTests {
  @Test func `what may begin a conversation is never passed over unseen`() {
    var payload: Bytes = [0, 0, 0, 0, 16]
    var passedOver = 0
    var looks = 0
    let thirds: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 8, 16, 64, 0x77, 128, 255]
    for first in 0..<256 {
      for second in 0..<256 {
        for third in thirds {
          payload[0] = UInt8(first)
          payload[1] = UInt8(second)
          payload[2] = third
          let mayTell = StreamBeginning.mayTell(payload.span)
          if mayTell, third == 0x77 { looks += 1 }
          if !mayTell,
            StreamBeginning.canBegin(payload.span) || StreamBeginning.looksLikeRecord(payload.span)
              || StreamBeginning.isSOCKSRequest(payload.span.extracting(first: 3))
          {
            passedOver += 1
          }
        }
      }
    }
    #expect(passedOver == 0)
    // Random bytes are hardly ever worth a look.
    #expect(looks < 256 * 256 / 25)
  }

  @Test(arguments: 0...2)
  func `a short payload is looked at`(count: Int) {
    for byte in 0..<256 {
      let payload = Bytes(repeating: UInt8(byte), count: count)
      #expect(StreamBeginning.mayTell(payload.span) == (count > 0))
    }
  }
}
