import ByteParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Cleartext HTTP that is truncated, late, early, or unusual in form.
@Suite struct HTTPConversationOddRequestsTests {
  private func conversation(_ lines: [DialogueLine], port: UInt16 = 80)
    -> [ObservedSession]
  {
    var traffic = TestTraffic(port: port)
    traffic.say(lines)
    return traffic.finish()
  }

  @Test(arguments: [
    ("[2001:db8::7]:80", "2001:db8::7", "[2001:db8::7]:80"), ("[::1]", "::1", "[::1]"),
    ("a.example:8080", "a.example", "a.example:8080"),
  ])
  func `a request keeps its Host value, and the server name omits port and brackets`(
    sent: String, name: String, host: String
  ) {
    let session = conversation([(true, text("GET / HTTP/1.1\r\nHost: \(sent)\r\n\r\n"))]).first
    #expect(session?.serverName == name)
    #expect(session?.http?.requests.first?.host == host)
  }

  // The system compares the entries of NSExceptionDomains as text.
  @Test func `each spelling of an IPv6 address is a host of its own`() {
    let hosts = ["[2001:DB8::1]", "[2001:db8::1]", "[2001:db8:0:0:0:0:0:1]:80", "[2001:db8::2]", "[2001:db8:0::1]"]
    let sessions = conversation(hosts.map { (true, text("GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n")) })
    #expect(sessions.map(\.serverName) == ["2001:db8::1", "2001:db8:0:0:0:0:0:1", "2001:db8::2", "2001:db8:0::1"])
    #expect(sessions.map { $0.http?.requestCount } == [2, 1, 1, 1])
  }

