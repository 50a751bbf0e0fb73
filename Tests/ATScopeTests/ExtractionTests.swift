import ByteParsing
import SessionObservation
import Testing

@testable import ATScope

/// An extract shows the sessions that its capture shows, whatever they travelled through, and nothing secret of it.
@Suite struct ExtractionTests {
  /// What two ends say on one connection.
  struct Dialogue: Sendable, CustomTestStringConvertible {
    var name: String
    var lines: [(fromClient: Bool, bytes: Bytes)]
    var testDescription: String { name }
  }

  private static func c(_ text: String) -> (fromClient: Bool, bytes: Bytes) { (true, Bytes(text.utf8)) }
  private static func s(_ text: String) -> (fromClient: Bool, bytes: Bytes) { (false, Bytes(text.utf8)) }

  /// A ClientHello of TLS 1.2 for `server`, and a ServerHello.
  static let hello: [(fromClient: Bool, bytes: Bytes)] = [
    (
      true,
      Bytes([0x16, 3, 1, 0, 0x3E, 1, 0, 0, 0x3A, 3, 3]) + Bytes(repeating: 7, count: 32)
        + [0, 0, 2, 0xC0, 0x2F, 1, 0, 0, 0x0F, 0, 0, 0, 0x0B, 0, 9, 0, 0, 6] + Bytes("server".utf8)
    ),
    (
      false,
      Bytes([0x16, 3, 3, 0, 0x2A, 2, 0, 0, 0x26, 3, 3]) + Bytes(repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]
    ),
  ]

