import ByteParsing
import Testing

@testable import SessionObservation

@Suite struct StreamBeginningTests {
  @Test func `what may begin a conversation is never passed over unseen`() {
    var payload: Bytes = [0, 0, 0, 0, 16]
    var passedOver = 0
    var looks = 0
    var taken = 0
    let thirds: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 8, 16, 64, 0x77, 128, 255]
    for first in 0..<256 {
      for second in 0..<256 {
        for third in thirds {
          payload[0] = UInt8(first)
          payload[1] = UInt8(second)
          payload[2] = third
          let beginning = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(third) << 24
          let mayTell = StreamBeginning.mayTell(beginning)
          if mayTell, third == 0x77 { looks += 1 }
          if !mayTell,
            StreamBeginning.canBegin(payload.span) || StreamBeginning.looksLikeRecord(payload.span)
              || StreamBeginning.isSOCKSRequest(payload.span.extracting(first: 3))
          {
            passedOver += 1
          }
          let isData = StreamBeginning.looksLikeRecord(payload.span) && first == 23
          if StreamBeginning.isData(beginning) != isData { taken += 1 }
        }
      }
    }
    #expect(passedOver == 0)
    #expect(taken == 0)
    // Random bytes are hardly ever worth a look.
    #expect(looks < 256 * 256 / 25)
  }
}