  @Test func `a ClientHello after whole requests begins a session`() {
    let sessions = conversation([
      (true, text("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")), (false, text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
      (true, sampleClientHello),
    ])
    #expect(sessions.map(\.application) == [.http, .tls])
  }

  @Test func `a refused CONNECT and an upgrade are counted`() {
    for (request, response, count) in [
      ("CONNECT a.example:443 HTTP/1.1\r\n\r\n", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", \.connectionsWithRefusedConnects),
      (
        "GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
        \.upgradedConnections
      ),
    ] as [(String, String, KeyPath<ObservationHealth, UInt64>)] {
      var traffic = TestTraffic(port: 8080)
      traffic.say(text(request), fromClient: true)
      traffic.say(text(response), fromClient: false)
      _ = traffic.finish()
      #expect(traffic.tracker.health[keyPath: count] == 1)
    }
  }

  @Test func `a CONNECT that follows a refused one is not counted as refused`() {
    let connect = text("CONNECT a.example:443 HTTP/1.1\r\n\r\n")
    var traffic = TestTraffic(port: 8080, clientSays: connect)
    traffic.say(text("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.say(connect, fromClient: true)
    _ = traffic.finish()
    #expect(traffic.tracker.health.connectionsWithRefusedConnects == 0)
  }

  @Test(arguments: ["patch", "Get", "FOO", "RPC_IN_DATA", "X-1"], [1, 3, 1000])
  func `a request with any method is a session`(method: String, piece: Int) {
    let request = text("\(method) /x HTTP/1.1\r\nHost: b.example\r\n\r\n")
    let answer = text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    var lines: [(Bool, Bytes)] = []
    for _ in 0..<2 {
      for start in stride(from: 0, to: request.count, by: piece) {
        lines.append((true, Bytes(request[start..<min(request.count, start + piece)])))
      }
      lines.append((false, answer))
    }
    let session = conversation(lines).first
    #expect(session?.serverName == "b.example")
    #expect(session?.http?.requests.map(\.method) == [method, method])
    #expect(session?.http?.requests.map(\.status) == [200, 200])
  }

  @Test(arguments: [1000, 0xFFFF_FFF0, 0x000F_FFF8] as [UInt32], [false, true])
  func `a request retransmitted after the end of its connection is not a new request`(start: UInt32, isReset: Bool) {
    let request = text("GET /x HTTP/1.1\r\nHost: b.example\r\n\r\n")
    var traffic = TestTraffic(port: 80, seesStart: false)
    traffic.begin(at: start)
    traffic.open()
    traffic.say(request, fromClient: true)
    traffic.say(text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    if isReset {
      traffic.reset(fromClient: false)
    } else {
      traffic.end(fromClient: true)
      traffic.end(fromClient: false)
    }
    #expect(traffic.tracker.openConnections == 0)
    traffic.sayLate(request, fromClient: true)
    traffic.sayLate(Bytes(request[..<4]) + Bytes(request[4...]), fromClient: true)
    #expect(traffic.tracker.openConnections == 0)
    #expect(traffic.tracker.health.requestsAfterEnd == 2)
    // Another connection, whose SYN is lost.
    traffic.begin(at: start &+ 0x4000_0000)
    traffic.say(request, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.http?.requestCount) == [1, 1])
    #expect(sessions.last?.evidence.incomplete == .oneDirection)
    #expect(sessions.last?.evidence.notes == [])
  }

  @Test func `a ClientHello whose number follows the end of cleartext HTTP begins another connection`() {
    var traffic = TestTraffic(port: 80, clientSays: text("GET /x HTTP/1.1\r\nHost: b.example\r\n\r\n"))
    traffic.say(text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.end(fromClient: true)
    traffic.end(fromClient: false)
    traffic.lose(Bytes(repeating: 0, count: 5000), fromClient: true)
    traffic.sayHellos()
    let sessions = traffic.finish()
    #expect(sessions.map(\.application) == [.http, .tls])
    #expect(sessions.last?.evidence.clientHello == .complete)
  }

  @Test func `an empty Host field yields no host, as an absent one does`() {
    let sessions = conversation([
      (true, text("GET / HTTP/1.1\r\nHost:\r\n\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))
    ])
    #expect(sessions.count == 1)
    #expect(sessions.first?.serverName == nil)
    #expect(sessions.first?.http?.requestCount == 2)
  }

  private let connect = Bytes("CONNECT a.example:80 HTTP/1.1\r\n\r\n".utf8)
  private let get = Bytes("GET /x HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8)

  @Test func `a request after a CONNECT without a captured response is a session`() {
    let session = conversation([(true, connect), (true, get)], port: 3128).first
    #expect(session?.serverName == "a.example")
    #expect(session?.tunnel == ["http-connect a.example:80"])
    #expect(session?.http?.requests.map(\.method) == ["GET"])
  }

  @Test func `a request in the same segment as its CONNECT is read`() {
    let session = conversation([(true, connect + get), (false, text("HTTP/1.1 200 OK\r\n\r\n"))], port: 3128)
      .first
    #expect(session?.serverName == "a.example")
  }

  @Test func `a response that may be the proxy's is assigned to no request`() {
    let session = conversation(
      [(true, connect), (true, get), (false, text("HTTP/1.1 204 OK\r\n\r\n"))], port: 3128
    ).first
    #expect(session?.http?.requests.last?.status == nil)
  }

  @Test func `the body of a CONNECT is not a request`() {
    let sessions = conversation(
      [
        (true, text("CONNECT a.example:80 HTTP/1.1\r\nContent-Length: \(get.count)\r\n\r\n")), (true, get),
        (false, text("HTTP/1.1 200 OK\r\n\r\n")), (true, text("GET / HTTP/1.1\r\nHost: c.example\r\n\r\n")),
      ], port: 3128)
    #expect(sessions.map(\.serverName) == ["a.example"])
    #expect(sessions.first?.http?.requests.map(\.host) == ["c.example"])
  }

  @Test(arguments: [
    // The host of the CONNECT, the fields of the request, the session's host, and its source.
    ("a.example", "", "a.example", ObservedSession.NameSource.connect),
    ("A.example", "Host: b.example\r\n", "a.example", .connect),
    ("10.1.1.1", "", "10.1.1.1", .connect), ("[2001:db8::7]", "", "2001:db8::7", .connect),
    ("10.1.1.1", "Host: b.example\r\n", "b.example", .httpHost),
    ("10.1.1.1", "Host: 10.2.2.2\r\n", "10.1.1.1", .connect),
  ])
  func `a request in a CONNECT tunnel has the target's host, or its own if that is an address`(
    target: String, fields: String, name: String, source: ObservedSession.NameSource
  ) {
    let request = text("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\(fields)\r\n")
    let answer = text("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
    let sessions = conversation(
      [
        (true, text("CONNECT \(target):80 HTTP/1.1\r\n\r\n")), (false, text("HTTP/1.1 200 OK\r\n\r\n")),
        (true, request + request), (false, answer + answer),
      ], port: 3128)
    #expect(sessions.map(\.serverName) == [name])
    #expect(sessions.first?.serverNameSource == source)
    #expect(sessions.first?.hostPort == 80)
    #expect(sessions.first?.http?.requestCount == 2)
    #expect(sessions.first?.http?.requests.map(\.method) == ["GET", "GET"])
    #expect(sessions.first?.http?.requests.map(\.status) == [200, 200])
  }

  @Test func `requests with different Host fields in one tunnel are one session`() {
    let sessions = conversation(
      [
        (true, connect), (false, text("HTTP/1.1 200 OK\r\n\r\n")),
        (true, get + text("GET / HTTP/1.1\r\nHost: c.example\r\n\r\nGET http://d.example/ HTTP/1.1\r\n\r\n")),
      ], port: 3128)
    // An absolute URL is a request to another proxy.
    #expect(sessions.map(\.serverName) == ["a.example", "d.example"])
    #expect(sessions.map(\.serverNameSource) == [.connect, .httpHost])
    #expect(sessions.first?.http?.requests.map(\.host) == ["b.example", "c.example"])
  }

  @Test(arguments: [("0501 0003 09", "a.example", "a.example"), ("0501 0001", "\u{A}\u{1}\u{1}\u{1}", "10.1.1.1")])
  func `requests through a SOCKS proxy are for the target of the SOCKS request`(head: String, target: String, name: String) {
    let session = conversation(
      [
        (true, hex("050100")), (false, hex("0500")), (true, hex(head) + text(target) + hex("0050")),
        (false, hex("05000001 00000000 0000")), (true, text("GET / HTTP/1.0\r\n\r\n")),
      ], port: 1080
    ).first
    #expect(session?.serverName == name)
    #expect(session?.serverNameSource == .connect)
    #expect(session?.hostAddress.description == (name == target ? "203.0.113.7" : name))
  }

  @Test func `a request that is truncated before its host is not for the address in the CONNECT`() {
    let session = conversation(
      [
        (true, text("CONNECT 10.1.1.1:80 HTTP/1.1\r\n\r\n")), (false, text("HTTP/1.1 200 OK\r\n\r\n")),
        (true, text("GET / HTTP/1.1\r\nHos")),
      ], port: 3128
    ).first
    #expect(session?.serverName == nil)
    #expect(session?.evidence.clientHello == .partial)
  }

  @Test(arguments: ["/a b", "/a\u{1}", " /", "/\ta"])
  func `a request with spaces or control characters in its target is a session`(target: String) {
    let odd = text("GET \(target) HTTP/1.1\r\nHost: odd.example\r\n\r\n")
    let answer = text("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n")
    for first in [[odd, get], [get, odd]] {
      var lines: [DialogueLine] = []
      for request in first + [get] { lines += [(true, request), (false, answer)] }
      let sessions = conversation(lines)
      #expect(Set(sessions.map(\.serverName)) == ["odd.example", "b.example"])
      #expect(sessions.allSatisfy { $0.evidence.notes.isEmpty })
      let statuses: [Int?] = sessions.flatMap { $0.http?.requests.map(\.status) ?? [] }
      #expect(statuses == [301, 301, 301])
    }
  }

  @Test func `a malformed request is noted`() {
    let session = conversation([(true, get), (true, text("GET a b HTTP/1.1\r\nHost: c.example\r\n\r\n"))]).first
    #expect(session?.evidence.contains(.httpRequestMalformed) == true)
  }

  @Test(arguments: [
    "1.1\r\nContent-Length: 3\r\nContent-Length: 4", "1.1\r\nContent-Length:", "1.1\r\nTransfer-Encoding: gzip",
    "1.0\r\nTransfer-Encoding: chunked",
  ])
  func `requests after one with unreliable framing are read`(framing: String) {
    let post = text("POST /a HTTP/\(framing)\r\nHost: a.example\r\n\r\nabc")
    let answer = text("HTTP/1.1 204 OK\r\n\r\n")
    let sessions = conversation([
      (true, post), (false, answer), (true, get), (false, answer), (true, connect), (false, text("HTTP/1.1 200 OK\r\n\r\n")),
      (true, sampleClientHello),
    ])
    #expect(sessions.map(\.serverName) == ["a.example", "b.example", "a.example"])
    #expect(sessions.map { $0.http?.requests.map(\.status) } == [[204], [nil], nil])
    #expect(sessions.last?.tunnel == ["http-connect a.example:80"])
    #expect(sessions.prefix(2).allSatisfy { $0.evidence.notes == [.httpRequestMalformed] })
  }

  @Test(arguments: ["Content-Length: 3", "Content-Length: 5000", "Transfer-Encoding: chunked"])
  func `requests after a refused one whose body is omitted are read`(framing: String) {
    let post = text("POST /a HTTP/1.1\r\nHost: a.example\r\nExpect: 100-Continue\r\n\(framing)\r\n\r\n")
    let sessions = conversation([
      (true, post), (false, text("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")),
      (true, get), (false, text("HTTP/1.1 204 OK\r\n\r\n")),
      (true, connect), (false, text("HTTP/1.1 200 OK\r\n\r\n")), (true, sampleClientHello),
    ])
    #expect(sessions.map(\.serverName) == ["a.example", "b.example", "a.example"])
    #expect(sessions.map { $0.http?.requests.map(\.status) } == [[417], [204], nil])
    #expect(sessions.prefix(2).allSatisfy { $0.evidence.notes.isEmpty })
  }

  @Test(arguments: [("417 No", "a body"), ("417 No", "POST letters"), ("100 Continue", nil)] as [(String, String?)])
  func `a body that its sender does not omit is read as such`(status: String, body: String?) {
    let body = body.map(text) ?? get
    let post = text("POST /a HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\nContent-Length: \(body.count)\r\n\r\n")
    let answer = text("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
    let sessions = conversation([
      (true, post), (false, answer), (true, body), (true, text("GET / HTTP/1.1\r\nHost: c.example\r\n\r\n")),
    ])
    #expect(sessions.map(\.serverName) == ["a.example", "c.example"])
    #expect(sessions.allSatisfy { $0.evidence.notes.isEmpty })
  }

  @Test func `a request whose sender names the coding identity has the length that it announces`() {
    let post = text("POST /a HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc")
    let sessions = conversation([(true, post + get)])
    #expect(sessions.map(\.serverName) == ["a.example", "b.example"])
    #expect(sessions.allSatisfy { $0.evidence.notes.isEmpty })
  }

  @Test func `a tunnel opens after a CONNECT with unreliable framing`() {
    let sessions = conversation(
      [
        (true, text("CONNECT a.example:443 HTTP/1.1\r\nContent-Length:\r\n\r\n")), (false, text("HTTP/1.1 200 OK\r\n\r\n")),
        (true, sampleClientHello),
      ], port: 3128)
    #expect(sessions.map(\.tunnel) == [["http-connect a.example:443"]])
  }

  @Test func `bytes after a request to upgrade are not a malformed request`() {
    let request = text("GET /x HTTP/1.1\r\nHost: b.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    let session = conversation([(true, request), (true, text("\u{1}\u{4} b\r\n\r\n"))]).first
    #expect(session?.serverName == "b.example")
    #expect(session?.evidence.notes == [])
  }

  @Test func `another proxy request without a response in between implies a refused CONNECT`() {
    let sessions = conversation(
      [(true, connect), (true, text("GET http://c.example/ HTTP/1.1\r\nHost: c.example\r\n\r\n"))], port: 3128
    )
    #expect(sessions.map(\.serverName) == ["c.example"])
    #expect(sessions.first?.tunnel == ["http-proxy c.example:80"])
  }

  @Test func `the parts of a request line on both sides of a gap are not joined`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(text("GET /aaaa"), fromClient: true)
    traffic.lose(text("aaaaaaaa"), fromClient: true)
    traffic.say(text("bbbb HTTP/1.1\r\nX: y\r\n\r\n"), fromClient: true)
    traffic.say(get, fromClient: true)
    traffic.end(fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == [nil, "b.example"])
    #expect(sessions.first?.http?.requests.map(\.path) == ["/aaaa"])
    #expect(sessions.first?.evidence.incomplete == .loss)
  }

  @Test func `a gap within a body loses no response`() {
    var traffic = TestTraffic(port: 80)
    for status in [301, 302] {
      traffic.say(get, fromClient: true)
      let answer =
        text("HTTP/1.1 \(status) OK\r\nContent-Length: 900\r\n\r\n") + Bytes(repeating: 0x61, count: 900)
      traffic.say(answer, cutTo: 96, fromClient: false)
    }
    let session = traffic.finish().first
    #expect(session?.http?.requests.map(\.status) == [301, 302])
    #expect(session?.evidence.incomplete == .snaplen)
  }

  @Test func `a long response captured before its request keeps its status`() {
    let answer = text("HTTP/1.1 302 OK\r\nContent-Length: 9000\r\n\r\n") + Bytes(repeating: 0x61, count: 9000)
    let session = conversation([
      (false, answer), (true, get), (true, get), (false, text("HTTP/1.1 404 No\r\n\r\n")),
    ]).first
    #expect(session?.http?.requests.map(\.status) == [302, 404])
  }

  @Test func `a request in two packets begins in the first one`() {
    let session = conversation([(true, Bytes(get[..<9])), (true, Bytes(get[9...]))]).first
    #expect(session?.firstFrame == 4)
    #expect(session?.lastFrame == 5)
    #expect(session?.http?.requests.first?.frame == 4)
  }
}