  private static let connect = [
    c("CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: secret\r\n\r\n"), s("HTTP/1.1 200 OK\r\n\r\n"),
  ]
  private static let connectProxy = [
    c("CONNECT inner.example:3128 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 200 secret\r\nVia: secret\r\n\r\n"),
  ]
  private static let mail = [
    s("220 mx ESMTP\r\n"), c("EHLO a\r\n"), s("250 STARTTLS\r\n"), c("STARTTLS\r\n"), s("220 go\r\n"),
  ]
  private static let get = [
    c("GET /?secret HTTP/1.1\r\nHost: b.example\r\nCookie: secret\r\n\r\n"),
    s("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"),
  ]
  /// Greeting, name and password, and the request, all at once.
  private static let socks: [(fromClient: Bool, bytes: Bytes)] = [
    (
      true,
      Bytes([5, 1, 2, 1, 6]) + Bytes("secret".utf8) + [6] + Bytes("secret".utf8) + [5, 1, 0, 3, 9]
        + Bytes("a.example".utf8) + [1, 0xBB]
    ),
    (false, [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ]

  static let dialogues: [Dialogue] = [
    Dialogue(name: "a proxy inside a proxy", lines: connectProxy + connect + hello),
    Dialogue(name: "an HTTP proxy behind a SOCKS proxy", lines: socks + connect + hello),
    Dialogue(name: "a SOCKS proxy behind an HTTP proxy", lines: connectProxy + socks + get),
    Dialogue(name: "mail behind a proxy", lines: connect + mail + hello),
    Dialogue(
      name: "a CONNECT with a body",
      lines: [
        c("CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 6\r\n\r\nsecret"), s("HTTP/1.1 200 OK\r\n\r\n"),
      ] + hello),
    Dialogue(
      name: "a CONNECT that is refused first",
      lines: [
        c("CONNECT a.example:443 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 407 No\r\nContent-Length: 6\r\n\r\nsecret"),
      ] + connect + hello),
    Dialogue(name: "a proxy that served a request before", lines: get + connect + hello),
    Dialogue(name: "cleartext in a tunnel", lines: connect + get + get),
    Dialogue(
      name: "answers without a body that announce one",
      lines: [
        c("HEAD / HTTP/1.1\r\nHost: b.example\r\n\r\n"), s("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"),
      ] + get),
    Dialogue(
      name: "an upgrade that is taken",
      lines: get + [
        c("GET / HTTP/1.1\r\nHost: b.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
        s("HTTP/1.1 101 OK\r\n\r\n"), c("GET /secret HTTP/1.1\r\nHost: secret.example\r\n\r\n"),
      ]),
    Dialogue(
      name: "a change to TLS on the same connection",
      lines: [
        c("OPTIONS * HTTP/1.1\r\nHost: b.example\r\nUpgrade: TLS/1.2\r\nConnection: Upgrade\r\n\r\n"),
        s("HTTP/1.1 101 OK\r\nUpgrade: TLS/1.2\r\n\r\n"),
      ] + hello),
    Dialogue(
      name: "bodies in chunks with extensions and trailers",
      lines: [
        c(
          "POST / HTTP/1.1\r\nHost: b.example\r\nTransfer-Encoding: chunked\r\n\r\n6;secret\r\nsecret\r\n0\r\nX: secret\r\n\r\n"
        ), s("HTTP/1.1 302 OK\r\nLocation: //c.example/secret\r\nContent-Length: 0\r\n\r\n"),
      ] + get),
    Dialogue(
      name: "the preface of HTTP/2", lines: [c("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), s("secret"), c("secret")]),
    Dialogue(
      name: "a header of the PROXY protocol",
      lines: [c("PROXY TCP4 10.1.2.3 10.4.5.6 4711 443\r\n")] + get),
  ]

  /// How a connection's bytes travel.
  enum Way: CaseIterable, Sendable { case whole, small, swapped, repeated, answersFirst }

  @Test(arguments: dialogues, Way.allCases)
  func `an extract shows what the capture shows and no secret`(dialogue: Dialogue, way: Way) throws {
    // Who is who is not told by what comes first then.
    if way == .answersFirst, !dialogue.lines[0].bytes.contains(0x20) || dialogue.name.contains("HTTP/2") {
      return
    }
    let scratch = try Scratch()
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(dialogue.lines, way))
    for anonymizes in [false, true] {
      var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: anonymizes)
      let bytes = extraction.bytes()
      let extract = try scratch.write("b\(anonymizes).pcapng", bytes)
      let expected = ExtractionTests.sessions(capture)
      let found = ExtractionTests.sessions(extract)
      #expect(!expected.isEmpty)
      let isSame = expected == found
      #expect(isSame)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    }
  }

  @Test
  func `a hello stays that stands behind what settled its session`() throws {
    let scratch = try Scratch()
    let alert: Bytes = [0x15, 3, 3, 0, 2, 2, 40]
    let lines = [ExtractionTests.hello[0], (false, alert)]
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(lines, .answersFirst))
    var extraction = Extraction(AuditOptions(inputs: [capture]), anonymizes: false)
    let extract = try scratch.write("b.pcapng", extraction.bytes())
    #expect(ExtractionTests.sessions(capture).first?.first == "server")
    #expect(ExtractionTests.sessions(extract) == ExtractionTests.sessions(capture))
  }

  /// What has to stay of each session.
  private static func sessions(_ path: String) -> [[String]] {
    struct Sink: SessionSink, ~Copyable {
      var found: [[String]] = []
      mutating func take(_ session: ObservedSession) {
        var facts = [session.serverName ?? "-", "\(session.application)", "\(session.evidence.notes)"]
        facts += session.tunnel
        facts.append("\(session.tls?.answer != nil)")
        for request in session.http?.requests ?? [] {
          facts.append(
            "\(request.method) \(request.host ?? "-") \(request.path) \(request.status ?? 0) "
              + "\(request.redirectScheme ?? "-") \(request.redirectHost ?? "-") \(request.upgrade ?? "-")")
        }
        found.append(facts)
      }
    }
    var sink = Sink()
    _ = Audit.read(AuditOptions(inputs: [path]), into: &sink)
    return sink.found
  }

  /// A pcap of raw IP in which a connection is opened, used and closed.
  private static func capture(_ lines: [(fromClient: Bool, bytes: Bytes)], _ way: Way) -> Bytes {
    var position = (client: 0, server: 0)
    var parts: [(fromClient: Bool, start: Int, bytes: Bytes)] = []
    for line in lines {
      let size = way == .small ? 7 : way == .swapped ? max(1, (line.bytes.count + 1) / 2) : line.bytes.count
      for start in stride(from: 0, to: line.bytes.count, by: max(1, size)) {
        let piece = Bytes(line.bytes[start..<min(line.bytes.count, start + size)])
        let place = line.fromClient ? position.client : position.server
        parts.append((line.fromClient, place, piece))
        if line.fromClient { position.client += piece.count } else { position.server += piece.count }
      }
    }
    for index in parts.indices.dropLast().reversed() {
      let isOneWay = parts[index].fromClient == parts[index + 1].fromClient
      switch way {
      case .swapped where isOneWay: parts.swapAt(index, index + 1)
      case .repeated: parts.insert(parts[index], at: index + 2)
      // The first answer only: what goes ahead of what it answers twice over is anybody's.
      case .answersFirst where index == 0 && !isOneWay: parts.swapAt(0, 1)
      default: break
      }
    }
    var file = Bytes([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0])
    var seconds: UInt8 = 0
    func add(_ bytes: Bytes, _ flags: UInt8, _ fromClient: Bool, at position: Int) {
      func two(_ value: Int) -> Bytes { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
      let (client, server): (Bytes, Bytes) = ([192, 0, 2, 2], [203, 0, 113, 7])
      let ports = fromClient ? two(50_000) + two(8080) : two(8080) + two(50_000)
      let number = (fromClient ? 1000 : 9000) + position
      var segment = ports + [0, 0] + two(number) + [0, 0]
      segment += two(fromClient ? 9000 : 1000)
      segment += [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
      segment += bytes
      var packet = Bytes([0x45, 0]) + two(20 + segment.count)
      packet += [0, 0, 0x40, 0, 64, 6, 0, 0]
      packet += fromClient ? client + server : server + client
      packet += segment
      let length: Bytes = [UInt8(packet.count & 0xFF), UInt8(packet.count >> 8), 0, 0]
      seconds &+= 1
      file += [seconds, 0xF1, 0x53, 0x65, 0, 0, 0, 0]
      file += length
      file += length
      file += packet
    }
    add([], 0x02, true, at: -1)
    add([], 0x12, false, at: -1)
    add([], 0x10, true, at: 0)
    for part in parts { add(part.bytes, 0x18, part.fromClient, at: part.start) }
    add([], 0x11, true, at: position.client)
    add([], 0x11, false, at: position.server)
    return file
  }
}

extension Extraction {
  /// The whole extract.
  mutating func bytes() -> Bytes {
    var bytes = Bytes()
    write {
      bytes += copy $0
      return true
    }
    return bytes
  }
}
