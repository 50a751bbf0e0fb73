import DequeModule
import ByteParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import CleartextObservation
@testable import SessionTracking

/// Unusual but legal preambles of a hello: in small segments, out of order, nested.
@Suite struct PreambleTests {
  /// The messages before the hello, their senders, and the tunnel that the session reports.
  struct Preamble: Sendable, CustomTestStringConvertible {
    var name: String
    var port: UInt16
    var lines: [DialogueLine]
    var tunnel: [EnclosingLayer]
    var serverName = "server"
    /// Whether the hello is in the same segment as the last line.
    var isJoined = false
    var testDescription: String { name }
  }

  private static let connect = [c("CONNECT example.com:443 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 200 OK\r\n\r\n")]
  private static let greeting5: [DialogueLine] = [
    (true, hex("050100")), (false, hex("0500")),
  ]
  private static let request5 = hex("05010003 0b") + Bytes("example.com".utf8) + hex("01bb")
  private static let reply5 = hex("05000001 00000000 0000")
  private static let proxyHeader = hex("0d0a0d0a000d0a515549540a 21 11 000c c0000209 cb007107 c738 01bb")
  private static let mysqlGreeting =
    hex("4a000000 0a") + Bytes("8.0.36".utf8) + Bytes(repeating: 0, count: 67)
  private static let mysqlRequest = hex("20000001 85aeff19 00000001 ff") + Bytes(repeating: 0, count: 23)

  private static let rdpRequest =
    hex("03000029 24 e0 0000 0000 00") + Bytes("Cookie: mstshash=eve\r\n".utf8) + hex("01 00 0800 0b000000")
  private static let rdpConfirm = hex("03000013 0e d0 0000 1234 00 02 1f 0800 08000000")

