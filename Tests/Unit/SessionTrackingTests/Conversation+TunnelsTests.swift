import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes
import Testing
import Values

import SessionModel
@testable import CleartextObservation
@testable import SessionTracking

/// The ClientHello of RFC 8448 with an unknown extension instead of server_name.
let namelessHello: Bytes? = {
  var hello = sampleClientHello
  guard let offset = hello.indices.first(where: { Bytes(hello[$0...]).starts(with: hex("0000000b0009")) })
  else { return nil }
  hello[offset + 1] = 0x99
  return hello
}()

/// TLS that begins after another protocol on the same connection.
@Suite struct ConversationTunnelsTests {
  /// The messages before the hello, their senders, and the tunnel that the session reports.
  struct Preamble: Sendable, CustomTestStringConvertible {
    var name: String
    var port: UInt16
    var lines: [DialogueLine]
    var tunnel: EnclosingLayer
    var testDescription: String { name }

    init(_ name: String, port: UInt16, _ lines: [(Bool, Bytes)], tunnel: EnclosingLayer) {
      self.name = name
      self.port = port
      self.lines = lines
      self.tunnel = tunnel
    }
  }

  static let preambles: [Preamble] = [
    Preamble(
      "SMTP", port: 25,
      [
        (false, text("220 mail.example.com ESMTP\r\n")), (true, text("EHLO client\r\n")),
        (false, text("250-mail.example.com\r\n250 STARTTLS\r\n")), (true, text("STARTTLS\r\n")),
        (false, text("220 go ahead\r\n")),
      ], tunnel: "starttls smtp"),
    Preamble(
      "IMAP", port: 143,
      [
        (false, text("* OK IMAP4rev1 ready\r\n")), (true, text("a STARTTLS\r\n")), (false, text("a OK\r\n")),
      ], tunnel: "starttls imap"),
    Preamble(
      "POP3", port: 110,
      [(false, text("+OK ready\r\n")), (true, text("STLS\r\n")), (false, text("+OK\r\n"))],
      tunnel: "starttls pop3"),
    Preamble(
      "FTP on its port", port: 21,
      [(false, text("220 ready\r\n")), (true, text("AUTH TLS\r\n")), (false, text("234 ok\r\n"))],
      tunnel: "starttls ftp"),
    Preamble(
      "FTP with a command in two segments", port: 443,
      [(false, text("220 ready\r\n")), (true, text("AU")), (true, text("TH TLS\r\n")), (false, text("234 ok\r\n"))],
      tunnel: "starttls ftp"),
    Preamble(
      "FTP on another port", port: 2121,
      [
        (false, text("220 (vsFTPd 3.0.5)\r\n")), (true, text("AUTH TLS\r\n")), (false, text("234 ok\r\n")),
      ], tunnel: "starttls ftp"),
    Preamble(
      "XMPP", port: 5222,
      [
        (true, text("<?xml version='1.0'?><stream:stream to='example.com'>")),
        (false, text("<?xml version='1.0'?><stream:features><starttls/></stream:features>")),
        (true, text("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")), (false, text("<proceed/>")),
      ], tunnel: "starttls xmpp"),
    Preamble(
      "LDAP", port: 389,
      [
        (true, hex("301d 020101 7718 8016") + text("1.3.6.1.4.1.1466.20037")),
        (false, hex("300c 020101 7807 0a0100 0400 0400")),
      ], tunnel: "starttls ldap"),
    Preamble(
      "LDAP with a length in the long form", port: 389,
      [
        (true, hex("30840000001d 020101 77840000001 8") + hex("8016") + text("1.3.6.1.4.1.1466.20037")),
        (false, hex("300c 020101 7807 0a0100 0400 0400")),
      ], tunnel: "starttls ldap"),
    Preamble(
      "PostgreSQL", port: 5432, [(true, hex("00000008 04d2162f")), (false, text("S"))],
      tunnel: "starttls postgresql"),
    Preamble(
      "MySQL", port: 3306,
      [
        (false, hex("4a000000 0a") + text("8.0.36") + Bytes(repeating: 0, count: 67)),
        (true, hex("20000001 85aeff19 00000001 ff") + Bytes(repeating: 0, count: 23)),
      ], tunnel: "starttls mysql"),
    Preamble(
      "IRC", port: 6667,
      [
        (true, text("CAP LS 302\r\n")), (false, text(":irc.example.net CAP * LS :tls\r\n")),
        (true, text("STARTTLS\r\n")), (false, text(":irc.example.net 670 * :go ahead\r\n")),
      ], tunnel: "starttls irc"),
    Preamble(
      "SOCKS 5", port: 1080,
      [
        (true, hex("050100")), (false, hex("0500")),
        (true, hex("05010003 0b") + text("example.com") + hex("01bb")),
        (false, hex("05000001 00000000 0000")),
      ], tunnel: "socks 5 example.com:443"),
    Preamble(
      "SOCKS 5 with a password and an address", port: 1080,
      [
        (true, hex("05020002")), (false, hex("0502")),
        (true, hex("01 04") + text("user") + hex("03") + text("key")),
        (false, hex("0100")), (true, hex("05010004 20010db8000000000000000000000007 01bb")),
        (false, hex("05000001 00000000 0000")),
      ], tunnel: "socks 5 [2001:db8::7]:443"),
    Preamble(
      "SOCKS 5 whose proxy asks for GSSAPI", port: 1080,
      [(true, hex("050101")), (false, hex("0501")), (true, hex("010100040a0b0c0d"))], tunnel: "socks 5"),
    Preamble(
      "SOCKS 5 whose answers are not there", port: 1080,
      [(true, hex("050100")), (true, hex("05010001 cb007107 01bb"))], tunnel: "socks 5 203.0.113.7:443"),
    Preamble(
      "SOCKS 4", port: 1080,
      [(true, hex("0401 01bb cb007109 00")), (false, hex("005a 0000 00000000"))],
      tunnel: "socks 4 203.0.113.9:443"),
    Preamble(
      "SOCKS 4a", port: 1080,
      [
        (true, hex("0401 01bb 00000001 00") + text("example.com") + [0]),
        (false, hex("005a 0000 00000000")),
      ], tunnel: "socks 4a example.com:443"),
    Preamble(
      "HTTP CONNECT", port: 8080,
      [
        (true, text("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")),
        (false, text("HTTP/1.1 200 Connection established\r\n\r\n")),
      ], tunnel: "http-connect example.com:443"),
    Preamble(
      "HTTP CONNECT whose answer is not there", port: 8080,
      [(true, text("CONNECT [2001:db8::7]:443 HTTP/1.1\r\nHost: [2001:db8::7]:443\r\n\r\n"))],
      tunnel: "http-connect [2001:db8::7]:443"),
    Preamble(
      "LDAP with a bind in front", port: 389,
      [
        (true, hex("300c 020101 6007 020103 0400 8000")), (false, hex("300c 020101 6107 0a0100 0400 0400")),
        (true, hex("301d 020102 7718 8016") + text("1.3.6.1.4.1.1466.20037")),
        (false, hex("300c 020102 7807 0a0100 0400 0400")),
      ], tunnel: "starttls ldap"),
    Preamble(
      "PostgreSQL that first asks for GSSAPI", port: 5432,
      [
        (true, hex("00000008 04d21630")), (false, text("N")), (true, hex("00000008 04d2162f")),
        (false, text("S")),
      ], tunnel: "starttls postgresql"),
    Preamble(
      "PROXY version 1", port: 443, [(true, text("PROXY TCP4 192.0.2.9 203.0.113.7 51000 443\r\n"))],
      tunnel: "proxy-protocol 1"),
    Preamble(
      "PROXY version 2", port: 443,
      [(true, hex("0d0a0d0a000d0a515549540a 21 11 000c c0000209 cb007107 c738 01bb"))],
      tunnel: "proxy-protocol 2"),
  ]

