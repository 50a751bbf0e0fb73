import DequeModule
import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Fragments of 802.11 frames, which are not reassembled.
@Suite struct SessionTrackerFrameFragmentsTests {
  @Test func `bytes in later 802_11 fragments are lost, not truncated by the snapshot length`() {
    let packet = PacketBuilder.segment(sampleClientHello, sequence: 1000, acknowledgment: 9000)
    let body: Bytes = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0] + packet
    var tracker = SessionTracker(file: "test")
    for number in 0..<2 {
      // A data frame to an access point; "more fragments" is the third flag.
      var frame: Bytes = [0x08, number == 0 ? 0x05 : 0x01, 0, 0] + Bytes(repeating: 2, count: 18)
      frame += [0x10 | UInt8(number), 0] + (number == 0 ? body.prefix(120) : body.dropFirst(120))
      tracker.play(frame, UInt64(number + 1), linkType: 105)
    }
    let session = tracker.sessions().first
    #expect(session?.evidence.clientHello == .partial)
    #expect(session?.evidence.missingBytes == packet.count + 8 - 120)
    #expect(session?.evidence.incomplete != .snaplen)
    #expect(tracker.health.unread[.linkFragment] == 1)
  }
}
