import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

/// A TCP segment in every supported link layer.
@Suite struct PacketHeadersLinkTests {
  typealias B = PacketBuilder

  static let packet4 = B.ipv4(B.tcp([1, 2, 3]))
  static let packet6 = B.ipv6(B.tcp([1, 2, 3]))

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var linkType: UInt16
    var packet: Bytes
    var testDescription: String { name }

    init(_ name: String, _ linkType: UInt16, _ parts: Bytes...) {
      self.name = name
      self.linkType = linkType
      packet = Bytes(parts.joined())
    }
  }

  static func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }
  static func text(_ text: String, _ count: Int) -> Bytes {
    Bytes(text.utf8) + zeros(count - text.utf8.count)
  }
  static func little32(_ value: UInt32) -> Bytes { little(Int(value), 4) }
  static func little16(_ value: Int) -> Bytes { little(value, 2) }

  static let snap: Bytes = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00]
  static let snap6: Bytes = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x86, 0xDD]

  /// A data frame from a station to the distribution system.
  static func wlan(
    control: UInt8 = 0x08, flags: UInt8 = 0x01, sequence: UInt8 = 0, quality: Bytes = [],
    address4: Bool = false
  ) -> Bytes {
    [control, flags, 0, 0] + Bytes(repeating: 2, count: 18) + [sequence, 0]
      + (address4 ? Bytes(repeating: 3, count: 6) : []) + quality
  }

  static func radiotap(present: UInt32, fields: Bytes = []) -> Bytes {
    [0, 0] + little16(8 + fields.count) + little32(present) + fields
  }

  static func pktap(length: Int = 156, type: UInt32 = 1, inner: UInt32) -> Bytes {
    let fields = little32(UInt32(length)) + little32(type) + little32(inner) + text("en0", 24)
    return fields + little32(2) + zeros(length - 40)
  }

  static func pktap2(inner: Int) -> Bytes {
    [56, 0, 0, 40, 44, 0] + little16(inner) + zeros(28) + little32(0x80002) + text("en0", 16)
  }

  static let cases: [Case] = [
    Case("802.3 with LLC and SNAP", 1, B.ethernet([], type: 11), snap, packet4),
    Case("802.3 with LLC and no SNAP", 1, B.ethernet([], type: 11), [6, 6, 3], packet4),
    Case("802.3 after a tag", 1, B.ethernet([], type: 11, tags: [(0x8100, 12)]), snap, packet4),
    Case("802.1BR tag", 1, B.ethernet([0, 0, 0, 0, 0, 0, 8, 0], type: 0x893F), packet4),
    Case("VN tag", 1, B.ethernet([0, 0, 0, 0, 8, 0], type: 0x8926), packet4),
    Case("tag of 0x9200", 1, B.ethernet(packet4, tags: [(0x9200, 3)])),
    Case("SLIP", 8, zeros(16), packet4),
    Case("PPP", 9, [0, 0x21], packet4), Case("PPP, IPv6", 9, [0, 0x57], packet6),
    Case("PPP with HDLC framing", 9, [0xFF, 0x03, 0, 0x21], packet4),
    Case("PPP, short protocol field", 9, [0x21], packet4),
    Case("Cisco HDLC as PPP", 9, [0x0F, 0, 8, 0], packet4),
    Case("PPP over serial lines", 50, [0xFF, 0x03, 0, 0x21], packet4),
    Case("Cisco HDLC over serial lines", 50, [0x8F, 0, 0x86, 0xDD], packet6),
    Case("PPPoE sessions", 51, [0x11, 0, 0, 9, 0, 45, 0, 0x21], packet4),
    Case("pppd, received", 166, [0, 3, 0, 0x21], packet4),
    Case("pppd, sent", 166, [1, 3, 0, 0x57], packet6),
    Case("pppd without address and control", 166, [0, 0x21], packet4),
    Case("PPP with direction", 204, [1, 0xFF, 0x03, 0, 0x21], packet4),
    Case("Cisco HDLC", 104, [0x0F, 0, 8, 0], packet4),
    Case("Frame Relay, NLPID", 107, [0x18, 0x41, 3, 0xCC], packet4),
    Case("Frame Relay, padded, IPv6", 107, [0x18, 0x41, 3, 0, 0x8E], packet6),
    Case("Frame Relay, SNAP", 107, [0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0], packet4),
    Case("Frame Relay, four bytes of address", 107, [0x18, 0x40, 0x40, 0x01, 3, 0xCC], packet4),
    Case("Frame Relay of Cisco's", 107, [0x18, 0x41, 8, 0], packet4),
    Case("Cisco HDLC with direction", 205, [0, 0x0F, 0, 8, 0], packet4),
    Case("Frame Relay with direction", 206, [1, 0x18, 0x41, 3, 0xCC], packet4),
    Case("ATM with LLC", 100, snap, packet4),
    Case("SunATM", 123, [0x82, 0, 0, 32], snap, packet4),
    Case("IP over Firewire", 138, zeros(16), [8, 0], packet4),
    Case("Token Ring", 6, [0x10, 0x40], zeros(12), snap, packet4),
    Case(
      "Token Ring with a route", 6, [0x10, 0x40], zeros(6), [0x80], zeros(5), [6, 0x30, 0, 1, 0, 2], snap,
      packet4),
    Case("FDDI", 10, [0x50], zeros(12), snap, packet4),
    Case("IP over Fibre Channel", 122, zeros(16), snap6, packet6),
    Case("ERF with Ethernet", 197, zeros(8), [2, 4], zeros(6), zeros(2), B.ethernet(packet4)),
    Case(
      "ERF with extension headers", 197, zeros(8), [0x82, 4], zeros(6), [0x83], zeros(7), [3], zeros(9),
      B.ethernet(packet4)),
    Case("ERF with IP", 197, zeros(8), [22, 4], zeros(6), packet4),
    Case("802.11", 105, wlan(), snap, packet4), Case("802.11, IPv6", 105, wlan(), snap6, packet6),
    Case("802.11 with quality of service", 105, wlan(control: 0x88, quality: [0, 0]), snap, packet4),
    Case(
      "802.11 with HT control", 105, wlan(control: 0x88, flags: 0x82, quality: [0, 0, 0, 0, 0, 0]), snap,
      packet4),
    Case("802.11 with four addresses", 105, wlan(flags: 0x03, address4: true), snap, packet4),
    Case("802.11, decrypted by the adapter", 105, wlan(flags: 0x41), snap, packet4),
    Case(
      "802.11 with one subframe", 105, wlan(control: 0x88, quality: [0x80, 0]), zeros(12),
      two(8 + packet4.count), snap, packet4),
    Case("radiotap", 127, radiotap(present: 0), wlan(), snap, packet4),
    Case(
      "radiotap with flags and padding", 127,
      radiotap(present: 0x8000_0003, fields: little32(0) + zeros(12) + [0x20, 0, 0, 0]),
      wlan(control: 0x88, quality: [0, 0]), zeros(2), snap, packet4),
    Case("Prism", 119, little32(0x44), little32(144), zeros(136), wlan(), snap, packet4),
    Case("Prism, big-endian", 119, four(0x44), four(144), zeros(136), wlan(), snap, packet4),
    Case("AVS as Prism", 119, four(0x8021_1001), four(64), zeros(56), wlan(), snap, packet4),
    Case("AVS", 163, four(0x8021_1002), four(80), zeros(72), wlan(), snap, packet4),
    Case("PPI with Ethernet", 192, [0, 0], little16(8), little32(1), B.ethernet(packet4)),
    Case(
      "PPI with 802.11 and a field", 192, [0, 0], little16(32), little32(105), zeros(24), wlan(), snap,
      packet4),
    Case("BSD loopback of Windows, IPv6", 0, little32(23), packet6),
    Case("encapsulated", 109, little32(2), zeros(8), packet4),
    Case("ipnet", 226, [1, 2], zeros(22), packet4), Case("ipnet, IPv6", 226, [1, 26], zeros(22), packet6),
    Case("pflog", 117, [61, 2], zeros(62), packet4), Case("pflog, long", 117, [100, 30], zeros(98), packet6),
    Case("pflog, old", 17, zeros(28), packet4),
    Case(
      "nflog", 239, [2, 0, 0, 0], little16(8), little16(1), zeros(4), little16(5), little16(10), zeros(4),
      little16(4 + packet4.count), little16(9), packet4),
    Case(
      "nflog, big-endian, IPv6", 239, [10, 0, 0, 5], two(8), two(1), zeros(4),
      two(4 + packet6.count),
      two(9), packet6),
    Case("PKTAP with raw IP", 258, pktap(inner: 12), packet4),
    Case("PKTAP with Ethernet", 258, pktap(inner: 1), B.ethernet(packet4)),
    Case("PKTAP, old header", 258, pktap(length: 108, inner: 12), packet6),
    Case("PKTAP by its old number", 149, pktap(inner: 12), packet4),
    Case("PKTAP with 802.11", 258, pktap(inner: 105), wlan(), snap, packet4),
    Case("PKTAP, version 2", 258, pktap2(inner: 12), packet4),
    Case("PKTAP, version 2, IPv6 after an EtherType of IPv4", 258, pktap2(inner: 1), B.ethernet(packet6)),
  ]

  @Test(arguments: cases)
  func `the TCP segment in each link layer is found`(_ item: Case) {
    var headers = PacketHeaders()
    let kind = headers.decode(item.packet.span, linkType: item.linkType)
    #expect(kind == .tcp)
    #expect(headers.sourcePort == 50_000)
    #expect(headers.payloadLength == 3)
    #expect(headers.payloadLengthOnWire == 3)
    #expect(headers.payloadOffset == item.packet.count - 3)
  }

  @Test(
    arguments: [
      (105, wlan(flags: 0x41) + [1, 2, 3, 4, 5, 6, 7, 8, 9], .encryptedWLAN),
      (105, wlan(control: 0x80), .notIP), (105, wlan(control: 0x48), .notIP),
      // Management frames with the Retry bit, which are not data frames with swapped bytes.
      (105, wlan(control: 0x50, flags: 0x08) + zeros(40), .notIP), (105, wlan(control: 0xD0, flags: 0x08) + zeros(40), .notIP),
      (105, wlan(sequence: 1) + snap + packet4, .linkFragment), (105, wlan(), .linkHeaderTruncated),
      (
        105, wlan(control: 0x88, quality: [0x80, 0]) + zeros(13) + [20] + zeros(22) + zeros(40), .aggregate
      ),
      (127, [1, 0, 8, 0, 0, 0, 0, 0], .linkHeaderInvalid), (127, [0, 0, 40, 0, 0, 0, 0, 0], .linkHeaderTruncated),
      (192, [0, 0, 8, 0, 192, 0, 0, 0, 0, 0], .unknownLinkType),
      (258, pktap(inner: 258) + packet4, .unknownLinkType), (258, pktap(type: 0, inner: 1), .notIP),
      (149, Bytes(repeating: 0xFF, count: 200), .unknownLinkType), (147, packet4, .unknownLinkType),
      (51, [0x11, 0x09, 0, 0, 0, 0], .notIP), (9, [0xC0, 0x21, 1], .notIP),
      (107, [0, 0, 0, 0, 0], .linkHeaderInvalid),
      (239, [2, 0, 0, 0] + little16(2) + little16(1), .linkHeaderInvalid),
      (1, B.ethernet([0x0C, 0, 0, 0, 0, 0, 8, 0] + packet4, type: 0x88E5), .encryptedMACsec),
      (1, B.ethernet(packet4, tags: [(Int, Int)](repeating: (0x8100, 1), count: 9)), .tooManyTunnels),
    ] as [(UInt16, Bytes, UnreadReason)])
  func `an unread frame has a reason`(linkType: UInt16, packet: Bytes, reason: UnreadReason) {
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: linkType)
    #expect(kind == .unread(reason))
  }

  @Test func `an A-MSDU gives its subframes one by one, each within its bounds`() {
    func subframe(_ body: Bytes) -> Bytes { Self.zeros(12) + vector16(body) }
    let first = subframe(Self.snap + B.ipv4(B.tcp([1, 2, 3])))
    let second = subframe(Self.snap + B.ipv4(B.udp([4, 5]), number: 17))
    let other = subframe([0xAA, 0xAA, 3, 0, 0, 0, 0x08, 0x06, 1])
    let padding = { (bytes: Bytes) in Bytes(repeating: 0, count: -bytes.count & 3) }
    let packet =
      Self.wlan(control: 0x88, quality: [0x80, 0]) + first + padding(first) + other + padding(other) + second
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: 105)
    #expect(kind == .unread(.aggregate))
    var kinds: [PacketHeaders.Kind] = []
    var payloads: [Bytes] = []
    while let next = headers.decodeSubframe(packet.span) {
      kinds.append(next)
      let end = headers.payloadOffset + headers.payloadLength
      if next == .tcp || next == .udp { payloads.append(Bytes(packet[headers.payloadOffset..<end])) }
    }
    #expect(kinds == [.tcp, .unread(.notIP), .udp])
    #expect(payloads == [[1, 2, 3], [4, 5]])
    for count in 0..<packet.count {
      let cut = Bytes(packet.prefix(count))
      var turns = 0
      if headers.decode(cut.span, linkType: 105) == .unread(.aggregate) {
        while headers.decodeSubframe(cut.span) != nil { turns += 1 }
      }
      #expect(turns <= 3)
    }
  }

  @Test func `an unknown link type is reported, also inside PKTAP`() {
    var headers = PacketHeaders()
    _ = headers.decode(Self.packet4.span, linkType: 147)
    #expect(headers.unknownLinkType == 147)
    let wrapped = Self.pktap(inner: 160) + Self.packet4
    _ = headers.decode(wrapped.span, linkType: 258)
    #expect(headers.unknownLinkType == 160)
  }

  @Test(arguments: cases)
  func `truncated and changed frames never trap, and payloads are in bounds`(_ item: Case) {
    expectPayloadsInBounds(item.packet, linkType: item.linkType)
  }
}