  @Test(arguments: preambles)
  func `the handshake after a preamble is read, and its tunnel is reported`(preamble: Preamble) {
    var traffic = TestTraffic(port: preamble.port)
    traffic.say(preamble.lines)
    expectHandshake(after: preamble, in: &traffic)
  }

  private func expectHandshake(after preamble: Preamble, in traffic: inout TestTraffic) {
    traffic.sayHellos()
    let sessions = traffic.finish().filter { $0.sharedTLS != nil }
    #expect(sessions.count == 1)
    #expect(sessions.first?.sharedTLS?.serverName == "server")
    #expect(sessions.first?.sharedTLS?.sharedServerHello != nil)
    #expect(sessions.first?.tunnel == [preamble.tunnel])
  }

  // FTP on another port is recognized only if its greeting and commands are not split.
  @Test(arguments: preambles.filter { $0.name != "FTP on another port" }, [1, 3, 7])
  func `a preamble may come in pieces of any size`(preamble: Preamble, length: Int) {
    var traffic = TestTraffic(port: preamble.port)
    for line in preamble.lines {
      for start in stride(from: 0, to: line.bytes.count, by: length) {
        let piece = line.bytes[start..<min(start + length, line.bytes.count)]
        traffic.say(Bytes(piece), fromClient: line.fromClient)
      }
    }
    expectHandshake(after: preamble, in: &traffic)
  }

