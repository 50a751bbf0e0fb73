import ByteParsing
import SessionModel
import TestBytes
import TestFiles
import Testing

@testable import ATScope

/// Tests that an extract of a capture with lost or late packets has the same sessions, and no bytes that are not read from it.
@Suite struct ExtractionLossesTests {
  /// A packet of a connection.
  struct Packet: Sendable {
    var fromClient: Bool
    var flags: UInt8
    var number: UInt32
    var bytes: Bytes
    /// The number of bytes that the snapshot length truncated.
    var cut: Int
  }

  struct Capture: Sendable, CustomTestStringConvertible {
    var name: String
    var port: UInt16 = 8080
    var packets: [Packet]
    var testDescription: String { name }
  }

  private static func c(_ number: UInt32, _ text: String, cut: Int = 0) -> Packet {
    Packet(fromClient: true, flags: 0x18, number: number, bytes: Bytes(text.utf8), cut: cut)
  }
  private static func s(_ number: UInt32, _ text: String, cut: Int = 0) -> Packet {
    Packet(fromClient: false, flags: 0x18, number: number, bytes: Bytes(text.utf8), cut: cut)
  }
  private static func flags(_ fromClient: Bool, _ flags: UInt8, _ number: UInt32) -> Packet {
    Packet(fromClient: fromClient, flags: flags, number: number, bytes: [], cut: 0)
  }
  /// The ClientHello, or the ServerHello.
  private static func hello(_ fromClient: Bool, _ number: UInt32, of count: Int? = nil, cut: Int = 0)
    -> Packet
  {
    let bytes = ExtractionTests.hello[fromClient ? 0 : 1].bytes
    return Packet(
      fromClient: fromClient, flags: 0x18, number: number, bytes: Bytes(bytes.prefix(count ?? bytes.count)),
      cut: cut)
  }
  private static let opening = [flags(true, 0x02, 999), flags(false, 0x12, 8999)]
  private static let answered = "HTTP/1.1 200 OK\r\nX-Secret: secret\r\n\r\n"
  private static let connect = "CONNECT a.example:443 HTTP/1.1\r\nX-Secret: secret\r\n\r\n"
  private static let get = "GET /?secret HTTP/1.1\r\nHost: b.example\r\nCookie: secret\r\n\r\n"

