import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

/// A TCP segment in every supported tunnel.
@Suite struct PacketHeadersTunnelsTests {
  typealias B = PacketBuilder

  static let inner4 = B.ipv4(B.tcp([1, 2, 3]))
  static let inner6 = B.ipv6(B.tcp([1, 2, 3]))
  static let frame = B.ethernet(inner4)
  static let resembling = B.ipv4(B.tcp([1, 2, 3]), ends: [8, 0, 0x45, 1, 203, 0, 113, 7])
  static let tagged = B.ethernet(inner4, tags: [(0x8100, 12)])
  static let dialed = B.ethernet([0x11, 0, 0x12, 0x34, 0, 45, 0, 0x21] + inner4, type: 0x8864, tags: [(0x88A8, 100), (0x8100, 12)])

  static func over4(_ number: UInt8, _ payload: Bytes) -> Bytes {
    B.ethernet(B.ipv4(payload, number: number))
  }
  static func over6(_ number: UInt8, _ payload: Bytes) -> Bytes {
    B.ethernet(B.ipv6(payload, next: number), type: 0x86DD)
  }
  static func overUDP(_ port: Int, _ payload: Bytes, from source: Int = 40_000) -> Bytes {
    over4(17, B.udp(payload, ports: B.ports(client: source, server: port)))
  }
  static func gre(_ flags: Int, _ type: Int, _ rest: Bytes) -> Bytes {
    over4(47, two(flags) + two(type) + rest)
  }

  static func label(_ value: UInt32, isBottom: Bool) -> Bytes {
    four(Int(value) << 12 | (isBottom ? 0x100 : 0) | 64)
  }
  static func words(_ values: UInt32...) -> Bytes { Bytes(values.flatMap { four(Int($0)) }) }

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var packet: Bytes
    var tunnels: [String]
    var testDescription: String { name }

