import ByteParsing
import SessionModel
import SessionTracking
import Values

extension FuzzTarget {
  /// Any segments of one connection are tracked within the limits: hellos, requests, proxies and other preambles. Two bytes before
  /// each segment contain its direction, a gap before it, a FIN, and its length.
  static let conversation = FuzzTarget("Conversation") { input in
    var tracker = SessionTracker(file: "fuzz")
    var reader = ByteReader(input)
    var frame: UInt64 = 0
    var next: (client: UInt32, server: UInt32) = (1, 1)
    func two(_ value: Int) -> Bytes {
      [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
    func four(_ value: UInt32) -> Bytes { two(Int(value >> 16)) + two(Int(value & 0xFFFF)) }
    func send(_ payload: Bytes, flags: UInt8, fromClient: Bool) {
      let ends: (Bytes, Bytes) =
        fromClient ? ([192, 0, 2, 2], [203, 0, 113, 7]) : ([203, 0, 113, 7], [192, 0, 2, 2])
      let ports = fromClient ? two(50_000) + two(1080) : two(1080) + two(50_000)
      let numbers = fromClient ? four(next.client) + four(next.server) : four(next.server) + four(next.client)
      let segment = ports + numbers + [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0] + payload
      let head: Bytes = [0x45, 0] + two(20 + segment.count) + [0, 0, 0x40, 0, 64, 6, 0, 0] + ends.0 + ends.1
      let packet = head + segment
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
