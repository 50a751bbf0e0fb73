import ByteParsing
import TestBytes
import Testing

@testable import PacketParsing

@Suite struct SegmentChecksumTests {
  /// An Ethernet frame with an IPv4 TCP segment and its checksums.
  private static func packet(_ payload: Bytes, changing change: UInt16 = 0) -> Bytes {
    func complement(_ bytes: Bytes) -> Int {
      Int(~SegmentChecksum.folded(SegmentChecksum.sum(of: bytes.span)))
    }
    var segment = PacketBuilder.tcp(payload)
    let sum = UInt16(complement(PacketBuilder.ends() + [0, 6] + two(segment.count) + segment)) ^ change
    segment.replaceSubrange(16..<18, with: two(Int(sum)))
    var packet = PacketBuilder.ipv4(segment)
    packet.replaceSubrange(10..<12, with: two(complement(Bytes(packet.prefix(20)))))
    return PacketBuilder.ethernet(packet)
  }

  private static func validity(_ packet: Bytes, length: Int? = nil) -> SegmentChecksum.Validity? {
    var headers = PacketHeaders()
    let bytes = packet.span.extracting(first: length ?? packet.count)
    guard headers.decode(bytes, linkType: 1) == .tcp else { return nil }
    let end = headers.payloadOffset + headers.payloadLength
    return headers.checksum(of: bytes).validity(adding: bytes.extracting(headers.payloadOffset..<end))
  }

  @Test func `a checksum is valid or invalid for any payload length`() {
    for count in [0, 1, 2, 3, 100, 1447] {
      let payload = Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      #expect(Self.validity(Self.packet(payload)) == .valid)
      #expect(Self.validity(Self.packet(payload, changing: 0x0100)) == .invalid)
      if count > 0 {
        var other = Self.packet(payload)
        other[other.count - 1] ^= 1
        #expect(Self.validity(other) == .invalid)
      }
    }
  }

  @Test func `a payload may be added in parts of any length`() {
    let packet = Self.packet(Bytes((0..<50).map { UInt8($0) }))
    var headers = PacketHeaders()
    #expect(headers.decode(packet.span, linkType: 1) == .tcp)
    for first in 0...50 {
      var checksum = headers.checksum(of: packet.span)
      checksum.add(packet.span.extracting(54..<(54 + first)))
      #expect(checksum.validity(adding: packet.span.extracting((54 + first)..<104)) == .valid)
    }
  }

  @Test func `the checksum of a truncated or offloaded segment is unknown`() {
    var packet = Self.packet([1, 2, 3, 4])
    #expect(Self.validity(packet, length: packet.count - 1) == .unknown)
    // An offloaded checksum: the sum of the pseudo-header alone.
    let pseudo: Bytes = [192, 0, 2, 2, 203, 0, 113, 7, 0, 6, 0, 24]
    let sum = SegmentChecksum.folded(SegmentChecksum.sum(of: pseudo.span))
    (packet[50], packet[51]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
    #expect(Self.validity(packet) == .unknown)
  }

  @Test func `an invalid IP header checksum makes the segment invalid, a checksum of 0 does not`() {
    var packet = Self.packet([1, 2, 3])
    packet[24] ^= 1
    #expect(Self.validity(packet) == .invalid)
    (packet[24], packet[25]) = (0, 0)
    #expect(Self.validity(packet) == .valid)
  }
}
