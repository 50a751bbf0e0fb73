import ByteParsing
import SessionModel
import SessionTracking
import TestBytes
import Values

extension FuzzTarget {
  /// Any segments of one connection are tracked within the limits: hellos, requests, proxies and other preambles. Two bytes before
  /// each segment contain its direction, a gap before it, a FIN, and its length.
  static let conversation = FuzzTarget("Conversation") { input in
    var tracker = SessionTracker(file: "fuzz")
    var reader = ByteReader(input)
    var frame: UInt64 = 0
    var next: (client: UInt32, server: UInt32) = (1, 1)
    func send(_ payload: Bytes, flags: UInt8, fromClient: Bool) {
      let (own, other) = fromClient ? (next.client, next.server) : (next.server, next.client)
      let packet = PacketBuilder.segment(
        payload, server: 1080, fromClient: fromClient, sequence: Int(own), acknowledgment: Int(other), flags: flags)
      frame += 1
      let count = UInt32(payload.count) &+ (flags & 3 == 0 ? 0 : 1)
      tracker.process(
        packet.span, linkType: 101, originalLength: packet.count,
        at: PacketReference(frame: frame, time: Timestamp(seconds: 1_700_000_000, nanoseconds: 0)))
      if fromClient { next.client &+= count } else { next.server &+= count }
    }
    send([], flags: 0x02, fromClient: true)
    send([], flags: 0x12, fromClient: false)
    while let head = try? reader.readUInt16("length"), frame < 4096,
      let body = try? reader.readBody(byteCount: min(Int(head & 0x1FFF), reader.remaining), "segment")
    {
      let isFromClient = head & 0x8000 == 0
      if head & 0x4000 != 0 {
        if isFromClient { next.client &+= 100 } else { next.server &+= 100 }
      }
      send(Bytes(copying: body.rest), flags: head & 0x2000 == 0 ? 0x18 : 0x11, fromClient: isFromClient)
    }
    tracker.finish()
    precondition(tracker.openConnections == 0)
  }
}