  static let captures: [Capture] = [
    Capture(
      name: "two connections between the same endpoints",
      packets: [
        flags(true, 0x02, 999), flags(false, 0x12, 8999), c(1100, "a2 STARTTLS secret\r\n"),
        c(400_001_000, connect), hello(true, 400_001_052),
      ]),
    Capture(
      name: "interleaved requests of two connections between the same endpoints",
      packets: opening + [
        c(1000, get), flags(true, 0x02, 400_000_999), flags(false, 0x12, 800_000_999),
        c(400_001_000, get), s(9000, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"),
        s(800_001_000, "HTTP/1.1 301 No\r\nLocation: https://c.example/secret\r\nContent-Length: 0\r\n\r\n"),
        c(1058, get), c(400_001_058, get),
      ]),
    Capture(
      name: "a response before a ClientHello, its request lost",
      packets: opening + [s(9000, answered), hello(true, 1100), hello(false, 9037)]),
    Capture(
      name: "the same, with the whole response of the server",
      packets: opening + [
        c(1000, connect.prefix(20).description), s(9000, answered), hello(true, 1053), hello(false, 9037),
      ]),
    Capture(
      name: "a long response whose request is lost",
      packets: opening + [s(9000, answered + String(repeating: "secret ", count: 400)), hello(true, 1000)]),
    Capture(
      name: "truncated requests and responses",
      packets: opening + [
        c(1000, "PATCH http://a.example/?secret", cut: 300), s(9000, "HTTP/1.1 301 Moved\r\nX: secr", cut: 300),
        c(1330, connect), s(9327, answered), hello(true, 1382), hello(false, 9364),
      ]),
    Capture(name: "a request line that ends within a password", packets: opening + [c(1000, "GET http://u:secret", cut: 300)]),
    Capture(
      name: "the first of two responses is late",
      packets: opening + [
        c(1000, get), s(9025, "HTTP/1.1 304 Not Modified\r\nX: secret\r\n\r\n"),
        s(9000, "HTTP/1.1 100 Continue\r\n\r\n"),
      ]),
    Capture(
      name: "data after an upgrade whose response is missing",
      packets: opening + [
        c(1000, "GET / HTTP/1.1\r\nHost: b.example\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"),
        c(1076, "\u{1}\u{2}\u{3}secret"),
      ]),
    Capture(
      name: "cleartext after a gap in a handshake",
      packets: opening + [
        hello(true, 1000), hello(false, 9000), s(9500, "220 secret\r\n"), c(2000, "AUTH PLAIN secret\r\n"),
        s(9512, "secret"), hello(false, 9518),
      ]),
    Capture(
      name: "cleartext before the middle of a connection",
      packets: [hello(false, 9100), s(9000, "a2 OK secret\r\n"), hello(true, 1000)]),
    Capture(
      name: "a packet with another connection's sequence numbers",
      packets: [
        hello(true, 1000), c(900_000_000, "\u{1}\u{6}secret\u{6}secret"), hello(false, 9000),
      ]),
    Capture(
      name: "a proxy's response before a second request to it",
      packets: [
        c(1000, connect), s(9000, answered), s(9037, "SECRETsecret"), c(1100, connect), hello(true, 1152),
      ]),
    Capture(
      name: "a SOCKS proxy whose second response is lost",
      packets: opening + [
        c(1000, "\u{5}\u{2}\u{0}\u{2}"), s(9000, "\u{5}\u{2}"), c(1004, "\u{1}\u{6}secret\u{6}secret"),
        c(1019, "\u{5}\u{1}\u{0}\u{3}\u{9}a.example\u{1}\u{50}"), c(1035, get),
      ]),
    Capture(
      name: "a SOCKS 4 user ID in two segments",
      packets: opening + [
        c(1000, "\u{4}\u{1}\u{0}\u{50}\u{1}\u{2}\u{3}\u{4}secret", cut: 10), s(9000, "HTTP/1.1 2"),
        hello(true, 1024),
      ]),
    Capture(
      name: "truncated text on a DNS port", port: 53,
      packets: opening + [s(9000, "HTTP/1", cut: 30), hello(true, 1000, of: 6, cut: 30)]),
    Capture(
      name: "one byte after a gap", packets: opening + [c(1100, "\u{1}"), hello(true, 1101)]),
    Capture(
      name: "a request that only the client's FIN shows to be lost",
      packets: opening + [
        c(1000, get), s(9000, answered), s(9037, answered), flags(true, 0x11, 1116), flags(false, 0x11, 9074),
      ]),
    Capture(
      name: "a request that only an acknowledgment shows to be lost",
      packets: opening + [c(1000, get), s(9000, answered), c(1116, "secret"), s(9037, answered)]),
    Capture(
      name: "another connection between the endpoints of a closed one",
      packets: opening + [
        s(9000, "220 mail.secret ESMTP\r\n"), c(1000, "EHLO secret\r\n"), flags(true, 0x11, 1013),
        flags(false, 0x11, 9023), c(700_001_000, connect), hello(true, 700_001_052),
      ]),
  ]

  @Test(arguments: captures)
  func `an extract of a capture with losses has the same sessions and no secrets`(capture: Capture) throws {
    try ExtractionLossesTests.compare(capture, ExtractionTests.sessions, isReduced: true)
  }

  /// Expects extracts of a capture to give the same result and to contain no secrets; with `isReduced`, no request is replaced with zeros.
  private static func compare<Told: Collection & Equatable>(
    _ capture: Capture, _ told: (String) -> Told, isReduced: Bool = false
  ) throws {
    let scratch = try TemporaryFolder()
    let path = try scratch.write("a.pcap", file(capture))
    let expected = told(path)
    #expect(!expected.isEmpty)
    for anonymizes in [false, true] {
      let extraction = Extraction(
        AuditOptions(paths: [path]), anonymizationKey: anonymizes ? .random() : nil
      ).whole()
      let bytes = extraction.bytes
      let extract = try scratch.write("b\(anonymizes).pcapng", bytes)
      #expect(told(extract) == expected)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
      if isReduced { #expect(extraction.result.zeroedCaptures.isEmpty) }
    }
  }

  @Test
  func `a body that an extract leaves out is not counted as missing bytes`() throws {
    let head =
      "POST / HTTP/1.1\r\nHost: b.example\r\nUpgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 6\r\n\r\n"
    let end = 1000 + UInt32(head.utf8.count)
    let packets = [
      ExtractionLossesTests.c(1000, head), ExtractionLossesTests.c(end, "secret"),
      ExtractionLossesTests.c(end + 6, "\u{1}\u{2}\u{3}secret"),
    ]
    let capture = Capture(name: "", packets: ExtractionLossesTests.opening + packets)
    let scratch = try TemporaryFolder()
    let path = try scratch.write("a.pcap", ExtractionLossesTests.file(capture))
    let extraction = Extraction(AuditOptions(paths: [path])).whole()
    let extract = try scratch.write("b.pcapng", extraction.bytes)
    let evidence = Audit(AuditOptions(paths: [extract])).run().sessions.first?.session.evidence
    #expect(evidence?.missingBytes == 0)
  }

  private static let body = String(repeating: "secret ", count: 100)
  private static func head(_ field: String) -> String { "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n" }
  private static let sized = head("Content-Length: 700")

  /// Captures with data after a session's last packet, and with the ways a connection ends.
  static let ends: [Capture] = [
    Capture(
      name: "a body after its head", port: 80,
      packets: opening + [
        c(1000, get), s(9000, sized), s(9040, body), flags(true, 0x11, 1058), flags(false, 0x11, 9740),
      ]),
    Capture(
      name: "a chunked body without a last chunk", port: 80,
      packets: opening + [
        c(1000, get), s(9000, head("Transfer-Encoding: chunked")), s(9047, "2BC\r\n" + body),
        s(9752, "\r\n0\r\n\r\n"),
      ]),
    Capture(
      name: "a body that the server's FIN ends, and a client's reset", port: 80,
      packets: opening + [
        c(1000, get), s(9000, head("X: secret")), s(9030, body), flags(false, 0x11, 9730),
        flags(true, 0x14, 1058),
      ]),
    Capture(
      name: "a body whose start is lost", port: 80,
      packets: opening + [c(1000, get), s(9000, sized), s(9140, String(body.prefix(600)))]),
    Capture(
      name: "an answer that is none", port: 80,
      packets: opening + [c(1000, get), s(9000, "<secret>"), flags(false, 0x14, 9008)]),
    Capture(
      name: "a FIN captured before the server's data", port: 443,
      packets: opening + [
        hello(true, 1000), hello(false, 9000), flags(true, 0x11, 1067), flags(false, 0x11, 9000),
      ]),
    Capture(
      name: "a FIN after a gap", port: 443,
      packets: opening + [
        hello(true, 1000), hello(false, 9000), flags(true, 0x11, 1067), flags(false, 0x11, 9500),
      ]),
    Capture(
      name: "another connection between the endpoints of one with a gap", port: 80,
      packets: opening + [
        c(1000, get), s(9000, sized), s(9140, String(body.prefix(600))), flags(true, 0x14, 1058),
        flags(true, 0x02, 700_000_999), flags(false, 0x12, 800_000_999), c(700_001_000, get),
        s(800_001_000, sized),
        s(800_001_040, body),
      ]),
  ]

  private static func ends(_ path: String) -> [[String]] {
    Audit(AuditOptions(paths: [path])).run().sessions.map {
      let evidence = $0.session.evidence
      return [
        "\(evidence.missingBytes)", evidence.incomplete?.rawValue ?? "-", "\(evidence.notes)",
        "\($0.session.sharedTLS?.outcome.rawValue ?? "-")",
      ]
    }
  }

  @Test(arguments: ends)
  func `an extract has the same losses and ends of connections as its capture`(capture: Capture) throws {
    try ExtractionLossesTests.compare(capture, ExtractionLossesTests.ends)
  }

  @Test
  func `a long body is left out and does not count as lost`() throws {
    let size = 32_000
    let body = (0..<4).map { index in
      ExtractionLossesTests.s(9043 + UInt32(index * size), String(repeating: "-", count: size))
    }
    let head = ExtractionLossesTests.head("Content-Length: \(4 * size)")
    let packets =
      [ExtractionLossesTests.c(1000, ExtractionLossesTests.get), ExtractionLossesTests.s(9000, head)] + body + [
        ExtractionLossesTests.flags(true, 0x11, 1058), ExtractionLossesTests.flags(false, 0x11, 137_043),
      ]
    let capture = Capture(name: "", packets: ExtractionLossesTests.opening + packets)
    let scratch = try TemporaryFolder()
    let path = try scratch.write("a.pcap", ExtractionLossesTests.file(capture))
    let extraction = Extraction(AuditOptions(paths: [path])).whole()
    let bytes = extraction.bytes
    #expect(bytes.count < size)
    #expect(
      ExtractionLossesTests.ends(try scratch.write("b.pcapng", bytes)) == [["0", "stillOpen", "[]", "-"]])
  }

  @Test
  func `a request after a body is not copied with the body`() throws {
    let other = "GET /other HTTP/1.1\r\nHost: c.example\r\n\r\n"
    let capture = Capture(
      name: "",
      packets: ExtractionLossesTests.opening + [
        ExtractionLossesTests.c(1000, ExtractionLossesTests.get), ExtractionLossesTests.s(9000, ExtractionLossesTests.sized),
        ExtractionLossesTests.s(9040, ExtractionLossesTests.body), ExtractionLossesTests.c(1058, other),
        ExtractionLossesTests.s(9740, ExtractionLossesTests.sized), ExtractionLossesTests.s(9780, ExtractionLossesTests.body),
      ])
    let scratch = try TemporaryFolder()
    let path = try scratch.write("a.pcap", ExtractionLossesTests.file(capture))
    var options = AuditOptions(paths: [path])
    options.hosts = ["b.example"]
    let extraction = Extraction(options).whole()
    let bytes = extraction.bytes
    #expect(!String(decoding: bytes, as: UTF8.self).contains("/other"))
    let extract = try scratch.write("b.pcapng", bytes)
    #expect(ExtractionTests.sessions(extract).map(\.first) == ["b.example"])
    #expect(ExtractionLossesTests.ends(extract).first?.first == "0")
  }

  /// A pcap of raw IP.
  private static func file(_ capture: Capture) -> Bytes {
    var file = CaptureWriter.pcap(network: 101)
    // The next sequence number of each direction, which the other acknowledges.
    var ends: (client: UInt32, server: UInt32) = (0, 0)
    for (index, packet) in capture.packets.enumerated() {
      let acknowledged = packet.fromClient ? ends.server : ends.client
      let isCounted = packet.flags & 0x03 != 0
      let end = packet.number &+ UInt32(packet.bytes.count + packet.cut + (isCounted ? 1 : 0))
      if packet.fromClient { ends.client = end } else { ends.server = end }
      let whole = PacketBuilder.segment(
        packet.bytes + Bytes(repeating: 0, count: packet.cut), server: Int(capture.port), fromClient: packet.fromClient,
        sequence: Int(packet.number), acknowledgment: Int(acknowledged),
        flags: acknowledged == 0 ? packet.flags & ~0x10 : packet.flags)
      file.record(
        Bytes(whole.dropLast(packet.cut)), seconds: UInt32(1_700_000_000 + index), second: UInt32(whole.count))
    }
    return file.bytes
  }
}
