import ByteParsing
import SeededRandom
import TestBytes
import Testing
import Values

@testable import PacketParsing

@Suite struct PacketHeadersTests {
  typealias B = PacketBuilder

  static let segment = B.tcp([1, 2, 3], options: [1, 1, 1, 1])
  static let packet4 = B.ipv4(segment)
  static let packet6 = B.ipv6(segment)

  static let cooked: Bytes = [0, 0, 0, 1, 0, 6] + Bytes(repeating: 1, count: 8)
  static let cooked2: Bytes = [0, 0, 0, 0, 0, 1, 0, 1, 0, 6] + Bytes(repeating: 1, count: 8)

  @Test(
    arguments: [
      (1, B.ethernet(packet4)), (1, B.ethernet(packet6, type: 0x86DD)),
      (1, B.ethernet(packet4, type: 0x0800, tags: [(0x8100, 12)])),
      (1, B.ethernet(packet4, type: 0x0800, tags: [(0x88A8, 12), (0x8100, 0xE005)])),
      (1, B.ethernet(packet6, type: 0x0800)),
      (1, B.ethernet(joined([1, 1, 0, 1, 0, 7, 0x08, 0x00], packet4), type: 0x8909)), (101, packet4),
      (101, packet6), (12, packet4), (14, packet6),
      (228, packet4), (229, packet6), (0, [2, 0, 0, 0] + packet4), (0, [0, 0, 0, 30] + packet6),
      (108, [0, 0, 0, 2] + packet4), (113, cooked + [0x08, 0x00] + packet4),
      (113, cooked + [0x86, 0xDD] + packet6), (276, [0x86, 0xDD] + cooked2 + packet6),
    ] as [(UInt16, Bytes)])
  func `every link type gives the same segment`(linkType: UInt16, packet: Bytes) {
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: linkType)
    #expect(kind == .tcp)
    #expect(headers.sourcePort == 50_000)
    #expect(headers.destinationPort == 443)
    #expect(headers.sequence == 0x0102_0304)
    #expect(headers.acknowledgment == 0x0506_0708)
    #expect(headers.flags == TCPFlags(rawValue: 0x18))
    #expect(headers.payloadLength == 3)
    #expect(headers.payloadLengthOnWire == 3)
    #expect(headers.payloadOffset == packet.count - 3)
    #expect(["192.0.2.2", "2001:db8::1"].contains(headers.source.description))
    #expect(["203.0.113.7", "2001:db8::2"].contains(headers.destination.description))
  }

  @Test func `VLAN tags are listed from the outermost to the innermost`() {
    var headers = PacketHeaders()
    let packet = B.ethernet(Self.packet4, tags: [(0x88A8, 12), (0x8100, 0xE005)])
    var kind = headers.decode(packet.span, linkType: 1)
    #expect(kind == .tcp)
    #expect(headers.tunnels[0].identifier == 12)
    #expect(headers.tunnels[1].identifier == 5)
    kind = headers.decode(B.ethernet(Self.packet4).span, linkType: 1)
    #expect(kind == .tcp)
    #expect(headers.tunnels.isEmpty)
  }

  @Test func `Ethernet padding is not payload`() {
    var headers = PacketHeaders()
    let packet = B.ethernet(B.ipv4(B.tcp())) + Bytes(repeating: 0, count: 6)
    let kind = headers.decode(packet.span, linkType: 1)
    #expect(kind == .tcp)
    #expect(headers.payloadLength == 0)
  }

  @Test func `an IP length of 0 means the rest of the packet`() {
    var headers = PacketHeaders()
    var kind = headers.decode(B.ipv4(Self.segment, totalLength: 0).span, linkType: 101)
    #expect(kind == .tcp)
    #expect(headers.payloadLength == 3)
    kind = headers.decode(B.ipv6(Self.segment, length: 0).span, linkType: 101)
    #expect(kind == .tcp)
    #expect(headers.payloadLength == 3)
  }

  @Test func `a packet truncated by the snapshot length keeps its payload length on the wire`() {
    var headers = PacketHeaders()
    let packet = Bytes(B.ipv4(B.tcp(Bytes(repeating: 7, count: 100))).prefix(60))
    let kind = headers.decode(packet.span, linkType: 101)
    #expect(kind == .tcp)
    #expect(headers.payloadLength == 20)
    #expect(headers.payloadLengthOnWire == 100)
  }

  @Test func `IPv6 extension headers are skipped, up to a limit`() {
    let options: Bytes = [60, 0, 1, 4, 0, 0, 0, 0] + [43, 1] + Bytes(repeating: 0, count: 14)
    let chain = options + [44, 0, 0, 0, 0, 0, 0, 0] + [6, 0, 0, 0, 0, 0, 0, 9] + Self.segment
    var headers = PacketHeaders()
    var kind = headers.decode(B.ipv6(chain, next: 0).span, linkType: 101)
    #expect(kind == .tcp)
    #expect(headers.payloadLength == 3)
    let endless = Bytes((0..<20).flatMap { _ in [60, 0, 1, 4, 0, 0, 0, 0] as [UInt8] }) + Self.segment
    kind = headers.decode(B.ipv6(endless, next: 60).span, linkType: 101)
    #expect(kind == .unread(.tooManyExtensionHeaders))
  }

  @Test(
    arguments: [
      (147, packet4, .unknownLinkType), (1, B.ethernet([], type: 0x0806), .notIP),
      (1, [1, 2, 3], .linkHeaderTruncated),
      (101, B.ipv4(segment + [0, 0, 0, 0, 0], fragment: 0x2000), .fragment),
      (101, B.ipv4(segment, fragment: 0x0010), .fragment),
      (101, B.ipv6([6, 0, 0, 1, 0, 0, 0, 9] + segment + [0, 0, 0, 0, 0], next: 44), .fragment),
      (101, B.ipv4([8, 0], number: 1), .otherTransport), (101, [0x10, 0, 0, 0], .notIP),
      (101, B.ipv4(segment, totalLength: 19), .ipHeaderInvalid), (101, [], .ipHeaderTruncated),
      (101, B.ipv4([1, 2, 3]), .transportHeaderInvalid),
      (
        101, B.ipv4(B.tcp().prefix(12) + [0x40] + B.tcp().dropFirst(13)),
        .transportHeaderInvalid
      ),
    ] as [(UInt16, Bytes, UnreadReason)])
  func `an unread packet has a reason`(linkType: UInt16, packet: Bytes, reason: UnreadReason) {
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: linkType)
    #expect(kind == .unread(reason))
  }

  @Test func `a UDP datagram has its port and payload`() {
    var headers = PacketHeaders()
    let kind = headers.decode(B.ipv4(B.udp([9, 9]), number: 17).span, linkType: 101)
    #expect(kind == .udp)
    #expect(headers.destinationPort == 443)
    #expect(headers.payloadLength == 2)
  }

  @Test func `a fast-path segment has the values of the general decoder`() {
    let packets = [B.ethernet(Self.packet4), B.ethernet(Self.packet6, type: 0x86DD)]
    var random = SeededGenerator(seed: 31)
    var (segments, faults) = (0, 0)
    func compare(_ segment: borrowing FastPathSegment, _ packet: Span<UInt8>) {
      var headers = PacketHeaders()
      let isSame =
        headers.decode(packet, linkType: 1) == .tcp && headers.tunnels.isEmpty && headers.flags == segment.flags
        && headers.sender == segment.sender && headers.receiver == segment.receiver
        && headers.payloadOffset == segment.payloadOffset && headers.payloadLength == segment.payloadLength
        && headers.payloadLengthOnWire == segment.payloadLengthOnWire
      segments += 1
      if !isSame { faults += 1 }
    }
    for round in 0..<10_000 {
      var changed = packets[round % 2] + Bytes(repeating: 0, count: random.below(3))
      for _ in 0..<random.below(3) { changed[12 + random.below(changed.count - 12)] = random.byte() }
      if random.once(in: 4) { changed.removeLast(random.below(changed.count - 14)) }
      let bytes = changed.span
      if let segment = FastPathSegment(ethernetV4: bytes) { compare(segment, bytes) }
      if let segment = FastPathSegment(ethernetV6: bytes) { compare(segment, bytes) }
    }
    #expect(faults == 0)
    #expect(segments > 1000)
  }

  @Test func `truncated and changed packets never trap, and payloads are in bounds`() {
    let packets: [(UInt16, Bytes)] = [
      (1, B.ethernet(Self.packet4, tags: [(0x8100, 12)])), (1, B.ethernet(Self.packet6, type: 0x86DD)),
      (113, Self.cooked + [0x08, 0x00] + Self.packet4), (276, [0x86, 0xDD] + Self.cooked2 + Self.packet6),
      (101, B.ipv6([60, 0, 1, 4, 0, 0, 0, 0] + [6, 0, 1, 4, 0, 0, 0, 0] + Self.segment, next: 0)),
    ]
    for (linkType, packet) in packets { expectPayloadsInBounds(packet, linkType: linkType, values: Array(UInt8.min...UInt8.max)) }
  }
}

/// Decodes every beginning of a packet, and the packet with each of its bytes changed to each value: payloads are in bounds.
func expectPayloadsInBounds(_ packet: Bytes, linkType: UInt16, values: [UInt8] = [0, 1, 4, 0x0F, 0x45, 0x60, 0x7F, 0x80, 0xFF]) {
  var headers = PacketHeaders()
  for count in 0..<packet.count {
    let cut = Bytes(packet.prefix(count))
    let kind = headers.decode(cut.span, linkType: linkType)
    if kind == .tcp || kind == .udp { #expect(headers.payloadOffset + headers.payloadLength <= cut.count) }
  }
  for index in packet.indices {
    for value in values {
      var changed = packet
      changed[index] = value
      let kind = headers.decode(changed.span, linkType: linkType)
      if kind == .tcp || kind == .udp {
        #expect(headers.payloadOffset + headers.payloadLength <= changed.count)
        #expect(headers.payloadLength >= 0 && headers.payloadLengthOnWire >= headers.payloadLength)
      }
    }
  }
}
