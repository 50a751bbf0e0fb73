import ByteParsing
import CaptureFormats
import Foundation
import TestFiles
import SessionModel
import TestBytes
import Testing

@testable import ATScope

/// Tests that an extract has the sessions of its capture, whatever tunnels they use, and none of its secrets.
@Suite struct ExtractionTests {
  /// The data of both endpoints on one connection.
  struct Dialogue: Sendable, CustomTestStringConvertible {
    var name: String
    var lines: [DialogueLine]
    var testDescription: String { name }
  }

  /// A ClientHello of TLS 1.2 for `server`, and a ServerHello.
  static let hello: [DialogueLine] = [
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
  private static let mail = [s("220 mx ESMTP\r\n")] + startTLS
  private static let get = [
    c("GET /?secret HTTP/1.1\r\nHost: b.example\r\nCookie: secret\r\n\r\n"),
    s("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"),
  ]
  /// A greeting, a name and password, and the request, sent at once.
  private static let socks: [DialogueLine] = [
    (
      true,
      Bytes("\u{5}\u{1}\u{2}\u{1}\u{6}secret\u{6}secret\u{5}\u{1}\0\u{3}\u{9}a.example\u{1}".utf8) + [0xBB]
    ),
    (false, [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ]

  static let dialogues: [Dialogue] = changes + proxies

  /// Protocols that change to TLS, and possible data before that.
  private static let changes: [Dialogue] = [
    Dialogue(
      name: "SMTP with a login",
      lines: [
        s("220 secret.example ESMTP secret\r\n"), c("EHLO secret\r\n"), s("250-secret\r\n250 STARTTLS\r\n"),
        c("AUTH PLAIN secret\r\n"), s("535 secret\r\n"), c("STARTTLS\r\n"), s("220 secret\r\n"),
      ] + hello),
    Dialogue(
      name: "SMTP that only the client's greeting identifies",
      lines: [s("220 secret\r\n"), c("EHLO secret\r\n"), s("250 a\r\n"), c("STARTTLS\r\n"), s("220 a\r\n")]
        + hello),
    Dialogue(
      name: "FTP",
      lines: [
        s("220 secret\r\n"), c("USER secret\r\n"), s("331 secret\r\n"), c("PASS secret\r\n"), s("530 a\r\n"),
        c("AUTH TLS\r\n"), s("234 a\r\n"),
      ] + hello),
    Dialogue(
      name: "IMAP",
      lines: [
        s("* OK secret\r\n"), c("a1 LOGIN secret secret\r\n"), s("a1 NO secret\r\n"), c("a2 STARTTLS\r\n"),
        s("a2 OK\r\n"),
      ] + hello),
    Dialogue(
      name: "POP3",
      lines: [
        s("+OK secret\r\n"), c("USER secret\r\n"), s("+OK\r\n"), c("PASS secret\r\n"), s("-ERR\r\n"),
        c("STLS\r\n"), s("+OK\r\n"),
      ] + hello),
    Dialogue(
      name: "XMPP",
      lines: [
        c("<?xml version='1.0'?><stream:stream to='a.example' from='secret'>"),
        s("<stream:stream id='secret'>"),
        c("<starttls/>"), s("<proceed/>"),
      ] + hello),
    Dialogue(
      name: "XMPP with another namespace prefix",
      lines: [c("<secret:stream to='secret'>"), s("<s:stream id='secret'>"), c("<starttls/>")] + hello),
    Dialogue(
      name: "IRC",
      lines: [
        c("NICK secret\r\n"), s(":secret NOTICE secret\r\n"), c("PASS secret\r\n"), c("STARTTLS\r\n"),
        s(":a 670 secret\r\n"),
      ] + hello),
    Dialogue(
      name: "NNTP",
      lines: [
        s("200 secret INN\r\n"), c("AUTHINFO USER secret\r\n"), s("381\r\n"), c("STARTTLS\r\n"), s("382\r\n"),
      ] + hello),
    Dialogue(
      name: "Sieve",
      lines: [s("\"IMPLEMENTATION\" \"secret\"\r\nOK\r\n"), c("STARTTLS\r\n"), s("OK \"secret\"\r\n")] + hello
    ),
    Dialogue(
      name: "LDAP",
      lines: [
        (
          true,
          Bytes([0x30, 0x19, 2, 1, 1, 0x60, 0x14, 2, 1, 3, 4, 6]) + Bytes("secret".utf8) + [0x80, 7]
            + Bytes("asecret".utf8)
        ),
        (false, [0x30, 0x0C, 2, 1, 1, 0x61, 7, 0x0A, 1, 0x31, 4, 0, 4, 0]),
        (true, Bytes([0x30, 0x1D, 2, 1, 2, 0x77, 0x18, 0x80, 0x16]) + Bytes("1.3.6.1.4.1.1466.20037".utf8)),
        (false, [0x30, 0x0C, 2, 1, 2, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0]),
      ] + hello),
    Dialogue(
      name: "MySQL",
      lines: [
        (
          false,
          Bytes([0x28, 0, 0, 0, 10, 0x38, 0x2E, 0x30, 0]) + Bytes(repeating: 1, count: 29)
            + Bytes("secret".utf8)
        ),
        (true, Bytes([0x20, 0, 0, 1, 0, 0x08, 0, 0, 0, 0, 0, 1, 33]) + Bytes(repeating: 0, count: 23)),
      ] + hello),
    Dialogue(
      name: "PostgreSQL", lines: [(true, [0, 0, 0, 8, 4, 0xD2, 0x16, 0x2F]), s("S")] + hello),
    Dialogue(
      name: "a remote desktop",
      lines: [
        (true, Bytes([3, 0, 0, 25, 20, 0xE0, 0, 0, 0, 0, 0]) + Bytes("user=secret\r\n".utf8)),
        s("\u{3}secret"),
      ] + hello),
    Dialogue(
      name: "an RDP server that accepts TLS",
      lines: [
        (
          true,
          Bytes([3, 0, 0, 44, 39, 0xE0, 0, 0, 0, 0, 0]) + Bytes("Cookie: mstshash=secret\r\n".utf8)
            + [1, 0, 8, 0, 3, 0, 0, 0]
        ), (false, [3, 0, 0, 19, 14, 0xD0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0]),
      ] + hello),
    Dialogue(
      name: "ADB",
      lines: [
        (true, bridge("CNXN", Bytes("host::secret".utf8))), (false, bridge("STLS")), (true, bridge("STLS")),
      ] + hello),
    Dialogue(
      name: "an unknown text protocol",
      lines: [
        (true, [1, 2, 3]), s("\u{7}secret"), (true, [9]), (true, [1] + Bytes("secret".utf8)), (false, [2]),
      ] + hello),
    Dialogue(
      name: "a SOCKS proxy that refuses",
      lines: [
        (true, [5, 1, 2]), (false, [5, 2]),
        (true, Bytes([1, 6]) + Bytes("secret".utf8) + [6] + Bytes("secret".utf8)),
        (false, Bytes([1, 1])), (true, Bytes([5, 2, 0, 3, 6]) + Bytes("secret".utf8) + [0, 80]),
        s("\u{5}\u{1}secret"),
      ] + hello),
  ]

  private static let proxies: [Dialogue] = [
    Dialogue(name: "a proxy inside a proxy", lines: connectProxy + connect + hello),
    Dialogue(name: "an HTTP proxy reached through a SOCKS proxy", lines: socks + connect + hello),
    Dialogue(name: "a SOCKS proxy reached through an HTTP proxy", lines: connectProxy + socks + get),
    Dialogue(name: "mail through a proxy", lines: connect + mail + hello),
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
      name: "responses without a body that announce one",
      lines: [
        c("HEAD / HTTP/1.1\r\nHost: b.example\r\n\r\n"), s("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"),
      ] + get),
    Dialogue(
      name: "an accepted upgrade",
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
      name: "chunked bodies with extensions and trailers",
      lines: [
        c(
          "POST / HTTP/1.1\r\nHost: b.example\r\nTransfer-Encoding: chunked\r\n\r\n6;secret\r\nsecret\r\n0\r\nX: secret\r\n\r\n"
        ), s("HTTP/1.1 302 OK\r\nLocation: //c.example/secret\r\nContent-Length: 0\r\n\r\n"),
      ] + get),
    Dialogue(
      name: "the preface of HTTP/2", lines: [c("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), s("secret"), c("secret")]),
    Dialogue(
      name: "a PROXY protocol header",
      lines: [c("PROXY TCP4 10.1.2.3 10.4.5.6 4711 443\r\n")] + get),
    Dialogue(
      name: "a PROXY protocol header before a login",
      lines: [
        c("PROXY UNKNOWN secret\r\nEHLO secret\r\n"), s("250 secret\r\n"), c("STARTTLS\r\n"), s("220 a\r\n"),
      ]
        + hello),
    Dialogue(
      name: "a PROXY protocol header, version 2",
      lines: [
        (
          true,
          Bytes([13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 27]) + Bytes(1...12)
            + [2, 0, 12] + Bytes("secretsecret".utf8)
        )
      ] + hello),
  ]

  /// The division and order of a connection's bytes in packets.
  enum Way: CaseIterable, Sendable { case whole, small, swapped, repeated, answersFirst }

  @Test func `packets written before the reader stops are counted`() {
    var calls = 0
    let options = AuditOptions(paths: ["captures/variants/hosts/tls13-hosts.pcapng"])
    let result = Extraction(options).write { _ in
      calls += 1
      return false
    }
    #expect(calls == 1)
    #expect(result.packets > 0)
    #expect(result.whyEmpty == nil)
  }

  @Test(arguments: dialogues, Way.allCases)
  func `an extract has the sessions of the capture and no secrets`(dialogue: Dialogue, way: Way) throws {
    // The first packet does not show which endpoint is the client then.
    if way == .answersFirst, !dialogue.lines[0].bytes.contains(0x20) || dialogue.name.contains("HTTP/2") {
      return
    }
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(dialogue.lines, way))
    for anonymizes in [false, true] {
      let extraction = Extraction(
        AuditOptions(paths: [capture]), anonymizationKey: anonymizes ? .random() : nil
      ).whole()
      let bytes = extraction.bytes
      let extract = try scratch.write("b\(anonymizes).pcapng", bytes)
      let expected = ExtractionTests.sessions(capture)
      let found = ExtractionTests.sessions(extract)
      #expect(!expected.isEmpty)
      let isSame = expected == found
      #expect(isSame)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    }
  }

  /// Dialogues with addresses before the handshake.
  static let addresses: [Dialogue] = [
    Dialogue(
      name: "SOCKS 5",
      lines: [
        (true, [5, 1, 0]), (false, [5, 0]), (true, [5, 1, 0, 1, 10, 98, 76, 54, 1, 0xBB]),
        (false, [5, 0, 0, 1, 10, 98, 76, 54, 1, 0xBB]),
      ] + hello),
    Dialogue(
      name: "SOCKS 5 with an address as a name",
      lines: [
        (true, [5, 1, 0]), (false, [5, 0]),
        (true, Bytes([5, 1, 0, 3, 11]) + Bytes("10.98.76.54".utf8) + [1, 0xBB]),
        (false, [5, 0, 0, 1, 10, 98, 76, 54, 1, 0xBB]),
      ] + hello),
    Dialogue(
      name: "SOCKS 4",
      lines: [(true, [4, 1, 1, 0xBB, 10, 98, 76, 54, 0]), (false, [0, 90, 1, 0xBB, 10, 98, 76, 54])] + hello),
    Dialogue(
      name: "mail",
      lines: [
        s("220 [10.98.76.54] ESMTP\r\n"), c("EHLO [10.98.76.54]\r\n"), s("250 STARTTLS\r\n"),
        c("STARTTLS\r\n"),
        s("220 10.98.76.54\r\n"),
      ] + hello),
    Dialogue(name: "a load balancer", lines: [c("PROXY TCP4 10.98.76.54 10.98.76.54 1 443\r\n")] + hello),
  ]

  @Test(arguments: addresses, [Way.whole, .small, .swapped])
  func `an anonymized extract has none of the addresses before a handshake`(dialogue: Dialogue, way: Way)
    throws
  {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(dialogue.lines, way))
    let extraction = Extraction(AuditOptions(paths: [capture]), anonymizationKey: .random()).whole()
    let bytes = extraction.bytes
    let extract = try scratch.write("b.pcapng", bytes)
    #expect(ExtractionTests.sessions(capture).map(\.first) == ["server"])
    #expect(ExtractionTests.sessions(extract).map(\.first) == ["server"])
    #expect(ExtractionTests.sessions(extract).map(\.count) == ExtractionTests.sessions(capture).map(\.count))
    let texts = [Bytes("10.98.76.54".utf8), [10, 98, 76, 54]]
    for text in texts { #expect(bytes.firstRange(of: text) == nil) }
  }

  @Test
  func `only the contents of DTLS datagrams are copied, not of STUN between the same endpoints`() throws {
    let body = Bytes([0xFE, 0xFD]) + Bytes(repeating: 7, count: 32) + [0, 0, 0, 2, 0xC0, 0x2F, 1, 0]
    let message = Bytes([1, 0]) + two(body.count) + [0, 0, 0, 0, 0] + two(body.count) + body
    let hello = Bytes([22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0]) + two(message.count) + message
    let stun =
      Bytes([0, 1, 0, 12, 0x21, 0x12, 0xA4, 0x42]) + Bytes(repeating: 9, count: 12)
      + Bytes("secretsecret".utf8)
    let alert: Bytes = [21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 40]
    var file = CaptureWriter.pcap(network: 101)
    for (isFromClient, payload) in [(true, hello), (true, stun), (false, stun), (false, alert)] {
      file.record(PacketBuilder.datagram(payload, server: 4433, fromClient: isFromClient))
    }
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", file.bytes)
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    let bytes = extraction.bytes
    let extract = try scratch.write("b.pcapng", bytes)
    #expect(extraction.result.packets == 4)
    #expect(ExtractionTests.sessions(capture).count == 1)
    #expect(ExtractionTests.sessions(extract) == ExtractionTests.sessions(capture))
    #expect(bytes.firstRange(of: Bytes("secret".utf8)) == nil)
  }

  @Test
  func `the address that identifies a session is kept`() throws {
    let scratch = try TemporaryFolder()
    // A ClientHello without server_name.
    let anonymous =
      Bytes([0x16, 3, 1, 0, 0x2B, 1, 0, 0, 0x27, 3, 3]) + Bytes(repeating: 7, count: 32)
      + [0, 0, 2, 0xC0, 0x2F, 1, 0]
    let lines =
      Array(ExtractionTests.addresses[0].lines.prefix(4)) + [(true, anonymous), ExtractionTests.hello[1]]
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(lines, .whole))
    let extraction = Extraction(AuditOptions(paths: [capture]), anonymizationKey: .random()).whole()
    let extract = try scratch.write("b.pcapng", extraction.bytes)
    #expect(ExtractionTests.sessions(extract).map(\.first) == ["10.98.76.54"])
  }

  @Test
  func `a ClientHello after the alert that ended its session is kept`() throws {
    let scratch = try TemporaryFolder()
    let alert: Bytes = [0x15, 3, 3, 0, 2, 2, 40]
    let lines = [ExtractionTests.hello[0], (false, alert)]
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(lines, .answersFirst))
    let extraction = Extraction(AuditOptions(paths: [capture])).whole()
    let extract = try scratch.write("b.pcapng", extraction.bytes)
    #expect(ExtractionTests.sessions(capture).first?.first == "server")
    #expect(ExtractionTests.sessions(extract) == ExtractionTests.sessions(capture))
  }

  @Test
  func `client certificates that secrets decrypt are kept`() throws {
    struct Sink: SessionSink, ~Copyable {
      var chains: [Int] = []
      mutating func take(_ session: ObservedSession) {
        chains.append(session.sharedTLS?.clientChain?.certificates.count ?? 0)
      }
    }
    func chains(_ options: AuditOptions) -> [Int] {
      var sink = Sink()
      _ = Audit.read(options, into: &sink)
      return sink.chains
    }
    let name = Repository.path("captures/client-certificates/given-in-tls13")
    var options = AuditOptions(paths: [name + ".pcap"])
    let log = try String(contentsOfFile: name + ".keylog", encoding: .utf8)
    let scratch = try TemporaryFolder()
    let forms = [
      log.replacing("\n", with: "\r"), log.replacing(" ", with: "\t"), "\u{FEFF}" + log,
      log.replacing("CLIENT_HANDSHAKE", with: "QUIC_CLIENT_HANDSHAKE").replacing("SERVER_HANDSHAKE", with: "QUIC_SERVER_HANDSHAKE"), log,
    ]
    var extract = ""
    for form in forms {
      options.reading.keyLogs = [try scratch.write("a.keylog", Bytes(form.utf8))]
      #expect(chains(options) == [2])
      extract = try scratch.write("a.pcapng", Extraction(options).whole().bytes)
      #expect(chains(AuditOptions(paths: [extract])) == [2])
    }
    // The extract contains the secrets, which are found there again.
    let extraction = Extraction(AuditOptions(paths: [extract]), anonymizationKey: .random()).whole()
    #expect(try chains(AuditOptions(paths: [scratch.write("b.pcapng", extraction.bytes)])) == [2])
  }

  @Test
  func `secrets are written in blocks of limited length, which are all read`() throws {
    let name = Repository.path("captures/client-certificates/given-in-tls13")
    let log = Bytes(try Data(contentsOf: URL(fileURLWithPath: name + ".keylog"))) + [0x0A]
    let scratch = try TemporaryFolder()
    var options = AuditOptions(paths: [name + ".pcap"])
    let repeated = Bytes((0..<(512 << 10) / log.count).flatMap { _ in log })
    options.reading.keyLogs = [try scratch.write("long.keylog", repeated)]
    var lengths: [Int] = []
    let bytes = Extraction(options).whole().bytes
    var reader = try CaptureReader(MemorySource(bytes))
    while try reader.next() != nil {}
    for secrets in reader.metadata.secrets { lengths.append(secrets.data.count) }
    #expect(lengths.count > 2)
    #expect(lengths.allSatisfy { $0 < 65 << 10 })
    #expect(lengths.reduce(0, +) > 128 << 10)
  }

  /// The facts of each session that an extract must keep.
  static func sessions(_ path: String) -> [[String]] {
    struct Sink: SessionSink, ~Copyable {
      var found: [[String]] = []
      mutating func take(_ session: ObservedSession) {
        var facts = [session.serverName ?? "-", "\(session.application)", "\(session.evidence.notes)"]
        facts += session.tunnel.map(\.text)
        facts.append("\(session.sharedTLS?.sharedServerHello != nil)")
        for request in session.http?.requests ?? [] {
          facts.append(
            "\(request.method) \(request.host ?? "-") \(request.path) \(request.status ?? 0) "
              + "\(request.redirectScheme ?? "-") \(request.redirectHost ?? "-") \(request.upgrade ?? "-")")
        }
        found.append(facts)
      }
    }
    var sink = Sink()
    _ = Audit.read(AuditOptions(paths: [path]), into: &sink)
    return sink.found
  }

  /// A pcap of raw IP with one connection, from its opening to its close.
  static func capture(_ lines: [DialogueLine], _ way: Way) -> Bytes {
    var position = (client: 0, server: 0)
    var parts: [(fromClient: Bool, start: Int, bytes: Bytes)] = []
    for line in lines {
      let size = way == .small ? 7 : way == .swapped ? max(1, (line.bytes.count + 1) / 2) : line.bytes.count
      for start in stride(from: 0, to: line.bytes.count, by: max(1, size)) {
        let piece = Bytes(line.bytes[start..<min(line.bytes.count, start + size)])
        let offset = line.fromClient ? position.client : position.server
        parts.append((line.fromClient, offset, piece))
        if line.fromClient { position.client += piece.count } else { position.server += piece.count }
      }
    }
    for index in parts.indices.dropLast().reversed() {
      let isOneWay = parts[index].fromClient == parts[index + 1].fromClient
      switch way {
      case .swapped where isOneWay: parts.swapAt(index, index + 1)
      case .repeated: parts.insert(parts[index], at: index + 2)
      // Only the first response: two responses before their requests would be ambiguous.
      case .answersFirst where index == 0 && !isOneWay: parts.swapAt(0, 1)
      default: break
      }
    }
    var file = CaptureWriter.pcap(network: 101)
    var seconds: UInt32 = 1_700_000_000
    func add(_ bytes: Bytes, _ flags: UInt8, _ fromClient: Bool, at position: Int) {
      let packet = PacketBuilder.segment(
        bytes, server: 8080, fromClient: fromClient, sequence: (fromClient ? 1000 : 9000) + position,
        acknowledgment: fromClient ? 9000 : 1000, flags: flags)
      seconds += 1
      file.record(packet, seconds: seconds)
    }
    add([], 0x02, true, at: -1)
    add([], 0x12, false, at: -1)
    add([], 0x10, true, at: 0)
    for part in parts { add(part.bytes, 0x18, part.fromClient, at: part.start) }
    add([], 0x11, true, at: position.client)
    add([], 0x11, false, at: position.server)
    return file.bytes
  }
}

extension Extraction {
  /// The whole extract.
  func whole() -> (bytes: Bytes, result: Counts) {
    var bytes = Bytes()
    let result = write { bytes += $0 }
    return (bytes, result)
  }
}