  @Test
  func `the address does not become the host if bytes before the hello are missing`() {
    guard let hello = namelessHello else { return #expect(Bool(false)) }
    for isLost in [false, true] {
      var traffic = TestTraffic(port: 1080)
      if isLost { traffic.lose(hex("05010003 0b 6578616d706c652e636f6d 01bb"), fromClient: true) }
      traffic.say(hello, fromClient: true)
      traffic.say(sampleServerHello, fromClient: false)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.sharedOffer != nil)
      #expect(session?.serverNameSource == (isLost ? nil : .address))
      #expect(session?.serverName == (isLost ? nil : "203.0.113.7"))
    }
  }

  @Test(arguments: [
    "PROXY TCP4 192.0.2.9 203.0.113.7 51000 443\r\n", "PROXY UNKNOWN\r\n",
  ])
  func `a PROXY header may share a segment with the hello or be split in two`(line: String) {
    for cut in [0, 3, 10, line.utf8.count] {
      let all = Bytes(line.utf8) + sampleClientHello
      var traffic = TestTraffic(port: 443)
      if cut > 0 { traffic.say(Bytes(all[..<cut]), fromClient: true) }
      traffic.say(Bytes(all[cut...]), fromClient: true)
      traffic.say(sampleServerHello, fromClient: false)
      let sessions = traffic.finish()
      #expect(sessions.count == 1)
      #expect(sessions.first?.sharedTLS?.serverName == "server")
      #expect(sessions.first?.tunnel == ["proxy-protocol 1"])
    }
  }

