import ByteParsing
import CertificateParsing
import SessionModel
import TestBytes
import Testing
import Values

@testable import SessionTracking

/// A packet of the dialogue with a proxy is lost.
@Suite struct ConversationLostRequestsTests {
  /// What is said before the tunnel is open, in order.
  struct Dialogue: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var lines: [DialogueLine]
    /// Which of them are lost, one at a time.
    var lost: [Int]
    var tunnel: [EnclosingLayer]
  }

  private static let request5 = hex("05010003 0b") + text("example.com") + hex("01bb")
  private static let reply5 = hex("05000001 00000000 0000")
  private static let connect = text("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")
  private static let accepted = text("HTTP/1.1 200 Connection established\r\n\r\n")

  static let dialogues: [Dialogue] = [
    Dialogue(
      testDescription: "SOCKS 5", lines: [(true, hex("050100")), (false, hex("0500")), (true, request5), (false, reply5)],
      lost: [2], tunnel: ["socks 5"]),
    Dialogue(
      testDescription: "SOCKS 5 with a password",
      lines: [
        (true, hex("050102")), (false, hex("0502")), (true, hex("01 04") + text("user") + hex("03") + text("key")),
        (false, hex("0100")), (true, request5), (false, reply5),
      ], lost: [2, 4], tunnel: ["socks 5"]),
    Dialogue(
      testDescription: "CONNECT after a refusal",
      lines: [
        (true, connect), (false, text("HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nxxx")), (true, connect), (false, accepted),
      ], lost: [2], tunnel: []),
    Dialogue(
      testDescription: "CONNECT after a request",
      lines: [
        (true, text("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")),
        (false, text("HTTP/1.1 204 None\r\n\r\n")), (true, connect), (false, accepted),
      ], lost: [2], tunnel: []),
  ]

  /// The dialogue without one of its packets.
  private func traffic(_ dialogue: Dialogue, without lost: Int) -> TestTraffic {
    var traffic = TestTraffic(port: 1080)
    for (index, line) in dialogue.lines.enumerated() {
      if index == lost {
        traffic.lose(line.bytes, fromClient: line.fromClient)
      } else {
        traffic.say(line.bytes, fromClient: line.fromClient)
      }
    }
    return traffic
  }

  @Test(arguments: dialogues)
  func `TLS after a lost packet of a dialogue with a proxy is read, and named by its SNI`(dialogue: Dialogue) throws {
    for lost in dialogue.lost {
      var traffic = traffic(dialogue, without: lost)
      traffic.sayHellos()
      let session = try #require(traffic.finish().last)
      #expect(session.application == .tls)
      #expect(session.serverName == "server")
      #expect(session.serverNameSource == .sni)
      #expect(session.tunnel == dialogue.tunnel)
      #expect(session.evidence.clientHello == .complete)
      #expect(session.sharedTLS?.sharedServerHello != nil)
      #expect(session.start != nil)
      #expect(traffic.tracker.health.withoutHandshake.isEmpty)
    }
  }

  @Test(arguments: dialogues)
  func `the host of a hello without a name is unknown after a lost request to a proxy`(dialogue: Dialogue) throws {
    var traffic = traffic(dialogue, without: dialogue.lost[0])
    traffic.say(try #require(namelessHello), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    #expect(traffic.finish().last?.serverName == nil)
  }

  @Test(arguments: dialogues)
  func `a request after a lost packet of a dialogue with a proxy is read`(dialogue: Dialogue) {
    for lost in dialogue.lost {
      var traffic = traffic(dialogue, without: lost)
      traffic.say(text("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"), fromClient: true)
      traffic.say(text("HTTP/1.1 204 None\r\n\r\n"), fromClient: false)
      #expect(traffic.finish().last?.serverName == "b.example")
    }
  }

  @Test(arguments: [100, 20_000])
  func `what the server sends before the gap is skipped is read, as far as it is kept`(count: Int) throws {
    for dialogue in Self.dialogues {
      var traffic = traffic(dialogue, without: dialogue.lost[0])
      traffic.sayHellos()
      for _ in 0..<count { traffic.say(hex("17 0303 0020") + Bytes(repeating: 0xA5, count: 32), fromClient: false) }
      let session = try #require(traffic.finish().last)
      #expect(session.serverName == "server")
      #expect(session.sharedTLS?.sharedServerHello != nil)
    }
  }

  /// Requests for a target, and the target as text.
  static let requests: [(bytes: Bytes, target: String)] = [
    (hex("05010003 0b") + text("example.com") + hex("01bb"), "example.com:443"),
    (hex("05010001 cb007109 01bb"), "203.0.113.9:443"),
    (hex("05010004 20010db8000000000000000000000007 01bb"), "[2001:db8::7]:443"),
  ]

  @Test(arguments: requests, [true, false])
  func `a SOCKS request is read without its greeting`(request: (bytes: Bytes, target: String), isResponseLost: Bool) {
    for seesStart in [true, false] {
      var traffic = TestTraffic(port: 4444, seesStart: seesStart)
      traffic.lose(hex("050100"), fromClient: true)
      if isResponseLost { traffic.lose(hex("0500"), fromClient: false) } else { traffic.say(hex("0500"), fromClient: false) }
      traffic.say(request.bytes, fromClient: true)
      traffic.say(Self.reply5, fromClient: false)
      traffic.sayHellos()
      let sessions = traffic.finish()
      #expect(sessions.map { $0.tunnel.map(\.text) } == [["socks 5 \(request.target)"]])
      #expect(sessions.first?.serverName == (request.target.hasPrefix("e") ? "example.com" : "server"))
      #expect(sessions.first?.sharedTLS?.sharedServerHello != nil)
    }
  }

  @Test
  func `cleartext after a SOCKS request without its greeting is for the request's target`() throws {
    var traffic = TestTraffic(port: 4444)
    traffic.lose(hex("050100"), fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    traffic.say(hex("05010003 0b") + text("example.com") + hex("0050"), fromClient: true)
    traffic.say(Self.reply5, fromClient: false)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: nas.local\r\n\r\n".utf8), fromClient: true)
    traffic.say(Bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), fromClient: false)
    let session = try #require(traffic.finish().first)
    #expect(session.tunnel == ["socks 5 example.com:80"])
    #expect(session.serverName == "example.com")
    #expect(session.http?.requests.first?.status == 200)
  }

  @Test(arguments: [100, 15_000])
  func `a server flight after a SOCKS reply is kept until the request is read`(count: Int) {
    var traffic = TestTraffic(port: 4444)
    traffic.lose(hex("050100"), fromClient: true)
    for bytes in [hex("0500"), Self.reply5, sampleServerHello] { traffic.say(bytes, fromClient: false) }
    for _ in 0..<count / 37 { traffic.say(hex("17 0303 0020") + Bytes(repeating: 0xA5, count: 32), fromClient: false) }
    traffic.say(Self.request5, fromClient: true)
    traffic.say(sampleClientHello, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.tunnel == ["socks 5 example.com:443"])
    #expect(session?.sharedTLS?.sharedServerHello != nil)
  }

  @Test(arguments: [
    hex("05020003 0b") + text("example.com") + hex("01bb"), hex("05030004 20010db8000000000000000000000007 01bb"),
  ])
  func `nothing is read after a SOCKS request for another command than CONNECT`(request: Bytes) {
    var traffic = TestTraffic(port: 4444)
    traffic.lose(hex("050100"), fromClient: true)
    traffic.say(hex("0500"), fromClient: false)
    traffic.say(request, fromClient: true)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true)
    #expect(traffic.finish().isEmpty)
  }

  @Test func `a gap in a body hides no request, and a hello in it is none`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(text("POST / HTTP/1.1\r\nHost: nas\r\nContent-Length: 1000\r\n\r\n"), fromClient: true)
    traffic.lose(Bytes(repeating: 0x61, count: 100), fromClient: true)
    traffic.say(sampleClientHello + Bytes(repeating: 0x61, count: 900 - sampleClientHello.count), fromClient: true)
    traffic.say(text("GET / HTTP/1.1\r\nHost: nas\r\n\r\n"), fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["nas"])
    #expect(sessions.first?.http?.requestCount == 2)
    #expect(sessions.first?.evidence.notes == [])
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: nas\r\n\r\n", "POST / HTTP/1.1\r\nHost: nas\r\nContent-Length: 10\r\n\r\n", ""])
  func `a gap in which a request begins is noted`(first: String) {
    var traffic = TestTraffic(port: 80)
    if !first.isEmpty { traffic.say(text(first), fromClient: true) }
    traffic.lose(text("0123456789GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"), fromClient: true)
    traffic.say(text("GET / HTTP/1.1\r\nHost: nas\r\n\r\n"), fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["nas"])
    #expect(sessions.first?.evidence.notes == [.httpRequestLost])
  }

  @Test(arguments: [["GE", "T / HTTP/1.1\r\nHost: nas\r\n\r\n"], ["\r\n", "GET / HTTP/1.1\r\nHost: nas\r\n\r\n"]])
  func `a request after a gap is read although a segment ends before the end of its method`(pieces: [String]) {
    var traffic = TestTraffic(port: 80)
    traffic.lose(text("0123456789"), fromClient: true)
    for piece in pieces { traffic.say(text(piece), fromClient: true) }
    #expect(traffic.finish().map(\.serverName) == ["nas"])
  }

  @Test func `a gap after the beginning of a head hides no further request`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(text("GET / HTTP/1.1\r\nHost: nas\r\nCookie: "), fromClient: true)
    traffic.lose(text("abc\r\n\r\n"), fromClient: true)
    traffic.say(text("GET / HTTP/1.1\r\nHost: nas\r\n\r\n"), fromClient: true)
    #expect(traffic.finish().map(\.evidence.notes) == [[]])
  }

  @Test func `a connection with a session is not counted as one with other data`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(Bytes(repeating: 1, count: 9000), fromClient: true)
    traffic.say(Bytes(repeating: 2, count: 10), fromClient: true)
    #expect(traffic.tracker.health.connectionsWithOtherData == 1)
    traffic.say(sampleClientHello, fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["server"])
    #expect(traffic.tracker.health.connectionsWithOtherData == 0)
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }

  @Test(arguments: [80, 60_000] as [UInt16])
  func `a connection captured from a response on is counted until a request follows`(port: UInt16) {
    var traffic = TestTraffic(port: port, seesStart: false)
    let response = text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    for _ in 0..<2 { traffic.say(response, fromClient: false) }
    #expect(traffic.tracker.health.withoutHandshake.map { $0.key.port } == [port])
    #expect(traffic.tracker.health.withoutHandshake.values.map { $0 } == [1])
    traffic.say(text("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"), fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["a.example"])
    #expect(traffic.tracker.health.withoutHandshake.isEmpty)
  }
}
