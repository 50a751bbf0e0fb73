import ByteParsing
import SessionObservation
import Testing

@testable import ATScope

/// A session whose hello travels in two fragments, with other datagrams in fragments between them.
@Suite struct FragmentedExtractTests {
  @Test(arguments: [0, 300, 1023])
  func `fragments that wait for their session are kept, whatever lies between them`(others: Int) throws {
    let scratch = try Scratch()
    let capture = try scratch.write("a.pcap", FragmentedExtractTests.capture(others: others))
    var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: false)
    let extract = try scratch.write("b.pcapng", extraction.bytes())
    #expect(extraction.gaveWay == 0)
    #expect(extraction.leftOut == 0)
    let found = FragmentedExtractTests.names(extract)
    #expect(found == ["server"])
    #expect(found == FragmentedExtractTests.names(capture))
  }

  @Test
  func `fragments of a session that gave way to others are counted`() throws {
    let scratch = try Scratch()
    let capture = try scratch.write("a.pcap", FragmentedExtractTests.capture(others: 1024))
    #expect(FragmentedExtractTests.names(capture) == ["server"])
    var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: false)
    _ = extraction.bytes()
    #expect(extraction.gaveWay == 1)
  }

  @Test
  func `fragments of others that give way are not told`() throws {
    let scratch = try Scratch()
    // The datagrams of no session lie in front of both fragments.
    let capture = try scratch.write("a.pcap", FragmentedExtractTests.capture(others: 1500, areBefore: true))
    var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: false)
    let extract = try scratch.write("b.pcapng", extraction.bytes())
    #expect(extraction.gaveWay == 0)
    #expect(FragmentedExtractTests.names(extract) == ["server"])
  }

  @Test
  func `of cleartext in fragments all of them are left out, and counted`() throws {
    let scratch = try Scratch()
    let request = Bytes("GET /?secret HTTP/1.1\r\nHost: b.example\r\nCookie: secret\r\n\r\n".utf8)
    let capture = try scratch.write("a.pcap", FragmentedExtractTests.capture([(true, request)], others: 0))
    var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: false)
    let bytes = extraction.bytes()
    #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    #expect(extraction.leftOut == 2)
  }

  /// The names of the servers of a capture's sessions.
  private static func names(_ path: String) -> [String] {
    struct Sink: SessionSink, ~Copyable {
      var names: [String] = []
      mutating func take(_ session: ObservedSession) { names.append(session.serverName ?? "-") }
    }
    var sink = Sink()
    _ = Audit.read(AuditOptions(inputs: [path]), into: &sink)
    return sink.names
  }

  /// A pcap of raw IP: a connection is opened, then its first line comes in two fragments and the others whole.
  private static func capture(
    _ lines: [(fromClient: Bool, bytes: Bytes)] = ExtractionTests.hello, others: Int, areBefore: Bool = false
  ) -> Bytes {
    var file = Bytes([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0])
    func two(_ value: Int) -> Bytes { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
    func add(_ payload: Bytes, _ fromClient: Bool = true, number: UInt8 = 6, id: Int = 0, fragment: Int = 0) {
      let (client, server): (Bytes, Bytes) = ([192, 0, 2, 2], [203, 0, 113, 7])
      var packet = Bytes([0x45, 0]) + two(20 + payload.count) + two(id) + two(fragment)
      packet += [64, number, 0, 0]
      packet += fromClient ? client + server : server + client
      packet += payload
      let length: Bytes = [UInt8(packet.count & 0xFF), UInt8(packet.count >> 8), 0, 0]
      file += [0, 0xF1, 0x53, 0x65, 0, 0, 0, 0]
      file += length + length
      file += packet
    }
    func segment(_ bytes: Bytes, _ flags: UInt8, _ fromClient: Bool, at position: Int) -> Bytes {
      var segment = fromClient ? two(50_000) + two(8080) : two(8080) + two(50_000)
      segment += [0, 0] + two((fromClient ? 1000 : 9000) + position)
      segment += [0, 0] + two(fromClient ? 9000 : 1000)
      segment += [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
      return segment + bytes
    }
    func addOthers() {
      for id in 0..<others {
        add(Bytes(repeating: 0xAA, count: 16), number: 17, id: 100 + id, fragment: 0x2000)
        add(Bytes(repeating: 0xAA, count: 16), number: 17, id: 100 + id, fragment: 2)
      }
    }
    add(segment([], 0x02, true, at: -1))
    add(segment([], 0x12, false, at: -1), false)
    if areBefore { addOthers() }
    for (index, line) in lines.enumerated() {
      let whole = segment(line.bytes, 0x18, line.fromClient, at: 0)
      guard index == 0 else {
        add(whole, line.fromClient)
        continue
      }
      add(Bytes(whole.prefix(48)), id: 7, fragment: 0x2000)
      if !areBefore { addOthers() }
      add(Bytes(whole.dropFirst(48)), id: 7, fragment: 6)
    }
    return file
  }
}