  @Test(arguments: [
    // The target of the SOCKS request, the session's host, and its source.
    (hex("03 0b") + Bytes("example.com".utf8), "example.com", ObservedSession.NameSource.connect),
    (hex("01 cb007107"), "server", .sni), (hex("03 0b") + Bytes("203.0.113.7".utf8), "server", .sni),
  ])
  func `a host name in a SOCKS request takes precedence over SNI, an address does not`(
    target: Bytes, name: String, source: ObservedSession.NameSource
  ) {
    var traffic = TestTraffic(port: 1080)
    traffic.say(hex("050100"), fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    traffic.say(hex("050100") + target + hex("01bb"), fromClient: true)
    traffic.say(hex("05000001 00000000 0000"), fromClient: false)
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.serverName == name)
    #expect(session?.serverNameSource == source)
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [
    (hex("01 cb007109"), "203.0.113.9"), (hex("03 0b") + Bytes("203.0.113.9".utf8), "203.0.113.9"),
    (hex("04 20010db8000000000000000000000007"), "2001:db8::7"),
  ])
  func `an address in a SOCKS request is the host if the hello has no server_name`(
    target: Bytes, address: String
  ) {
    guard let hello = namelessHello else { return #expect(Bool(false)) }
    var traffic = TestTraffic(port: 1080)
    traffic.say(hex("050100"), fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    traffic.say(hex("050100") + target + hex("01bb"), fromClient: true)
    traffic.say(hex("05000001 00000000 0000"), fromClient: false)
    traffic.say(hello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.serverName == address)
    #expect(session?.serverNameSource == .connect)
    #expect(session?.hostAddress.description == address)
    #expect(session?.isHostTheServer == false)
    #expect(session?.server.address.description == "203.0.113.7")
  }

  @Test(arguments: [
    // The target of the CONNECT, whether the hello has server_name, the session's host, its source, its port.
    ("203.0.113.9:443", true, "server", ObservedSession.NameSource.sni, UInt16(443)),
    ("[2001:db8::7]:8443", true, "server", .sni, 8443),
    ("203.0.113.9:443", false, "203.0.113.9", .connect, 443),
    ("a.example:993", true, "a.example", .connect, 993),
  ])
  func `after CONNECT to an address SNI is the host, and the port is the target's`(
    target: String, isNamed: Bool, name: String, source: ObservedSession.NameSource, port: UInt16
  ) {
    guard let hello = isNamed ? sampleClientHello : namelessHello else { return #expect(Bool(false)) }
    var traffic = TestTraffic(port: 3128)
    traffic.say(Bytes("CONNECT \(target) HTTP/1.1\r\n\r\n".utf8), fromClient: true)
    traffic.say(Bytes("HTTP/1.1 200 OK\r\n\r\n".utf8), fromClient: false)
    traffic.say(hello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.serverName == name)
    #expect(session?.serverNameSource == source)
    #expect(session?.hostPort == port)
    #expect(session?.server.port == 3128)
    #expect(session?.proxyText == "HTTP proxy 203.0.113.7:3128")
    let literal =
      target.hasPrefix("a.") ? "203.0.113.7" : target.hasPrefix("[") ? "2001:db8::7" : "203.0.113.9"
    #expect(session?.hostAddress.description == literal)
    #expect(session?.isHostAddressKnown == !target.hasPrefix("a."))
  }

  @Test(arguments: [
    ("http://a.example/", UInt16(80)), ("http://a.example:8080/x", 8080), ("ftp://a.example/", 21),
    ("https://a.example/", 443), ("/", 3128),
  ])
  func `the port of a request in absolute form is the target's`(target: String, port: UInt16) {
    var traffic = TestTraffic(port: 3128)
    traffic.say(Bytes("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.serverName == "a.example")
    #expect(session?.hostPort == port)
    #expect(session?.isProxied == (target != "/"))
  }

  @Test(arguments: 0...40)
  func `a SOCKS request may be split anywhere`(cut: Int) {
    let said = hex("05010003 0b") + Bytes("example.com".utf8) + hex("01bb") + sampleClientHello
    var traffic = TestTraffic(port: 1080)
    traffic.say(hex("050100"), fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    if cut > 0 { traffic.say(Bytes(said[..<cut]), fromClient: true) }
    traffic.say(Bytes(said[cut...]), fromClient: true)
    traffic.say(hex("05000001 00000000 0000"), fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.count == 1)
    #expect(sessions.first?.tunnel == ["socks 5 example.com:443"])
    #expect(sessions.first?.sharedTLS?.serverName == "server")
  }

  @Test(arguments: [hex("05ff"), hex("0500 05050001 00000000 0000"), hex("0500 0500"), hex("0500 05000009")])
  func `a SOCKS proxy that refuses yields no session`(answer: Bytes) {
    var traffic = TestTraffic(port: 1080)
    traffic.say(hex("050100"), fromClient: true)
    traffic.say(answer, fromClient: false)
    traffic.say(hex("05010003 0b") + Bytes("example.com".utf8) + hex("01bb"), fromClient: true)
    #expect(traffic.finish().isEmpty)
  }

  /// SOCKS messages on a connection that began before the capture.
  static let negotiations: [Preamble] = [
    Preamble(
      "SOCKS 5", port: 4444,
      [
        (true, hex("050100")), (false, hex("0500")),
        (true, hex("05010003 0b") + text("example.com") + hex("01bb")),
        (false, hex("05000001 00000000 0000")),
      ], tunnel: "socks 5 example.com:443"),
    Preamble(
      "SOCKS 5 with a password", port: 4444,
      [
        (true, hex("05020002")), (false, hex("0502")), (true, hex("0101610162")), (false, hex("0100")),
        (true, hex("05010003 0b") + text("example.com") + hex("01bb")),
        (false, hex("05000001 00000000 0000")),
      ], tunnel: "socks 5 example.com:443"),
    Preamble(
      "SOCKS 4", port: 4444,
      [(true, hex("0401 01bb cb007109") + text("me") + [0]), (false, hex("005a 0000 00000000"))],
      tunnel: "socks 4 203.0.113.9:443"),
    Preamble(
      "SOCKS 4a", port: 4444,
      [
        (true, hex("0401 01bb 00000001 00") + text("example.com") + [0]),
        (false, hex("005a 0000 00000000")),
      ], tunnel: "socks 4a example.com:443"),
  ]

  @Test(arguments: negotiations)
  func `SOCKS is recognized on a connection that began before the capture`(preamble: Preamble) {
    var traffic = TestTraffic(port: preamble.port, seesStart: false)
    traffic.say(preamble.lines)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.tunnel) == [[preamble.tunnel]])
    #expect(
      sessions.first?.serverName == (preamble.tunnel.text.contains("example.com") ? "example.com" : "server"))
    #expect(sessions.first?.evidence.notes == [])
  }

  @Test(arguments: [
    hex("050100"), hex("05020002"), hex("0401 01bb cb007109 00"), hex("0401 01bb 00000001 00 6100"),
  ])
  func `bytes that only resemble SOCKS in the middle of a connection are ignored`(words: Bytes) {
    for fromClient in [false, true] {
      for next in [sampleClientHello, hex("07") + sampleClientHello] {
        var traffic = TestTraffic(port: 4444, seesStart: false)
        traffic.say(words, fromClient: fromClient)
        traffic.say(hex("0909090909"), fromClient: !fromClient)
        #expect(traffic.tracker.openConnections == 0)
        traffic.say(words, fromClient: fromClient)
        traffic.say(next, fromClient: fromClient)
        let sessions = traffic.finish()
        #expect(traffic.tracker.health.withoutHandshake.isEmpty)
        #expect(sessions.map(\.tunnel) == (next == sampleClientHello ? [[]] : []))
      }
    }
  }

  @Test(arguments: [
    hex("050200"), hex("05010001 cb007109 0000"), hex("05040001 cb007109 01bb"), hex("05010001 cb007109 01bb 16"),
    hex("05010003 03 612062 01bb"), hex("05010003 03 6162 01bb"), hex("0502000205"), hex("050101"), hex("0401 01bb cb007109"),
    hex("0401 01bb cb007109 09 00"), hex("0402 01bb cb007109 00"), hex("0401 0000 cb007109 00"),
    hex("0401 01bb cb007109 00 6100"), hex("040101bb000000010000"),
  ])
  func `in the middle of a connection only a complete first message is read as SOCKS`(words: Bytes) {
    var traffic = TestTraffic(port: 4444, seesStart: false)
    traffic.say(words, fromClient: true)
    #expect(traffic.tracker.openConnections == 0)
  }

  @Test
  func `random preambles in any pieces never trap`() {
    let words =
      ConversationTunnelsTests.preambles.flatMap { $0.lines.map(\.bytes) } + [
        sampleClientHello, sampleServerHello,
      ]
    var numbers = SeededGenerator(seed: 1)
    func random(_ bound: Int) -> Int { numbers.below(bound) }
    for _ in 0..<600 {
      var traffic = TestTraffic(port: [443, 1080, 25, 8080][random(4)])
      for _ in 0..<(1 + random(8)) {
        var word = words[random(words.count)]
        if random(4) == 0, !word.isEmpty { word[random(word.count)] = UInt8(random(256)) }
        let cut = random(word.count + 1)
        let isFromClient = random(2) == 0
        if cut > 0 { traffic.say(Bytes(word[..<cut]), fromClient: isFromClient) }
        if cut < word.count, random(5) > 0 { traffic.say(Bytes(word[cut...]), fromClient: isFromClient) }
      }
      #expect(traffic.finish().count <= 8)
    }
  }

  @Test
  func `many PROXY headers in a row yield no session`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(
      Bytes(String(repeating: "PROXY \r\n", count: 180).utf8), fromClient: true)
    #expect(traffic.finish().isEmpty)
  }

  @Test(
    arguments: [(443, true), (443, false), (1080, true), (1080, false), (8888, false)] as [(UInt16, Bool)])
  func `on a proxy's port the address is the host only if the capture has the SYN`(
    port: UInt16, seesStart: Bool
  ) throws {
    var traffic = TestTraffic(port: port, seesStart: seesStart)
    traffic.say(try #require(namelessHello), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = try #require(traffic.finish().first)
    #expect(session.serverNameSource == (seesStart || port == 443 ? .address : nil))
    #expect((session.serverName == nil) == (session.serverNameSource == nil))
    // SNI names the host even if there is a proxy in between.
    var named = TestTraffic(port: port, seesStart: seesStart)
    named.say(sampleClientHello, fromClient: true)
    #expect(named.finish().first?.serverName == "server")
  }

  /// A TLS 1.2 handshake after the response to a CONNECT that the capture lacks, with a certificate of `count` bytes.
  private func handshake(afterLostRequestWithCertificateOf count: Int) -> ObservedSession? {
    func record(_ type: UInt8, _ body: Bytes) -> Bytes {
      var records = Bytes()
      for start in stride(from: 0, to: body.count, by: 16_384) {
        records += [type, 3, 3] + vector16(Bytes(body[start..<min(body.count, start + 16_384)]))
      }
      return records
    }
    func message(_ type: UInt8, _ body: Bytes) -> Bytes { [type] + vector24(body) }
    let hello: Bytes = [3, 3] + Bytes(repeating: 0x5A, count: 32) + [0, 0xC0, 0x2F, 0]
    let certificate = three(count + 3) + three(count) + Bytes(repeating: 0x30, count: count)
    let exchange: Bytes = [3, 0, 29, 32] + Bytes(repeating: 5, count: 32) + [8, 4, 0, 2, 1, 1]
    let flight =
      record(22, message(2, hello)) + record(22, message(11, certificate))
      + record(22, message(12, exchange) + message(14, []))
    let end = hex("14 0303 0001 01 16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
    var traffic = TestTraffic(port: 8080)
    traffic.lose(Bytes("CONNECT api.example:443 HTTP/1.1\r\n\r\n".utf8), fromClient: true)
    traffic.say(Bytes("HTTP/1.1 200 Connection established\r\n\r\n".utf8), fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    for start in stride(from: 0, to: flight.count, by: 1400) {
      traffic.say(Bytes(flight[start..<min(flight.count, start + 1400)]), fromClient: false)
    }
    traffic.say(hex("16 0303 0007 10 000003 020102") + end, fromClient: true)
    traffic.say(end, fromClient: false)
    return traffic.finish().first
  }

  @Test
  func `a server flight after the response to a lost CONNECT is read`() throws {
    let session = try #require(handshake(afterLostRequestWithCertificateOf: 4000))
    #expect(session.evidence.certificates == .complete)
    #expect(session.sharedTLS?.chain?.certificates.first?.certificate.der.count == 4000)
    #expect(session.evidence.serverKeyExchange == .complete)
    #expect(session.sharedTLS?.outcome == .established)
  }

  @Test
  func `a server flight after a lost CONNECT that is too long to keep is partial`() throws {
    let session = try #require(handshake(afterLostRequestWithCertificateOf: 60_000))
    #expect(session.evidence.certificates == .partial)
    #expect(session.evidence.serverKeyExchange != .notSent)
    #expect(session.evidence.incomplete == .loss)
  }
}