  static let preambles: [Preamble] = [
    Preamble(
      name: "a greeting in two segments", port: 2525, lines: [s("2"), s("20 mx ESMTP\r\n")] + startTLS,
      tunnel: ["starttls smtp"]),
    Preamble(
      name: "a greeting of several lines that names no protocol", port: 2525,
      lines: [s("220-welcome\r\n"), s("220-to\r\n220 us\r\n")] + startTLS, tunnel: ["starttls smtp"]),
    Preamble(
      name: "a greeting that an FTP command identifies", port: 2121,
      lines: [s("220 ready\r\n"), c("auth tls\r\n"), s("234 ok\r\n")], tunnel: ["starttls ftp"]),
    Preamble(
      name: "a mail server whose name contains FTP", port: 2525,
      lines: [s("220 FTP-MX.example ESMTP\r\n"), c("EHLO client\r\n"), s("250 STARTTLS\r\n")] + startTLS, tunnel: ["starttls smtp"]),
    Preamble(
      name: "an FTP 120 response before the greeting", port: 2121,
      lines: [s("120 wait\r\n"), s("220 FTP\r\n"), c("AUTH TLS\r\n"), s("234 ok\r\n")],
      tunnel: ["starttls ftp"]),
    Preamble(
      name: "TLS refused, then requested again", port: 2525,
      lines: [s("220 mx ESMTP\r\n"), c("STARTTLS\r\n"), s("454 not now\r\n")] + startTLS,
      tunnel: ["starttls smtp"]),
    Preamble(
      name: "IMAP commands before the greeting", port: 2143,
      lines: [
        c("a0 CAPABILITY\r\na1 STARTTLS\r\n"), s("* OK hi\r\n* CAPABILITY STARTTLS\r\na0 OK\r\na1 OK\r\n"),
      ],
      tunnel: ["starttls imap"]),
    Preamble(
      name: "POP3 commands before the greeting", port: 2110,
      lines: [c("CAPA\r\nSTLS\r\n"), s("+OK\r\n+OK\r\nSTLS\r\n.\r\n+OK\r\n")], tunnel: ["starttls pop3"]),
    Preamble(
      name: "an XMPP stream with another prefix, after blanks", port: 2222,
      lines: [c(" \n<s:stream to='server'>"), s("<s:stream>"), c("<starttls/>"), s("<proceed/>")],
      tunnel: ["starttls xmpp"]),
    Preamble(
      name: "a PostgreSQL request in two segments", port: 2345,
      lines: [(true, hex("00000008")), (true, hex("04d2162f")), s("S")], tunnel: ["starttls postgresql"]),
    Preamble(
      name: "a PostgreSQL response without its request", port: 2345, lines: [s("S")],
      tunnel: ["starttls postgresql"]),
    Preamble(
      name: "a MySQL greeting after its header", port: 3333,
      lines: [
        (false, Bytes(mysqlGreeting[..<4])), (false, Bytes(mysqlGreeting[4...])), (true, mysqlRequest),
      ],
      tunnel: ["starttls mysql"]),
    Preamble(
      name: "a MySQL request captured before the greeting", port: 3333,
      lines: [(true, mysqlRequest), (false, mysqlGreeting)], tunnel: ["starttls mysql"]),
    Preamble(
      name: "an LDAP response captured before its request", port: 1389,
      lines: [
        (false, hex("300c 020101 7807 0a0100 0400 0400")),
        (true, hex("301d 020101 7718 8016 312e332e362e312e342e312e313436362e3230303337")),
      ], tunnel: ["starttls ldap"]),
    Preamble(
      name: "a ClientHello directly after MySQL's request", port: 3333,
      lines: [(false, mysqlGreeting), (true, mysqlRequest)], tunnel: ["starttls mysql"], isJoined: true),
    Preamble(
      name: "an RDP connection request with a user name, in small segments", port: 3390,
      lines: rdpRequest.map { (true, [$0]) } + [(false, rdpConfirm)], tunnel: ["starttls rdp"]),
    Preamble(
      name: "an RDP connection request with a cookie", port: 3390,
      lines: [
        (
          true,
          hex("03000037 32 e0 0000 0000 00 01 08 0800 0b000000 0600 2400") + Bytes(repeating: 7, count: 32)
        ),
        (false, rdpConfirm),
      ], tunnel: ["starttls rdp"]),
    Preamble(
      name: "a ClientHello directly after an RDP connection request", port: 3390, lines: [(true, rdpRequest)],
      tunnel: ["starttls rdp"], isJoined: true),
    Preamble(
      name: "an RDP confirm captured before its request", port: 3390,
      lines: [(false, rdpConfirm), (true, rdpRequest)], tunnel: ["starttls rdp"]),
    Preamble(
      name: "TLS that both sides of ADB agree to", port: 5555,
      lines: [
        (true, bridge("CNXN", Bytes("host::".utf8))), (false, bridge("STLS")), (true, bridge("STLS")),
      ], tunnel: ["starttls adb"]),
    Preamble(
      name: "ADB messages divided anywhere, the last with the ClientHello", port: 5555,
      lines: bridge("CNXN", Bytes("host::".utf8)).map { (true, [$0]) }
        + [(false, bridge("CNXN", hex("160301000a0100")) + bridge("STLS")), (true, bridge("STLS"))],
      tunnel: ["starttls adb"], isJoined: true),
    Preamble(
      name: "the versions of both sides of NoMachine", port: 4000,
      lines: [c("NXSH-8.1.10.1\n"), s("NXD-8.1.10.1\n")], tunnel: ["starttls nomachine"]),
    Preamble(
      name: "unknown text on a mail port", port: 143, lines: [s("BONJOUR\r\n")],
      tunnel: ["starttls imap"]),
    Preamble(
      name: "SOCKS 5 byte by byte", port: 1080,
      lines: (hex("050100").map { (true, [$0]) }) + [(false, hex("0500"))] + request5.map { (true, [$0]) } + [
        (false, reply5)
      ],
      tunnel: ["socks 5 example.com:443"], serverName: "example.com"),
    Preamble(
      name: "a SOCKS 5 reply captured before its greeting", port: 1080,
      lines: [(false, hex("0500")), (true, hex("050100")), (true, request5), (false, reply5)],
      tunnel: ["socks 5 example.com:443"], serverName: "example.com"),
    Preamble(
      name: "a SOCKS 4 reply captured before its request", port: 1080,
      lines: [(false, hex("005a 0000 00000000")), (true, hex("0401 01bb cb007109 00"))],
      tunnel: ["socks 4 203.0.113.9:443"]),
    Preamble(
      name: "SOCKS 5 in one segment", port: 1080,
      lines: [(true, hex("050100") + request5)], tunnel: ["socks 5 example.com:443"],
      serverName: "example.com",
      isJoined: true),
    Preamble(
      name: "SOCKS 4a in one segment", port: 1080,
      lines: [(true, hex("0401 01bb 00000001 00") + Bytes("example.com".utf8) + [0])],
      tunnel: ["socks 4a example.com:443"], serverName: "example.com", isJoined: true),
    Preamble(
      name: "a CONNECT in a CONNECT", port: 8080,
      lines: [c("CONNECT inner:3128 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 200 OK\r\n\r\n")] + connect,
      tunnel: ["http-connect inner:3128", "http-connect example.com:443"], serverName: "example.com"),
    Preamble(
      name: "SOCKS in a CONNECT", port: 8080,
      lines: [c("CONNECT inner:1080 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 200 OK\r\n\r\n")] + greeting5 + [
        (true, request5), (false, reply5),
      ],
      tunnel: ["http-connect inner:1080", "socks 5 example.com:443"], serverName: "example.com"),
    Preamble(
      name: "mail in a CONNECT", port: 8080,
      lines: [
        c("CONNECT mx:587 HTTP/1.1\r\n\r\n"), s("HTTP/1.1 200 OK\r\n\r\n220 mx ESMTP\r\n"),
      ] + startTLS,
      tunnel: ["http-connect mx:587", "starttls smtp"], serverName: "mx"),
    Preamble(
      name: "mail after a PROXY protocol header", port: 2525,
      lines: [(true, proxyHeader), s("220 mx ESMTP\r\n")] + startTLS,
      tunnel: ["proxy-protocol 2", "starttls smtp"]),
    Preamble(
      name: "the PROXY protocol headers of two load balancers", port: 443,
      lines: [c("PROXY UNKNOWN\r\n"), (true, proxyHeader)], tunnel: ["proxy-protocol 1", "proxy-protocol 2"], isJoined: true),
    Preamble(
      name: "PROXY protocol headers for a proxy and for the server", port: 8080,
      lines: [c("PROXY UNKNOWN\r\n")] + connect + [(true, proxyHeader)],
      tunnel: ["proxy-protocol 1", "http-connect example.com:443", "proxy-protocol 2"], serverName: "example.com"),
    Preamble(
      name: "the longest PROXY protocol header", port: 443,
      lines: [(true, hex("0d0a0d0a000d0a515549540a 21 11 ffff"))]
        + (0..<65).map { _ in (true, Bytes(repeating: 1, count: 1000)) } + [
          (true, Bytes(repeating: 1, count: 535))
        ],
      tunnel: ["proxy-protocol 2"], isJoined: true),
    Preamble(
      name: "interim responses to a CONNECT and one with a length", port: 8080,
      lines: [
        c("CONNECT example.com:443 HTTP/1.1\r\n\r\n"),
        s("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
      ],
      tunnel: ["http-connect example.com:443"], serverName: "example.com"),
  ]

  @Test(arguments: preambles)
  func `the handshake after a preamble is read, and the tunnel lists the layers in order`(preamble: Preamble) {
    var traffic = TestTraffic(port: preamble.port)
    var lines = preamble.lines
    if preamble.isJoined, let last = lines.popLast() { lines.append((true, last.bytes + sampleClientHello)) }
    traffic.say(lines)
    if !preamble.isJoined { traffic.say(sampleClientHello, fromClient: true) }
    traffic.say(sampleServerHello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.count == 1)
    #expect(sessions.first?.serverName == preamble.serverName)
    #expect(sessions.first?.sharedTLS?.sharedServerHello != nil)
    #expect(sessions.first?.evidence.clientHello == .complete)
    #expect(sessions.first?.tunnel == preamble.tunnel)
  }

  @Test(arguments: [1, 3, 7, 50])
  func `a hello after STARTTLS may come in small segments`(size: Int) {
    var traffic = TestTraffic(port: 25)
    traffic.say([s("220 mx ESMTP\r\n")] + startTLS)
    for start in stride(from: 0, to: sampleClientHello.count, by: size) {
      traffic.say(
        Bytes(sampleClientHello[start..<min(start + size, sampleClientHello.count)]), fromClient: true)
    }
    let session = traffic.finish().first
    #expect(session?.serverName == "server")
    #expect(session?.tunnel == ["starttls smtp"])
  }

  @Test
  func `a SOCKS response captured after the ClientHello is skipped`() {
    var traffic = TestTraffic(port: 1080)
    traffic.say(hex("050100") + PreambleTests.request5 + sampleClientHello, fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    traffic.say(PreambleTests.reply5 + sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.sharedServerHello != nil)
    #expect(session?.evidence.serverHello == .complete)
  }

  @Test
  func `a session after a preamble is ordered by its own first packet`() {
    var traffic = TestTraffic(port: 8080)
    traffic.say(PreambleTests.connect[0].bytes, fromClient: true)
    traffic.clientPort = 50_001
    traffic.say(sampleClientHello, fromClient: true)
    traffic.clientPort = 50_000
    traffic.say(PreambleTests.connect[1].bytes, fromClient: false)
    traffic.clientPort = 50_002
    traffic.say(sampleClientHello, fromClient: true)
    traffic.clientPort = 50_000
    traffic.say(sampleClientHello, fromClient: true)
    #expect(traffic.finish().map(\.client.port) == [50_001, 50_002, 50_000])
  }

  @Test
  func `requests before a CONNECT are separate sessions`() {
    var traffic = TestTraffic(port: 8080)
    traffic.say(Bytes("GET http://plain.example/ HTTP/1.1\r\n\r\n".utf8), fromClient: true)
    traffic.say(Bytes("HTTP/1.1 204 No Content\r\n\r\n".utf8), fromClient: false)
    traffic.say(PreambleTests.connect)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["plain.example", "example.com"])
    #expect(sessions.map(\.tunnel) == [["http-proxy plain.example:80"], ["http-connect example.com:443"]])
    #expect(sessions.map(\.firstFrame) == [4, 8])
  }

  @Test
  func `TLS after an HTTP upgrade is read (RFC 2817)`() {
    var traffic = TestTraffic(port: 631)
    traffic.say(
      Bytes("OPTIONS * HTTP/1.1\r\nHost: p.example\r\nUpgrade: TLS/1.2\r\nConnection: Upgrade\r\n\r\n".utf8),
      fromClient: true)
    traffic.say(
      Bytes("HTTP/1.1 101 Switching\r\nUpgrade: TLS/1.2, HTTP/1.1\r\nConnection: Upgrade\r\n\r\n".utf8),
      fromClient: false)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.application) == [.http, .tls])
    #expect(sessions.map(\.tunnel) == [[], ["starttls http"]])
  }

  @Test
  func `a protocol that continues in cleartext counts as without a handshake`() {
    var traffic = TestTraffic(port: 25)
    for line in [
      s("220 mx ESMTP\r\n"), c("STARTTLS\r\n"), s("454 no\r\n"),
    ] {
      traffic.say(line.bytes, fromClient: line.fromClient)
    }
    for _ in 0..<100 { traffic.say(Bytes(repeating: 0x16, count: 1000), fromClient: true) }
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.withoutHandshake.count == 1)
  }

  /// RDP and ADB messages that do not start TLS; a hello after them is payload.
  private static let settled: [[DialogueLine]] = [
    [(true, rdpRequest), (false, hex("0300000b 06 d0 0000 1234 00"))],
    [(true, rdpRequest), (false, hex("03000013 0e d0 0000 1234 00 02 00 0800 00000000"))],
    [(true, rdpRequest), (false, hex("03000013 0e d0 0000 1234 00 03 00 0800 02000000"))],
    [
      (true, bridge("CNXN", Bytes("host::".utf8))), (false, bridge("CNXN")),
      (true, bridge("OPEN", [0x74, 0])),
    ],
  ]

  @Test(arguments: settled.indices)
  func `a hello within cleartext RDP or ADB is not a session`(index: Int) {
    var traffic = TestTraffic(port: 3390)
    traffic.say(PreambleTests.settled[index])
    traffic.sayHellos()
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [1])
  }

  @Test(arguments: [1, 19, 24, 40])
  func `a hello after RDP is found if its segment begins with retransmitted bytes`(overlap: Int) {
    var traffic = TestTraffic(port: 3390, clientSays: PreambleTests.rdpRequest)
    traffic.say(PreambleTests.rdpConfirm, fromClient: false)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.sayLate(PreambleTests.rdpRequest.suffix(overlap) + sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(sessions.map(\.tunnel) == [["starttls rdp"]])
  }

  /// Messages of an unknown protocol.
  private static let unknown: [DialogueLine] = [
    (true, hex("01020304 ffee")), (false, hex("0102 1603 0305")), (true, hex("11 2233")),
  ]

  @Test(arguments: [1, 3, 9])
  func `a hello after an unknown protocol is found if its segment begins with retransmitted bytes`(overlap: Int) {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.unknown)
    let said = PreambleTests.unknown.filter(\.fromClient).flatMap(\.bytes)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.sayLate(said.suffix(overlap) + sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(sessions.map(\.tunnel) == [["starttls unknown"]])
    #expect(sessions.first?.evidence.notes == [.tlsNotAtStart])
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }

  /// Tunnels without their content, and their layers.
  private static let tunnels: [(lines: [DialogueLine], layer: EnclosingLayer)] = [
    (connect, "http-connect example.com:443"), (greeting5 + [(true, request5), (false, reply5)], "socks 5 example.com:443"),
    ([(true, proxyHeader)], "proxy-protocol 2"),
  ]

  @Test(arguments: tunnels.indices, [0, 1, 3])
  func `an unknown protocol in a tunnel is reported after the tunnel`(index: Int, overlap: Int) {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.tunnels[index].lines + PreambleTests.unknown)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.sayLate(PreambleTests.unknown[2].bytes.suffix(overlap) + sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.tunnel) == [[PreambleTests.tunnels[index].layer, "starttls unknown"]])
    #expect(sessions.first?.evidence.notes == [.tlsNotAtStart])
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }

  @Test(arguments: [(4, true), (9, false)])
  func `an unknown protocol in a tunnel is watched for 8 KiB of the tunnel`(count: Int, isWatched: Bool) {
    var traffic = TestTraffic(port: 4000)
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "a", count: 9000)
    traffic.say([c("GET http://plain.example/ HTTP/1.1\r\n\r\n"), s(response)] + PreambleTests.connect + PreambleTests.unknown)
    for _ in 0..<count { traffic.say(Bytes(repeating: 1, count: 1000), fromClient: false) }
    traffic.sayHellos()
    let session = traffic.finish().last
    #expect((session?.tunnel == ["http-connect example.com:443", "starttls unknown"]) == isWatched)
    #expect((session?.serverName == "example.com") == isWatched)
  }

  @Test(arguments: tunnels.indices, unknown.indices)
  func `an unknown protocol in a tunnel that lacks bytes makes the beginning uncertain`(index: Int, lost: Int) {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.tunnels[index].lines)
    for (position, line) in PreambleTests.unknown.enumerated() {
      if position == lost {
        traffic.lose(line.bytes, fromClient: line.fromClient)
      } else {
        traffic.say(line.bytes, fromClient: line.fromClient)
      }
    }
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.tunnel == [PreambleTests.tunnels[index].layer])
    #expect(session?.evidence.contains(.beginningMissing) == true)
  }

  @Test(arguments: -1..<tunnels.count, unknown.indices)
  func `a truncated greeting of an unknown protocol makes the beginning uncertain`(index: Int, truncated: Int) {
    var traffic = TestTraffic(port: 4000)
    if index >= 0 { traffic.say(PreambleTests.tunnels[index].lines) }
    for (position, line) in PreambleTests.unknown.enumerated() {
      let count = line.bytes.count
      traffic.say(line.bytes, cutTo: position == truncated ? count - 1 : count, fromClient: line.fromClient)
    }
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.tunnel == (index >= 0 ? [PreambleTests.tunnels[index].layer] : []))
    #expect(session?.evidence.contains(.beginningMissing) == true)
    #expect(session?.evidence.missingBytes == 1)
  }

  @Test(arguments: [false, true])
  func `on a proxy's port an unknown protocol may have requested another host`(followsHeader: Bool) throws {
    var traffic = TestTraffic(port: 8080)
    if followsHeader { traffic.say(PreambleTests.proxyHeader, fromClient: true) }
    traffic.say(PreambleTests.unknown)
    traffic.say(try #require(namelessHello), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = try #require(traffic.finish().first)
    #expect(session.serverName == nil)
    #expect(session.tunnel == (followsHeader ? ["proxy-protocol 2"] : []))
  }

  @Test(arguments: [1, 3])
  func `an unknown protocol after a lost response of a SOCKS proxy makes the beginning uncertain`(lost: Int) {
    var traffic = TestTraffic(port: 4000)
    for (position, line) in PreambleTests.tunnels[1].lines.enumerated() {
      if position == lost {
        traffic.lose(line.bytes, fromClient: line.fromClient)
      } else {
        traffic.say(line.bytes, fromClient: line.fromClient)
      }
    }
    traffic.say(PreambleTests.unknown)
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.tunnel == ["socks 5 example.com:443"])
    #expect(session?.evidence.contains(.beginningMissing) == true)
  }

  @Test
  func `a reply of a SOCKS proxy captured after an unknown protocol is not part of it`() {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.tunnels[1].lines.dropLast())
    traffic.say(PreambleTests.unknown[0].bytes, fromClient: true)
    traffic.say(PreambleTests.reply5, fromClient: false)
    traffic.say(PreambleTests.unknown.dropFirst())
    traffic.sayHellos()
    #expect(traffic.finish().map(\.tunnel) == [["socks 5 example.com:443", "starttls unknown"]])
  }

  @Test(arguments: tunnels.indices)
  func `a ClientHello lost after an unknown protocol in a tunnel makes the beginning uncertain`(index: Int) {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.tunnels[index].lines + PreambleTests.unknown)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    traffic.say([20, 3, 3, 0, 1, 1], fromClient: true)
    let session = traffic.finish().first
    #expect(session?.tunnel == [PreambleTests.tunnels[index].layer])
    #expect(session?.evidence.contains(.beginningMissing) == true)
  }

  @Test
  func `requests before an unknown protocol in a tunnel are separate sessions`() {
    var traffic = TestTraffic(port: 8080)
    traffic.say([c("GET http://plain.example/ HTTP/1.1\r\n\r\n"), s("HTTP/1.1 204 No Content\r\n\r\n")])
    traffic.say(PreambleTests.connect + PreambleTests.unknown)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["plain.example", "example.com"])
    #expect(sessions.map(\.tunnel) == [["http-proxy plain.example:80"], ["http-connect example.com:443", "starttls unknown"]])
  }

  @Test(arguments: [false, true])
  func `an unknown protocol is reported only if no bytes before the hello are missing`(isLost: Bool) {
    var traffic = TestTraffic(port: 4000)
    for (index, line) in PreambleTests.unknown.enumerated() {
      if isLost, index == 1 {
        traffic.lose(line.bytes, fromClient: line.fromClient)
      } else {
        traffic.say(line.bytes, fromClient: line.fromClient)
      }
    }
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.tunnel) == [isLost ? [] : ["starttls unknown"]])
    #expect(sessions.first?.evidence.contains(.beginningMissing) == isLost)
    #expect(sessions.first?.evidence.incomplete == (isLost ? .loss : .stillOpen))
  }

  @Test
  func `an unknown protocol is reported if bytes after the hello are missing`() {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.unknown)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.lose(Bytes(repeating: 0, count: 100), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.tunnel) == [["starttls unknown"]])
    #expect(sessions.first?.evidence.contains(.beginningMissing) == false)
  }

  @Test(arguments: [(4000, nil), (587, "starttls smtp")])
  func `a greeting of the server that the capture lacks makes the beginning uncertain`(port: UInt16, tunnel: String?) {
    var traffic = TestTraffic(port: port)
    traffic.lose(Bytes("220 mail.example ready\r\n".utf8), fromClient: false)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(sessions.map(\.tunnel) == [tunnel.map { [EnclosingLayer($0)] } ?? []])
    #expect(sessions.first?.evidence.contains(.beginningMissing) == true)
  }

  @Test(arguments: [10, 60, 150])
  func `a hello of which the capture lacks a part leaves the beginning certain`(count: Int) {
    var traffic = TestTraffic(port: 443)
    traffic.say(Bytes(sampleClientHello.prefix(count)), fromClient: true)
    traffic.lose(Bytes(sampleClientHello.dropFirst(count)), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    traffic.say([20, 3, 3, 0, 1, 1], fromClient: true)
    let session = traffic.finish().first
    #expect(session?.evidence.missingBytes == sampleClientHello.count - count)
    #expect(session?.evidence.contains(.beginningMissing) == false)
  }

  @Test func `a ServerHello that the capture lacks leaves the beginning certain`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.lose(sampleServerHello, fromClient: false)
    traffic.say(Bytes([20, 3, 3, 0, 1, 1]), fromClient: false)
    #expect(traffic.finish().first?.evidence.contains(.beginningMissing) == false)
  }

  @Test
  func `a hello captured before the unknown bytes that precede it is found`() {
    var traffic = TestTraffic(port: 4000)
    traffic.lose(PreambleTests.unknown[0].bytes, fromClient: true)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.rewind(PreambleTests.unknown[0].bytes.count + sampleClientHello.count, fromClient: true)
    traffic.say(PreambleTests.unknown[0].bytes, fromClient: true)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(sessions.first?.evidence.missingBytes == 0)
  }

  @Test
  func `in an unknown protocol a hello is found at the start of a segment, not within binary data`() {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.unknown)
    traffic.say([7] + sampleClientHello, fromClient: true)
    traffic.say([7] + sampleServerHello, fromClient: false)
    for _ in 0..<8 { traffic.say(Bytes(repeating: 7, count: 1024), fromClient: true) }
    #expect(traffic.tracker.openConnections == 0)
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [1])
    traffic.say(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }

  @Test(arguments: [0, 1, 60, 150], [0, 2, 3])
  func `a hello in the same segment as unknown bytes is found if those are lines`(
    cut: Int, before: Int
  ) {
    let line = Bytes("A1 UPGRADE now\r\n".utf8)
    for isLine in [true, false] {
      var traffic = TestTraffic(port: 4000)
      for words in PreambleTests.unknown.prefix(before) {
        traffic.say(words.bytes, fromClient: words.fromClient)
      }
      let hello = Bytes(line.dropLast(isLine ? 0 : 1)) + sampleClientHello
      traffic.say(Bytes(hello.dropLast(cut)), fromClient: true)
      if cut > 0 { traffic.say(Bytes(hello.suffix(cut)), fromClient: true) }
      traffic.say(sampleServerHello, fromClient: false)
      let sessions = traffic.finish()
      #expect(sessions.map(\.serverName) == [isLine ? "server" : nil])
      guard isLine else { continue }
      #expect(sessions.first?.firstFrame == UInt64(4 + before))
      #expect(sessions.first?.evidence.clientHello == .complete)
      #expect(sessions.first?.evidence.serverHello == .complete)
      #expect(sessions.first?.evidence.notes == [.tlsNotAtStart])
      #expect(sessions.map(\.tunnel) == [["starttls unknown"]])
      #expect(traffic.tracker.health.withoutHandshake.isEmpty)
    }
  }

  @Test
  func `a session after an unknown protocol is ordered by its first packet and delays no other`() {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.unknown[0].bytes, fromClient: true)
    traffic.clientPort = 50_001
    traffic.say(sampleClientHello, fromClient: true)
    for isClient in [true, false] { traffic.end(fromClient: isClient) }
    #expect(traffic.tracker.finished.map(\.session?.client.port) == [50_001])
    traffic.clientPort = 50_000
    traffic.say(sampleClientHello, fromClient: true)
    #expect(traffic.finish().map(\.client.port) == [50_001, 50_000])
  }

  @Test(arguments: ["BON", "BONJOUR\r\n"])
  func `the protocol assumed from the port does not depend on the length of unknown bytes`(
    words: String
  ) {
    var traffic = TestTraffic(port: 143)
    traffic.say(Bytes(words.utf8), fromClient: true)
    traffic.say(sampleClientHello, fromClient: true)
    #expect(traffic.finish().map(\.tunnel) == [["starttls imap"]])
  }

  @Test
  func `a request after an unknown protocol is found`() {
    var traffic = TestTraffic(port: 4000)
    traffic.say(PreambleTests.unknown)
    traffic.say(Bytes("GET ".utf8), fromClient: true)
    traffic.say(Bytes("/ HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["a.example"])
  }

  @Test
  func `connections with an unknown protocol are dropped without counting as evicted`() {
    var limits = ObservationLimits()
    limits.openConnections = 4
    var traffic = TestTraffic(port: 4000)
    traffic.tracker = SessionTracker(file: "test", limits: limits)
    for port in UInt16(50_000)..<50_020 {
      traffic.clientPort = port
      traffic.open()
      traffic.say(PreambleTests.unknown[0].bytes, fromClient: true)
    }
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.evictedConnections == 0)
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [20])
  }

  @Test(arguments: [false, true])
  func `a connection with a late session does not count as without a handshake`(goesOnAsHTTP: Bool) {
    var traffic = TestTraffic(port: 3389)
    let request = Bytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
    let foreign: Bytes = [3, 0, 0, 19, 14, 0xE0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0]
    traffic.say(foreign, fromClient: true)
    traffic.say([22, 3, 3, 0, 5, 1, 2, 3, 4, 5], fromClient: false)
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [1])
    traffic.say(goesOnAsHTTP ? request : sampleClientHello, fromClient: true)
    traffic.say(foreign, fromClient: false)
    #expect(traffic.finish().count == 1)
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }

  @Test func `a connection with several failed beginnings counts once as without a handshake`() {
    var traffic = TestTraffic(port: 3389)
    traffic.say([3, 0, 0, 19, 14, 0xE0], fromClient: true)
    for _ in 0..<3 {
      traffic.say(Bytes("GET /a HTTP/1.1\r\nHost: a".utf8.prefix(12)), fromClient: true)
      traffic.say([3, 0, 0, 19], fromClient: true)
    }
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [1])
  }
}
