import ByteParsing
import Testing

import SessionModel
@testable import SessionTracking

/// Cleartext HTTP/2, by prior knowledge and after an upgrade.
@Suite struct FrameStreamTests {
  private static let preface = Bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let settings = frame(4, 0, 0, [])

  private static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: Bytes) -> Bytes {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, stream] + payload
  }

  /// A literal header field without indexing (RFC 7541 §6.2.2).
  private static func field(_ name: String, _ value: String) -> Bytes {
    [0, UInt8(name.utf8.count)] + Bytes(name.utf8) + [UInt8(value.utf8.count)] + Bytes(value.utf8)
  }

  private static func request(_ host: String, path: String = "/") -> Bytes {
    field(":method", "GET") + field(":scheme", "http") + field(":path", path) + field(":authority", host)
  }

  private static func answer(_ status: String, _ stream: UInt8) -> Bytes {
    frame(1, 0x05, stream, field(":status", status) + field("content-type", "text/html; charset=x"))
  }

  private func sessions(_ said: [(Bool, Bytes)], piece: Int = .max) -> [ObservedSession] {
    var traffic = TestTraffic(port: 80)
    for (fromClient, bytes) in said {
      var position = 0
      while position < bytes.count {
        let end = position + min(piece, bytes.count - position)
        traffic.say(Bytes(bytes[position..<end]), fromClient: fromClient)
        position = end
      }
    }
    return traffic.finish()
  }

  @Test(arguments: [Int.max, 1, 2, 7, 9, 10, 33])
  func `requests and their responses are read in pieces of any size`(piece: Int) {
    let block = FrameStreamTests.request("Nas.local:8080", path: "/a?b")
    let second = FrameStreamTests.request("b.example")
    let client =
      FrameStreamTests.preface + FrameStreamTests.settings
      // Padding and priority; DATA and an unknown frame type; CONTINUATION.
      + FrameStreamTests.frame(1, 0x2D, 1, [2] + [0, 0, 0, 0, 9] + block + [0, 0])
      + FrameStreamTests.frame(0, 0, 1, Bytes(repeating: 1, count: 300))
      + FrameStreamTests.frame(0x21, 0, 0, [1])
      + FrameStreamTests.frame(1, 0x01, 3, Bytes(second.prefix(5)))
      + FrameStreamTests.frame(9, 0, 3, []) + FrameStreamTests.frame(9, 4, 3, Bytes(second.dropFirst(5)))
    let server =
      FrameStreamTests.settings + FrameStreamTests.answer("200", 3) + FrameStreamTests.answer("404", 1)
    let sessions = sessions([(true, client), (false, server)], piece: piece)
    #expect(sessions.map(\.serverName) == ["nas.local", "b.example"])
    #expect(sessions.map { $0.http?.requests.first?.path } == ["/a", "/"])
    #expect(sessions.map { $0.http?.requests.first?.status } == [404, 200])
    #expect(sessions.first?.http?.requests.first?.contentType == "text/html")
    #expect(sessions.allSatisfy { $0.evidence.notes == [.http2Cleartext] })
  }

  @Test(arguments: [0, 1, 2])
  func `requests after an h2c upgrade are read, wherever its response is`(position: Int) {
    let ask = Bytes(
      "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
        .utf8)
    let consent = Bytes(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n".utf8)
    var said = [
      (true, ask),
      (
        true,
        FrameStreamTests.preface + FrameStreamTests.settings
          + FrameStreamTests.frame(1, 5, 3, FrameStreamTests.request("b.example"))
      ),
    ]
    // Before the preface, after it, or not in the capture.
    if position < 2 { said.insert((false, consent + FrameStreamTests.settings + FrameStreamTests.answer("200", 1)), at: 1 + position) }
    let sessions = sessions(said)
    #expect(sessions.map(\.serverName) == ["a.example", "b.example"])
    #expect(sessions.first?.http?.requests.first?.status == (position == 0 ? 200 : nil))
  }

  @Test func `trailers and PUSH_PROMISE are not requests, and the host may be in a host field`() {
    let promise = FrameStreamTests.frame(5, 4, 1, [0, 0, 0, 2] + FrameStreamTests.request("pushed.example"))
    let sessions = sessions([
      (
        true,
        FrameStreamTests.preface + FrameStreamTests.settings
          + FrameStreamTests.frame(
            1, 4, 1,
            FrameStreamTests.field(":method", "POST") + FrameStreamTests.field(":path", "/")
              + FrameStreamTests.field("host", "a.example"))
          + FrameStreamTests.frame(1, 5, 1, FrameStreamTests.field("checksum", "1"))
      ), (false, FrameStreamTests.settings + promise + FrameStreamTests.answer("200", 1)),
    ])
    #expect(sessions.map(\.serverName) == ["a.example"])
    #expect(sessions.first?.http?.requestCount == 1)
    #expect(sessions.first?.http?.requests.first?.status == 200)
  }

  @Test(arguments: [
    // Nothing after the preface, a first frame that is not SETTINGS, a block that does not decode, and one that another frame
    // interrupts.
    Bytes(), frame(0, 0, 1, [1]), settings + frame(1, 5, 1, [0xBE]),
    settings + frame(1, 1, 1, field(":method", "GET")) + frame(6, 0, 0, Bytes(repeating: 0, count: 8)),
  ])
  func `a session without readable headers has no host and is noted as such`(rest: Bytes) {
    let sessions = sessions([(true, FrameStreamTests.preface + rest)])
    #expect(sessions.count == 1)
    #expect(sessions.first?.serverName == nil)
    #expect(sessions.first?.evidence.notes == [.http2Cleartext, .http2HeadersNotRead])
  }

  @Test func `a truncated header block yields the complete fields in it`() {
    let block = FrameStreamTests.field(":method", "GET") + FrameStreamTests.field(":authority", "a.example")
    for (cut, isNamed) in [(9 + block.count - 3, false), (9 + block.count + 40, true)] {
      let all = FrameStreamTests.frame(
        1, 5, 1, block + FrameStreamTests.field("cookie", String(repeating: "x", count: 100)))
      let sessions = sessions([
        (true, FrameStreamTests.preface + FrameStreamTests.settings + Bytes(all.prefix(cut)))
      ])
      #expect(sessions.first?.serverName == (isNamed ? "a.example" : nil))
      #expect(sessions.first?.evidence.clientHello == (isNamed ? .complete : .partial))
    }
  }

  @Test func `a gap within a DATA frame loses no request, one across frames loses later requests`() {
    for (isBody, expected) in [(true, ["a.example", "b.example"]), (false, ["a.example"])] {
      var traffic = TestTraffic(port: 80)
      let body = FrameStreamTests.frame(0, 0, 1, Bytes(repeating: 0, count: 1000))
      let second = FrameStreamTests.frame(1, 5, 3, FrameStreamTests.request("b.example"))
      traffic.say(
        FrameStreamTests.preface + FrameStreamTests.settings
          + FrameStreamTests.frame(1, 4, 1, FrameStreamTests.request("a.example")) + Bytes(body.prefix(100)),
        fromClient: true)
      let lost = isBody ? 500 : 950
      traffic.lose(Bytes(repeating: 0, count: lost), fromClient: true)
      traffic.say(Bytes((body + second).dropFirst(100 + lost)), fromClient: true)
      let sessions = traffic.finish()
      #expect(sessions.map(\.serverName) == expected)
    }
  }

  @Test(arguments: [4, 12, 40])
  func `after a gap within a header frame, later requests count as not read`(cut: Int) {
    let frame = FrameStreamTests.frame(1, 5, 1, FrameStreamTests.request("a.example"))
    var traffic = TestTraffic(port: 80)
    traffic.say(FrameStreamTests.preface + FrameStreamTests.settings + Bytes(frame.prefix(cut)), fromClient: true)
    traffic.lose(Bytes(frame.dropFirst(cut)), fromClient: true)
    traffic.say(FrameStreamTests.frame(1, 5, 3, FrameStreamTests.request("b.example")), fromClient: true)
    #expect(traffic.finish().first?.evidence.notes.contains(.http2HeadersNotRead) == true)
  }

  @Test func `an endless header block is abandoned`() {
    var client = FrameStreamTests.preface + FrameStreamTests.settings + FrameStreamTests.frame(1, 0, 1, [])
    for _ in 0..<5000 { client += FrameStreamTests.frame(9, 0, 1, Bytes(repeating: 0x82, count: 60)) }
    let sessions = sessions([(true, client)], piece: 1400)
    #expect(sessions.map(\.serverName) == [nil])
    #expect(sessions.first?.evidence.notes.contains(.http2HeadersNotRead) == true)
  }

  private static let connect =
    preface + settings + frame(1, 4, 1, field(":method", "CONNECT") + field(":authority", "a.example:443"))

  @Test(arguments: [(200, 1), (407, 0), (nil, 1)] as [(Int?, UInt64)])
  func `a connection with only CONNECT is not a session, and its open tunnels are counted`(
    status: Int?, tunnels: UInt64
  ) {
    var traffic = TestTraffic(port: 3128, clientSays: FrameStreamTests.connect)
    if let status {
      traffic.say(FrameStreamTests.settings + FrameStreamTests.answer("\(status)", 1), fromClient: false)
    }
    traffic.say(FrameStreamTests.frame(0, 0, 1, sampleClientHello), fromClient: true)
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.connectionsWithHTTP2Tunnels == tunnels)
  }

  @Test func `a request after CONNECT is a session with its own host`() {
    let request = FrameStreamTests.frame(1, 5, 3, FrameStreamTests.request("p.example"))
    let sessions = sessions([(true, FrameStreamTests.connect), (true, request)])
    #expect(sessions.map(\.serverName) == ["p.example"])
    #expect(sessions.first?.http?.requestCount == 1)
    #expect(sessions.first?.evidence.notes == [.http2Cleartext, .http2Connect])
  }
}