    init(_ name: String, _ packet: Bytes, _ tunnels: String...) {
      self.name = name
      self.packet = packet
      self.tunnels = tunnels
    }
  }

  static let wireless = joined(
    [0x08, 0x01, 0, 0], Bytes(repeating: 2, count: 18), [0, 0, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0], inner4)
  static let teredoAddress = joined([0x20, 0x01, 0, 0], Bytes(repeating: 9, count: 12))
  static let teredo = joined(
    [0x60, 0, 0, 0], two(23), [6, 64], teredoAddress, B.address6(2), B.tcp([1, 2, 3]))

  static let cases: [Case] = [
    Case("IPv4 in IPv4", over4(4, inner4), "ip-in-ip"), Case("IPv6 in IPv4", over4(41, inner6), "6in4"),
    Case("IPv4 in IPv6", over6(4, inner4), "4in6"), Case("IPv6 in IPv6", over6(41, inner6), "6in6"),
    Case("the version, not the number, tells", over4(41, inner4), "ip-in-ip"),
    Case("GRE", gre(0, 0x0800, inner4), "gre"),
    Case("GRE with checksum, key and sequence", gre(0xB000, 0x86DD, words(1, 42, 3) + inner6), "gre 42"),
    Case("GRE with Ethernet", gre(0, 0x6558, frame), "gre"),
    Case("NVGRE", gre(0x2000, 0x6558, words(0x0012_3401) + frame), "gre 1192961"),
    Case("GRE with MPLS", gre(0, 0x8847, label(16, isBottom: true) + inner4), "gre", "mpls 16"),
    Case("GRE with PPP", gre(0, 0x880B, [0xFF, 0x03, 0, 0x21] + inner4), "gre"),
    Case("GRE with a cache's redirect", gre(0, 0x883E, words(7) + inner4), "gre"),
    Case("GRE with a cache's redirect and another bucket", gre(0, 0x883E, words(0x4000_0507) + inner4), "gre"),
    Case("GRE over IPv6", over6(47, words(0x0800) + inner4), "gre"),
    Case("PPTP", gre(0x3001, 0x880B, two(40) + two(77) + words(1) + [0, 0x21] + inner4), "pptp 77"),
    Case(
      "PPTP that acknowledges",
      gre(0x3081, 0x880B, two(40) + two(77) + words(1, 2) + [0x21] + inner4),
      "pptp 77"),
    Case("EoIP", gre(0x2001, 0x6400, two(frame.count) + [0xD2, 0x04] + frame), "gre 1234"),
    Case("ERSPAN I", gre(0, 0x88BE, frame), "erspan"),
    Case("ERSPAN II", gre(0x1000, 0x88BE, words(1, 0x1000_0007, 0) + frame), "erspan 7"),
    Case("ERSPAN III", gre(0x1000, 0x22EB, words(1, 0x2000_0009, 0, 1, 0, 0) + frame), "erspan 9"),
    Case("EtherIP", over4(97, [0x30, 0] + frame), "etherip"),
    Case("Ethernet in IPv6", over6(143, frame), "etherip"),
    Case(
      "MPLS", B.ethernet(label(1000, isBottom: false) + label(2000, isBottom: true) + inner4, type: 0x8847),
      "mpls 1000", "mpls 2000"),
    Case("MPLS with IPv6", B.ethernet(label(2, isBottom: true) + inner6, type: 0x8848), "mpls 2"),
    Case("MPLS in IP", over4(137, label(5, isBottom: true) + inner4), "mpls 5"),
    Case(
      "MPLS with Ethernet", B.ethernet(label(5, isBottom: true) + frame, type: 0x8847), "mpls 5", "pseudowire"
    ),
    Case(
      "MPLS with control word and Ethernet",
      B.ethernet(label(5, isBottom: true) + words(9) + frame, type: 0x8847),
      "mpls 5", "pseudowire"),
    Case(
      "MPLS with Ethernet to a station whose address begins with 4",
      B.ethernet(label(5, isBottom: true) + [0x45] + frame.dropFirst(), type: 0x8847), "mpls 5", "pseudowire"),
    Case(
      "MPLS with tagged Ethernet to a station whose address begins with 4",
      B.ethernet(label(5, isBottom: true) + [0x4C] + tagged.dropFirst(), type: 0x8847), "mpls 5", "pseudowire", "vlan 12"),
    Case(
      "MPLS with tagged Ethernet to a station whose address begins with 6",
      B.ethernet(label(5, isBottom: true) + [0x60] + tagged.dropFirst(), type: 0x8847), "mpls 5", "pseudowire", "vlan 12"),
    Case(
      "MPLS with PPPoE in Ethernet with two tags to a station whose address begins with 4",
      B.ethernet(label(5, isBottom: true) + [0x45] + dialed.dropFirst(), type: 0x8847),
      "mpls 5", "pseudowire", "vlan 100", "vlan 12", "pppoe 4660"),
    Case(
      "MPLS with IPv4 whose sender's address resembles an EtherType",
      B.ethernet(label(5, isBottom: true) + resembling, type: 0x8847), "mpls 5"),
    Case("PPPoE", B.ethernet([0x11, 0, 0x12, 0x34, 0, 45, 0, 0x21] + inner4, type: 0x8864), "pppoe 4660"),
    Case("MAC in MAC", B.ethernet(words(0x0000_002A) + frame, type: 0x88E7), "pbb 42"),
    Case("MACsec, not encrypted", B.ethernet([0, 0, 0, 0, 0, 1, 8, 0] + inner4, type: 0x88E5), "macsec"),
    Case(
      "MACsec with a channel, not encrypted",
      B.ethernet([0x20, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 0] + inner4, type: 0x88E5), "macsec"),
    Case("NSH", B.ethernet(words(0x0FC6_0203, 0x0000_2AFF, 0, 0, 0, 0) + frame, type: 0x894F), "nsh 42"),
    Case("AH over TCP", over4(51, [6, 4, 0, 0] + words(1, 2, 3, 4, 5) + B.tcp([1, 2, 3])), "ah"),
    Case("AH with a packet", over4(51, [4, 4, 0, 0] + words(1, 2, 3, 4, 5) + inner4), "ah", "ip-in-ip"),
    Case("AH over IPv6", over6(51, [6, 4, 0, 0] + words(1, 2, 3, 4, 5) + B.tcp([1, 2, 3])), "ah"),
    Case("L2TP", overUDP(1701, [0, 2, 0, 1, 0, 5, 0xFF, 3, 0, 0x21] + inner4), "l2tp 5"),
    Case(
      "L2TP with everything",
      overUDP(1701, [0x4A, 2, 0, 99, 0, 1, 0, 5, 0, 0, 0, 0, 0, 2, 7, 7, 0, 0x21] + inner4),
      "l2tp 5"),
    Case("L2TP answered", overUDP(50_000, [0, 2, 0, 1, 0, 5, 0x21] + inner4, from: 1701), "l2tp 5"),
    Case("L2TP, version 3", overUDP(1701, [0, 3, 0, 0] + words(9) + frame), "l2tp 9"),
    Case("L2TP, version 3, over IP with a cookie", over4(115, words(9, 1, 2) + frame), "l2tp 9"),
    Case("L2TP, version 3, with a tag", over4(115, words(9) + tagged), "l2tp 9", "vlan 12"),
    Case("L2TP, version 3, with a cookie and PPPoE", over4(115, words(9, 1) + dialed), "l2tp 9", "vlan 100", "vlan 12", "pppoe 4660"),
    Case("VXLAN", overUDP(4789, words(0x0800_0000, 42 << 8) + frame), "vxlan 42"),
    Case("VXLAN by its old port", overUDP(8472, words(0x0800_0000, 42 << 8) + frame), "vxlan 42"),
    Case(
      "VXLAN with a tag",
      overUDP(4789, words(0x0800_0000, 42 << 8) + B.ethernet(inner4, tags: [(0x8100, 7)])),
      "vxlan 42", "vlan 7"),
    Case("VXLAN-GPE with IPv4", overUDP(4790, words(0x0C00_0001, 42 << 8) + inner4), "vxlan 42"),
    Case("VXLAN-GPE with Ethernet", overUDP(4790, words(0x0C00_0003, 42 << 8) + frame), "vxlan 42"),
    Case(
      "VXLAN-GPE with NSH", overUDP(4790, words(0x0C00_0004, 42 << 8, 0x0002_0201, 0x300) + inner4),
      "vxlan 42", "nsh 3"),
    Case("Geneve", overUDP(6081, words(0x0000_6558, 42 << 8) + frame), "geneve 42"),
    Case(
      "Geneve with options and IPv6", overUDP(6081, words(0x0200_86DD, 42 << 8, 1, 2) + inner6), "geneve 42"),
    Case("GTP-U", overUDP(2152, words(0x30FF_0000, 0x1234) + inner4), "gtp-u 4660"),
    Case(
      "GTP-U with extensions",
      overUDP(2152, words(0x34FF_0000, 0x1234, 0x0000_0085, 0x0110_0085, 0x0110_0000) + inner6), "gtp-u 4660"),
    Case("GTP-U with Ethernet", overUDP(2152, words(0x30FF_0000, 0x1234) + frame), "gtp-u 4660"),
    Case(
      "GTP-U with Ethernet to a station whose address begins with 4",
      overUDP(2152, words(0x30FF_0000, 0x1234) + [0x4C] + frame.dropFirst()), "gtp-u 4660"),
    Case(
      "GTP-U with tagged Ethernet to a station whose address begins with 6",
      overUDP(2152, words(0x30FF_0000, 0x1234) + [0x60] + tagged.dropFirst()), "gtp-u 4660", "vlan 12"),
    Case(
      "GTP-U with IPv4 whose sender's address resembles an EtherType",
      overUDP(2152, words(0x30FF_0000, 0x1234) + resembling), "gtp-u 4660"),
    Case("CAPWAP with 802.11", overUDP(50_001, words(0x0010_0300, 0) + wireless, from: 5247), "capwap"),
    Case(
      "CAPWAP with 802.11 of Cisco's and a radio's address",
      overUDP(5247, words(0x0020_0320, 0, 0x04C2_2500, 0) + [0x01, 0x08] + wireless.dropFirst(2)), "capwap"),
    Case("CAPWAP with Ethernet", overUDP(5247, words(0x0010_0200, 0) + frame), "capwap"),
    Case("TZSP with Ethernet", overUDP(37008, [1, 0, 0, 1, 1] + frame), "tzsp"),
    Case("TZSP with fields and 802.11", overUDP(37008, [1, 0, 0, 18, 10, 1, 0xD5, 0, 13, 2, 1, 2, 1] + wireless), "tzsp"),
    Case("Teredo", overUDP(3544, teredo), "teredo"),
    Case("Teredo with origin", overUDP(50_001, words(0, 0) + teredo, from: 3544), "teredo"),
    Case(
      "Teredo with authentication and origin",
      overUDP(3544, [0, 1, 2, 1, 7, 7, 8] + Bytes(repeating: 0, count: 9) + words(0, 0) + teredo), "teredo"),
    Case("Teredo between clients", overUDP(50_001, teredo), "teredo"),
    Case("L2TP answered on the port of another tunnel", overUDP(6080, [0, 2, 0, 1, 0, 5, 0x21] + inner4, from: 1701), "l2tp 5"),
    Case("GRE in UDP", overUDP(4754, words(0x0800) + inner4), "gre"),
    Case("LISP", overUDP(4341, words(0x8012_3456, 1) + inner4), "lisp"),
    Case("LISP with an instance and IPv6", overUDP(4341, words(0x8812_3456, 42 << 8 | 1) + inner6), "lisp 42"),
    Case("IPv4 in UDP", overUDP(5555, inner4), "fou"), Case("IPv6 in UDP", overUDP(5555, inner6), "fou"),
    Case("GUE", overUDP(6080, words(0x0004_0000) + inner4), "gue"), Case("GUE without a header", overUDP(6080, inner6), "gue"),
    Case("GUE with options and IPv6", overUDP(6080, words(0x0229_8000, 1, 2) + inner6), "gue"),
    Case("MPLS in UDP", overUDP(6635, label(8, isBottom: true) + inner4), "mpls 8"),
    Case(
      "all the way",
      B.ethernet(
        B.ipv4(B.udp(words(0x0800_0000, 42 << 8) + gre(0, 0x0800, inner4), ports: B.ports(client: 40_000, server: 4789)), number: 17),
        tags: [(0x88A8, 100), (0x8100, 12)]), "vlan 100", "vlan 12", "vxlan 42", "gre"),
  ]

  @Test
  func `bytes beyond the PPPoE length are padding, whatever the IP length is`() {
    var headers = PacketHeaders()
    for (packet, number) in [
      (B.ipv4(B.tcp([0, 0])), 0x21), (B.ipv6(B.tcp([0, 0])), 0x57),
    ] {
      func session(_ length: Int) -> Bytes {
        B.ethernet(joined([0x11, 0, 0, 9], two(length), two(number), packet), type: 0x8864)
      }
      #expect(headers.decode(session(packet.count).span, linkType: 1) == .tcp)
      #expect(headers.payloadLength == 0 && headers.payloadLengthOnWire == 0)
      // A truncated frame has a larger PPPoE length; segmentation offloading leaves 0.
      for length in [0, packet.count + 2, packet.count + 100] {
        #expect(headers.decode(session(length).span, linkType: 1) == .tcp)
        #expect(headers.payloadLength == 2 && headers.payloadLengthOnWire == 2)
      }
      #expect(headers.decode(session(10).span, linkType: 1) == .unread(.ipHeaderInvalid))
      #expect(headers.decode(B.ethernet(Self.inner4).span, linkType: 1) == .tcp)
      #expect(headers.payloadLengthOnWire == 3)
    }
  }

  @Test(arguments: cases)
  func `the TCP segment in each tunnel is found`(_ item: Case) {
    var headers = PacketHeaders()
    let kind = headers.decode(item.packet.span, linkType: 1)
    #expect(kind == .tcp)
    #expect(headers.sourcePort == 50_000)
    #expect(headers.payloadLength == 3)
    #expect(headers.payloadOffset == item.packet.count - 3)
    #expect(headers.tunnels.descriptions == item.tunnels)
    // The next packet starts without tunnels.
    _ = headers.decode(B.ethernet(Self.inner4).span, linkType: 1)
    #expect(headers.tunnels.isEmpty)
  }

  @Test(
    arguments: [
      overUDP(4789, [0, 0, 0, 0, 0, 0, 0, 0]), overUDP(2152, words(0x3201_0000, 0, 0)), overUDP(6081, [0x40]),
      overUDP(1701, [0xC8, 2, 0, 12, 0, 0, 0, 0]), overUDP(4500, words(0, 1, 2)), overUDP(4500, [0xFF]),
      overUDP(5247, words(0x0100_0000, 1, 2)), overUDP(5247, words(0x0010_0208, 0)),
      // LISP that is encrypted, control messages of GUE, and lengths that do not fit.
      overUDP(4341, words(0x8112_3456, 1) + Bytes(repeating: 0x45, count: 40)), overUDP(6080, words(0x2001_0000) + inner4),
      overUDP(4341, words(0, 0)), overUDP(5555, inner4 + [0]), overUDP(6080, words(0x1F04_0000) + inner4), overUDP(6080, [0x45]),
      // QUIC and DTLS of a client that uses the port of a tunnel.
      overUDP(4790, words(0xCB00_0000, 0x0108_63FD) + frame),
      overUDP(1701, words(0x5163_FD86, 9) + frame), overUDP(1701, words(0x4062_FD86, 9) + frame),
      overUDP(6081, words(0x16FE_FD00, 0) + frame),
      // Resembles a QUIC short header; the length does not fit IPv6.
      overUDP(443, Bytes(repeating: 0x60, count: 100)), overUDP(3544, words(1, 2)),
      // IPv6 of the right length, but neither the port nor an address of Teredo.
      overUDP(50_001, inner6),
    ])
  func `a UDP datagram without a tunnel is decoded as UDP`(packet: Bytes) {
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: 1)
    #expect(kind == .udp)
    #expect(headers.tunnels.isEmpty)
    #expect(headers.payloadOffset == 42)
  }

  @Test(
    arguments: [
      (over4(50, words(1, 2, 3)), .encryptedESP), (overUDP(4500, words(1, 2, 3)), .encryptedESP),
      (overUDP(4789, words(0x0800_0000, 42 << 8) + B.ethernet([], type: 0x0806)), .notIP),
      (gre(0x0002, 0x0800, inner4), .tunnelHeaderInvalid), (gre(0x3001, 0x0800, words(40, 1) + inner4), .tunnelHeaderInvalid),
      (gre(0x2001, 0x6400, words(0)), .notIP), (gre(0x2001, 0x6400, [0, 0]), .tunnelHeaderTruncated),
      (gre(0xB000, 0x0800, [1]), .tunnelHeaderTruncated),
      (overUDP(5247, words(0x0010_0280, 8) + frame), .linkFragment),
      (overUDP(5247, words(0x0100_0000, 0x17FE_FD00, 0x0100_0000)), .encryptedWLAN),
      (over4(51, [6, 0, 0, 0, 0, 0, 0, 0]), .tunnelHeaderInvalid), (over4(97, [0, 0]), .tunnelHeaderInvalid),
      (B.ethernet(four(16 << 12), type: 0x8847), .tunnelHeaderTruncated),
      (over4(132, words(1, 2, 3)), .otherTransport), (over4(115, words(0)), .otherTransport),
      (
        B.ethernet((0..<9).reduce(into: inner4) { bytes, _ in bytes = B.ipv4(bytes, number: 4) }),
        .tooManyTunnels
      ),
    ] as [(Bytes, UnreadReason)])
  func `an unread packet has a reason`(packet: Bytes, reason: UnreadReason) {
    var headers = PacketHeaders()
    let kind = headers.decode(packet.span, linkType: 1)
    #expect(kind == .unread(reason))
  }

  @Test func `a fragment has its identification, offset and protocol number`() {
    var headers = PacketHeaders()
    let body = Bytes(repeating: 1, count: 24)
    var kind = headers.decode(B.ethernet(B.ipv4(body, number: 17, fragment: 0x2003)).span, linkType: 1)
    #expect(kind == .unread(.fragment))
    #expect(headers.fragment.identification == 1)
    #expect(headers.fragment.offset == 24)
    #expect(!headers.fragment.isLast)
    #expect(headers.fragment.protocolNumber == 17)
    #expect(headers.payloadOffset == 34)
    #expect(headers.payloadLength == 24)
    kind = headers.decode(B.ethernet(B.ipv6([6, 0, 0, 24, 0, 0, 1, 2] + body, next: 44)).span, linkType: 1)
    #expect(kind == .unread(.fragment))
    #expect(headers.fragment.identification == 258)
    #expect(headers.fragment.offset == 24)
    #expect(headers.fragment.isLast)
    #expect(headers.fragment.protocolNumber == 6)
    #expect(headers.payloadLength == 24)
    // A length that is not a multiple of 8, although more follows; an end beyond 65535 bytes.
    for packet in [B.ipv4([1, 2, 3], fragment: 0x2000), B.ipv4(body, fragment: 0x1FFF)] {
      kind = headers.decode(packet.span, linkType: 101)
      #expect(kind == .unread(.ipHeaderInvalid))
    }
  }

  @Test func `a reassembled datagram is decoded`() {
    var headers = PacketHeaders()
    let segment = B.tcp([1, 2, 3])
    _ = headers.decode(
      B.ethernet(B.ipv4(four(0), fragment: 0x0010), tags: [(0x8100, 12)]).span, linkType: 1)
    var kind = headers.decode(reassembled: segment.span, protocolNumber: 6, lengthOnWire: segment.count + 7)
    #expect(kind == .tcp)
    #expect(headers.payloadOffset == 20)
    #expect(headers.payloadLength == 3)
    #expect(headers.payloadLengthOnWire == 10)
    #expect(headers.tunnels.descriptions == ["vlan 12"])
    // The reassembled part may begin with IPv6 options and contain another packet.
    _ = headers.decode(B.ipv6([60, 0, 0, 8, 0, 0, 0, 9] + four(0), next: 44).span, linkType: 101)
    let carried = [41, 0, 1, 4, 0, 0, 0, 0] + Self.inner6
    kind = headers.decode(reassembled: Bytes(carried).span, protocolNumber: 60, lengthOnWire: carried.count)
    #expect(kind == .tcp)
    #expect(headers.tunnels.descriptions == ["6in6"])
  }

  @Test(arguments: cases)
  func `truncated and changed packets never trap, and payloads are in bounds`(_ item: Case) {
    expectPayloadsInBounds(item.packet, linkType: 1)
  }
}
