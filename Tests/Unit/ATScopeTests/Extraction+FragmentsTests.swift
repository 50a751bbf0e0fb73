import ByteParsing
import SessionModel
import TestBytes
import TestFiles
import Testing

@testable import ATScope

/// Tests extracts of a session whose ClientHello is in two fragments, among fragments of other datagrams.
@Suite struct ExtractionFragmentsTests {
  /// The position of other datagrams between the same addresses.
  enum Position: CaseIterable, Sendable { case before, between, after }

  @Test(arguments: [1, 300, 3000], Position.allCases)
  func `an extract contains the fragments of its sessions and no others`(others: Int, position: Position) throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionFragmentsTests.capture(others: others, position))
    for anonymizes in [false, true] {
      let extraction = Extraction(
        AuditOptions(paths: [capture]), anonymizationKey: anonymizes ? .random() : nil
      ).whole()
      let extract = try scratch.write("b.pcapng", extraction.bytes)
      #expect(extraction.result.omittedFragments == 0)
      #expect(extraction.result.packets == 5)
      let found = ExtractionFragmentsTests.names(extract)
      #expect(found == ["server"])
      #expect(found == ExtractionFragmentsTests.names(capture))
    }
  }

  /// The arguments give the tunnel its own endpoints, or those of the packets it carries.
  @Test(arguments: [[198, 51, 100, 1, 198, 51, 100, 2], [192, 0, 2, 2, 203, 0, 113, 7]])
  func `the fragments of a tunneled session are copied`(ends: [UInt8]) throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionFragmentsTests.capture(others: 10, tunnel: Bytes(ends)))
    #expect(ExtractionFragmentsTests.names(capture) == ["server"])
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    let extract = try scratch.write("b.pcapng", extraction.bytes)
    #expect(extraction.result.packets == 5)
    #expect(ExtractionFragmentsTests.names(extract) == ["server"])
    // The addresses inside cannot be replaced in fragments.
    let key = try AnonymizationKey(contentsOf: scratch.write("key", Bytes(1...16)))
    let hidden = Extraction(AuditOptions(paths: [capture]), anonymizationKey: key).whole()
    #expect(hidden.result.omittedFragments == 0)
    #expect(hidden.result.packets == 4)
    #expect(ExtractionFragmentsTests.names(try scratch.write("c.pcapng", hidden.bytes)) == ["server"])
    for address: Bytes in [[192, 0, 2, 2], [203, 0, 113, 7], Bytes(ends.prefix(4))] { #expect(!hidden.bytes.contains(address)) }
  }

  @Test(arguments: [false, true])
  func `the packets of an aggregate in fragments are written one by one, without those of other sessions`(anonymizes: Bool) throws {
    let scratch = try TemporaryFolder()
    let tunnel: Bytes = [198, 51, 100, 1, 198, 51, 100, 2]
    let capture = try scratch.write("a.pcap", Self.capture(others: 10, tunnel: tunnel, isAggregate: true))
    #expect(Self.names(capture) == ["server"])
    let extraction = Extraction(AuditOptions(paths: [capture]), anonymizationKey: anonymizes ? .random() : nil).whole()
    #expect(extraction.result.omittedFragments == 0)
    #expect(extraction.result.packets == 4)
    #expect(!String(decoding: extraction.bytes, as: UTF8.self).contains("foreign"))
    #expect(Self.names(try scratch.write("b.pcapng", extraction.bytes)) == ["server"])
  }

  @Test
  func `the captured fragments of an incomplete datagram are copied`() throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionFragmentsTests.capture(others: 0, isWhole: false))
    let expected = ExtractionFragmentsTests.names(capture)
    #expect(!expected.isEmpty)
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    let extract = try scratch.write("b.pcapng", extraction.bytes)
    #expect(extraction.result.packets == 4)
    #expect(ExtractionFragmentsTests.names(extract) == expected)
  }

  private static let request = Bytes("GET /?secret HTTP/1.1\r\nHost: b.example\r\nCookie: secret\r\n\r\n".utf8)

  @Test(arguments: [false, true], [nil, Bytes([198, 51, 100, 1, 198, 51, 100, 2])])
  func `a cleartext request in fragments is redacted and written as one packet`(anonymizes: Bool, tunnel: Bytes?) throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", Self.capture([(true, Self.request)], others: 10, tunnel: tunnel))
    let extraction = Extraction(AuditOptions(paths: [capture]), anonymizationKey: anonymizes ? .random() : nil).whole()
    #expect(!String(decoding: extraction.bytes, as: UTF8.self).contains("secret"))
    #expect(extraction.result.omittedFragments == 0)
    #expect(extraction.result.packets == 3)
    #expect(Self.names(capture) == ["b.example"])
    #expect(Self.names(try scratch.write("b.pcapng", extraction.bytes)) == ["b.example"])
  }

  @Test
  func `a last fragment that only repeats known bytes is not lost`() throws {
    // The segment has a multiple of 8 bytes.
    let request = Bytes("GET / HTTP/1.1\r\nHost: b.example\r\nA: 234567890123\r\n\r\n".utf8)
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", Self.capture([(true, request)], others: 0, repeatsEnd: true))
    #expect(Self.names(capture) == ["b.example"])
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    #expect(Self.names(try scratch.write("b.pcapng", extraction.bytes)) == ["b.example"])
  }

  @Test
  func `the session of a cleartext request with a missing fragment is reported as incomplete`() throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", Self.capture([(true, Self.request)], others: 0, isWhole: false))
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    #expect(!String(decoding: extraction.bytes, as: UTF8.self).contains("secret"))
    #expect(extraction.result.omittedFragments == 1)
    #expect(extraction.result.incompleteSessions[capture]?.count == 1)
  }

  @Test
  func `connections that are in several captures are counted`() throws {
    let scratch = try TemporaryFolder()
    let captures = try ["a.pcap", "b.pcap"].map { try scratch.write($0, Self.capture(others: 0)) }
    #expect(Extraction(AuditOptions(paths: captures)).whole().result.repeatedConnections == 1)
    #expect(Extraction(AuditOptions(paths: [captures[0]])).whole().result.repeatedConnections == 0)
  }

  /// The server names of a capture's sessions.
  private static func names(_ path: String) -> [String] {
    struct Sink: SessionSink, ~Copyable {
      var names: [String] = []
      mutating func take(_ session: ObservedSession) { names.append(session.serverName ?? "-") }
    }
    var sink = Sink()
    _ = Audit.read(AuditOptions(paths: [path]), into: &sink)
    return sink.names
  }

  /// A UDP datagram with packets in VXLAN, or in an 802.11 aggregate in CAPWAP if there are several.
  private static func tunneled(_ packets: [Bytes]) -> Bytes {
    // VXLAN (RFC 7348 §5): a header of 8 bytes and an Ethernet frame.
    var frame: Bytes = [8, 0, 0, 0, 0, 0, 5, 0] + Bytes(repeating: 2, count: 12)
    frame += [8, 0] + packets[0]
    if packets.count > 1 {
      frame = [0, 0x10, 3, 0, 0, 0, 0, 0, 0x88, 0x01, 0, 0] + Bytes(repeating: 2, count: 18)
      frame += [0, 0, 0x80, 0]
      for packet in packets {
        frame += Bytes(repeating: 2, count: 12) + two(8 + packet.count)
        frame += [0xAA, 0xAA, 3, 0, 0, 0, 8, 0] + packet
        frame += Bytes(repeating: 0, count: -(14 + 8 + packet.count) & 3)
      }
    }
    let ports = two(40_000) + two(packets.count > 1 ? 5247 : 4789)
    return ports + two(8 + frame.count) + [0, 0] + frame
  }

  /// A pcap of raw IP with one connection: its first line is in two fragments, the other lines are whole.
  private static func capture(
    _ lines: [DialogueLine] = ExtractionTests.hello, others: Int,
    _ positionOfOthers: Position = .between,
    tunnel: Bytes? = nil, isAggregate: Bool = false, isWhole: Bool = true, repeatsEnd: Bool = false
  ) -> Bytes {
    var file = CaptureWriter.pcap(network: 101)
    func packet(_ payload: Bytes, _ fromClient: Bool, _ number: UInt8, id: Int, fragment: Int) -> Bytes {
      PacketBuilder.ipv4(
        payload, number: number, ends: PacketBuilder.ends(fromClient: fromClient), identification: id, fragment: fragment)
    }
    func segment(_ bytes: Bytes, _ flags: UInt8, _ fromClient: Bool, at position: Int) -> Bytes {
      PacketBuilder.tcp(
        bytes, ports: PacketBuilder.ports(server: 8080, fromClient: fromClient), sequence: (fromClient ? 1000 : 9000) + position,
        acknowledgment: fromClient ? 9000 : 1000, flags: flags)
    }
    func addOthers(_ here: Position) {
      for id in 0..<(here == positionOfOthers ? others : 0) {
        file.record(packet(Bytes(repeating: 0xAA, count: 16), true, 17, id: 100 + id, fragment: 0x2000))
        file.record(packet(Bytes(repeating: 0xAA, count: 16), true, 17, id: 100 + id, fragment: 2))
      }
    }
    file.record(packet(segment([], 0x02, true, at: -1), true, 6, id: 0, fragment: 0))
    file.record(packet(segment([], 0x12, false, at: -1), false, 6, id: 0, fragment: 0))
    addOthers(.before)
    for (index, line) in lines.enumerated() {
      let whole = segment(line.bytes, 0x18, line.fromClient, at: 0)
      guard index == 0 else {
        file.record(packet(whole, line.fromClient, 6, id: 0, fragment: 0))
        continue
      }
      let foreign = packet([0, 1, 0, 2, 0, 15, 0, 0] + Bytes("foreign".utf8), true, 17, id: 0, fragment: 0)
      let isTunneled = tunnel != nil
      let parts = isTunneled ? tunneled([packet(whole, true, 6, id: 0, fragment: 0)] + (isAggregate ? [foreign] : [])) : whole
      var sent = [
        packet(Bytes(parts.prefix(48)), true, isTunneled ? 17 : 6, id: 7, fragment: 0x2000),
        packet(Bytes(parts.dropFirst(48)), true, isTunneled ? 17 : 6, id: 7, fragment: 6),
      ]
      if repeatsEnd {
        sent[0] = packet(parts, true, 6, id: 7, fragment: 0x2000)
        sent[1] = packet(Bytes(parts.suffix(8)), true, 6, id: 7, fragment: parts.count / 8 - 1)
      }
      if let tunnel {
        for part in sent.indices { sent[part].replaceSubrange(12..<20, with: tunnel) }
      }
      file.record(sent[0])
      addOthers(.between)
      if isWhole { file.record(sent[1]) }
      addOthers(.after)
    }
    return file.bytes
  }
}
