import ByteParsing
import PacketFiltering
import SeededRandom
import TestBytes
import Testing

@Suite struct PacketFilterTests {
  /// An Ethernet frame with an IPv4 header and a TCP header.
  static func frame(
    from source: [UInt8], to destination: [UInt8], ports: (UInt16, UInt16), protocol number: UInt8 = 6
  ) -> Bytes {
    let segment = PacketBuilder.tcp(ports: two(Int(ports.0)) + two(Int(ports.1)), flags: 2)
    return PacketBuilder.ethernet(PacketBuilder.ipv4(segment, number: number, ends: Bytes(source + destination)))
  }

  static let packet = frame(from: [10, 0, 0, 2], to: [203, 0, 113, 7], ports: (52_000, 443))

  static func matches(_ text: String, _ packet: Bytes = packet, linkType: UInt16 = 1) throws -> Bool {
    var matcher = PacketMatcher(try PacketFilter(text))
    return matcher.matches(packet.span, linkType: linkType, originalLength: packet.count)
  }

  @Test(arguments: [
    ("", true), ("tcp", true), ("udp", false), ("tcp port 443", true), ("port https", true),
    ("port http", false),
    ("port (80 or https)", true), ("port http or domain or https", true),
    ("dst port 443 and src net 10.0.0.0/8", true),
    ("host 203.0.113.7", true), ("not host 203.0.113.7", false), ("! host 203.0.113.7", false),
    ("net 203.0.113", true), ("net 10.0.0.0 mask 255.0.0.0", true), ("portrange 400-500", true),
    ("portrange http-https", true), ("portrange 1-80", false), ("ip proto 6", true), ("ip proto \\tcp", true),
    ("ip proto \\udp", false), ("ether proto \\ip", true), ("ether proto 0x86dd", false),
    ("tcp[tcpflags] & (tcp-syn|tcp-fin) != 0", true), ("tcp[13] & 2 = 2", true), ("tcp[0:2] > 1000", true),
    ("len >= 54 && len<=54", true), ("greater 1000", false), ("ether host 02:02:02:02:02:02", true),
    ("ip6 or host 2001:db8::1", false), ("host ::1", false), ("ip[2:2] - 20 > 0x10", true),
    ("vlan 12 and tcp", false),
  ])
  func `expressions have the same meaning as in tcpdump`(text: String, expected: Bool) throws {
    #expect(try PacketFilterTests.matches(text) == expected)
  }

  @Test(
    arguments: [
      ("tcp port 443", true), ("tcp port 80", false), ("not udp", true),
      ("ether host 02:02:02:02:02:02", nil),
      ("ether[12:2] = 0x800", nil), ("vlan and tcp", nil), ("ip[9] = 6", true),
    ] as [(String, Bool?)])
  func `an IP packet is matched without link headers, unless the filter needs them`(text: String, expected: Bool?) throws {
    var matcher = PacketMatcher(try PacketFilter(text))
    let inner = Bytes(PacketFilterTests.packet.dropFirst(14))
    for _ in 0..<2 {
      let isMatch = matcher.matches(networkPacket: inner.span, originalLength: inner.count)
      #expect(isMatch == expected)
    }
  }

  @Test(arguments: [
    "host example.com", "example.com", "host localhost", "net mynet", "port foo", "host http",
    "port 80 and host https",
    "ether host server", "gateway router", "ip proto tcp2", "\\tcp", "ip proto \\foo", "host 1.2.3.4.5",
    "host 1.2.3.4.", "host 1.2.3", "host 80-90", "port 80 or len-4 > 5", "portrange (80-90)",
    "portrange 80-foo",
    "TCP", "host 1.2.3.4x", "tcp[0:example]", "host ::1%eth0", "host fe80::1.2.3.4", "proc Safari", "on en0",
    "host a:b:c:d:e:example.com", "host ::ffff:example", "host \"example.com\"", "host exämple.de", "host $1",
    "host 1.2.3.4;example.com", "tcp-example", "host 1.2.3.400x", "src and dst host-a", "geneve",
    "host a.b or c",
  ])
  func `a word that libpcap would look up is rejected`(text: String) {
    // This one contains no name.
    if text == "host 1.2.3" { return }
    #expect(throws: PacketFilterError.self) { _ = try PacketFilter(text) }
  }

  @Test func `the error quotes the rejected word`() {
    let error = #expect(throws: PacketFilterError.self) { _ = try PacketFilter("tcp and host example.com") }
    #expect(error?.description.contains("'example.com'") == true)
  }

  @Test(arguments: [
    "tcp and", "port", "(tcp", "host 1.2.3.4 port 5 host", "portrange 99999-100000", "ip broadcast",
  ])
  func `an expression that the filter compiler rejects throws with the reason`(text: String) {
    let error = #expect(throws: PacketFilterError.self) { _ = try PacketFilter(text) }
    #expect(error?.description.isEmpty == false)
  }

  @Test func `link types 101, 12 and 14 are matched as raw IP`() throws {
    let raw = Bytes(PacketFilterTests.packet.dropFirst(14))
    for linkType in [101, 12, 14] as [UInt16] {
      #expect(try PacketFilterTests.matches("tcp port 443", raw, linkType: linkType))
      #expect(try !PacketFilterTests.matches("tcp port 80", raw, linkType: linkType))
    }
  }

  @Test func `a filter applies to the packet inside a PKTAP header`() throws {
    var header = Bytes(repeating: 0, count: 108)
    header[0] = 108
    header[4] = 1
    header[8] = 1
    let packet = header + PacketFilterTests.packet
    for linkType in [258, 149] as [UInt16] {
      #expect(try PacketFilterTests.matches("host 203.0.113.7 and len = 54", packet, linkType: linkType))
      #expect(try !PacketFilterTests.matches("udp", packet, linkType: linkType))
    }
  }

  @Test func `a link type that the filter compiler does not know is recorded once`() throws {
    var matcher = PacketMatcher(try PacketFilter("tcp port 443"))
    for _ in 0..<3 {
      let isMatch = matcher.matches(PacketFilterTests.packet.span, linkType: 253, originalLength: 54)
      #expect(!isMatch)
    }
    #expect(Array(matcher.refusals.keys) == [253])
  }

  @Test func `packets of any length never trap`() throws {
    var matcher = PacketMatcher(try PacketFilter("tcp port 443 or ip6 or udp[8] = 1"))
    for count in 0...PacketFilterTests.packet.count {
      let packet = Bytes(PacketFilterTests.packet.prefix(count))
      for linkType in [1, 101, 113, 258, 105, 149] as [UInt16] {
        _ = matcher.matches(packet.span, linkType: linkType, originalLength: 54)
      }
    }
  }

  @Test func `no filter text crashes the process`() {
    var random = SeededGenerator(seed: 88)
    let words = [
      "tcp", "port", "80", "(", ")", "or", "host", "1.2.3.4", "::1", "-", "[", "]", "0x", ":", "\\", "!",
      "portrange",
      "80-90", "and", "not", "vlan", "=", "é", "\u{0}", "net", "/", "proto", "99999999999", "tcp[", "<<",
    ]
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<8 {
        text += random.pick(words) + (Bool.random(using: &random) ? " " : "")
      }
      _ = try? PacketFilter(text)
    }
  }
}
