import ByteParsing
import HTTPParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking

/// Cleartext requests whose heads are only partly in the capture.
@Suite struct HTTPConversationGapsTests {
  private let line = "POST /a?b HTTP/1.1\r\n"
  private let host = "Host: a.example\r\n"
  private let cookie = "Cookie: " + String(repeating: "c", count: 40)
  private let end = "\r\n\r\n"
  private let next = "GET /next HTTP/1.1\r\nHost: b.example\r\n\r\n"
  private let answer = "HTTP/1.1 204 None\r\n\r\n"

  /// The reason why part of a head is missing.
  enum Gap: CaseIterable { case loss, snaplen, captureEnd, connectionEnd }

  private func sessions(_ head: String, _ gap: Gap, _ rest: String, goesOn: Bool = false) -> [ObservedSession] {
    var traffic = TestTraffic(port: 80)
    switch gap {
    case .loss:
      traffic.say(text(head), fromClient: true)
      traffic.lose(text(rest), fromClient: true)
    case .snaplen: traffic.say(text(head + rest), cutTo: head.utf8.count, fromClient: true)
    case .captureEnd, .connectionEnd: traffic.say(text(head), fromClient: true)
    }
    if goesOn {
      traffic.say(text(answer), fromClient: false)
      traffic.say(text(next), fromClient: true)
      traffic.say(text(answer), fromClient: false)
    }
    if gap != .captureEnd {
      traffic.end(fromClient: true)
      traffic.end(fromClient: false)
    }
    return traffic.finish()
  }

  @Test(arguments: ["Accept", "YWJjZGVm"])
  func `a request is read after a gap and the rest of another head`(words: String) {
    var traffic = TestTraffic(port: 80)
    traffic.lose(text(line + host), fromClient: true)
    traffic.say(text(words), fromClient: true)
    traffic.say(text(": */*" + end), fromClient: true)
    traffic.say(text(next), fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["b.example"])
  }

  private func incomplete(_ gap: Gap) -> Evidence.Incomplete? {
    switch gap {
    case .loss: .loss
    case .snaplen: .snaplen
    case .captureEnd: .stillOpen
    case .connectionEnd: nil
    }
  }

  @Test(arguments: Gap.allCases)
  func `a request with a complete request line is a session, with its host if captured`(gap: Gap) {
    for (head, name) in [
      (line, nil), (String(line.dropLast()), nil), (line + "Host: a.exa", nil), (line + host, nil),
      (line + host + cookie, "a.example"), (line.replacing("/a", with: "http://c.example/a"), "c.example"),
    ] as [(String, String?)] {
      let sessions = sessions(head, gap, "ple" + end)
      #expect(sessions.count == 1, "\(head)")
      #expect(sessions.first?.serverName == name)
      #expect(sessions.first?.http?.requests.map(\.method) == ["POST"])
      #expect(sessions.first?.http?.requests.map(\.path) == ["/a"])
      #expect(sessions.first?.evidence.incomplete == incomplete(gap))
    }
  }

  @Test(arguments: Gap.allCases)
  func `a first request is a session from the first byte of its target`(gap: Gap) {
    for (target, path, name) in [
      ("/a?b", "/a", nil), ("/", "/", nil), ("http://c.example/a", "/a", "c.example"), ("http://c.exam", "/", nil),
      ("http://c.example?q", "/", "c.example"),
    ] as [(String, String, String?)] {
      for rest in ["", " ", " HTT", " HTTP/1."] {
        let sessions = sessions("POST " + target + rest, gap, "x 1" + end)
        #expect(sessions.map { $0.http?.requests.map(\.method) } == [["POST"]], "\(target)\(rest)")
        #expect(sessions.first?.http?.requests.map(\.path) == [path])
        // A blank shows that the host is complete.
        #expect(sessions.first?.serverName == (target.hasSuffix("exam") && !rest.isEmpty ? "c.exam" : name))
      }
    }
    for begun in ["POST", "POST ", "POST *", "POST a", "OPTIONS rtsp://a/", "POST /a RTSP", "POST /a\u{7F}b"] {
      #expect(sessions(begun, gap, "x" + end).isEmpty, "\(begun)")
    }
  }

  @Test(arguments: Gap.allCases)
  func `a connection that begins with an incomplete HTTP/2 preface is a session`(gap: Gap) {
    let session = sessions("PRI * HTTP/2.0\r\n\r\nS", gap, "M\r\n\r\n").first
    #expect(session?.evidence.notes.contains(.http2HeadersNotRead) == true)
    #expect(sessions("PRI * HTTP/2.", gap, "0\r\n\r\nSM\r\n\r\n").isEmpty)
  }

  @Test(arguments: [Gap.loss, .snaplen])
  func `a later request that is cut within its line by a gap counts as lost`(gap: Gap) {
    let first = "GET / HTTP/1.1\r\n" + host + "\r\n"
    for cut in 1..<line.utf8.count - 2 {
      let sessions = sessions(first + line.prefix(cut), gap, line.dropFirst(cut) + host + "\r\n")
      #expect(sessions.first?.evidence.notes.contains(.httpRequestLost) == true, "\(cut)")
    }
    #expect(sessions(first + "\r\n", gap, "x").first?.evidence.notes == [])
  }

  @Test func `after a gap beyond a chunk, a request counts as lost`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(text(line + host + "Transfer-Encoding: chunked\r\n\r\n5\r\nab"), fromClient: true)
    traffic.lose(text("cde\r\n3\r\nx"), fromClient: true)
    traffic.say(text("yz\r\n0\r\n\r\n" + next), fromClient: true)
    #expect(traffic.finish().first?.evidence.notes.contains(.httpRequestLost) == true)
  }

  @Test(arguments: [Gap.loss, .snaplen])
  func `requests after a truncated head are read, but only the truncated one has its response`(gap: Gap) {
    let sessions = sessions(line + host + cookie, gap, "c" + end, goesOn: true)
    #expect(sessions.map(\.serverName) == ["a.example", "b.example"])
    #expect(sessions.first?.http?.requests.map(\.status) == [204])
    #expect(sessions.last?.http?.requests.map(\.status) == [nil])
  }

  @Test func `a head may have thousands of fields`() {
    let fields = String(repeating: "X: y\r\n", count: 3000)
    let sessions = sessions(line + fields + host + "\r\n", .connectionEnd, "", goesOn: true)
    #expect(sessions.map(\.serverName) == ["a.example", "b.example"])
    #expect(sessions.map { $0.http?.requests.map(\.status) } == [[204], [204]])
    #expect(sessions.map(\.evidence.incomplete) == [nil, nil])
  }

  @Test(arguments: [1, 7, 1400, 65_000])
  func `a request with an overlong head is a session, and the limit is reported`(piece: Int) {
    for (head, name) in [
      (line + host + "X: ", "a.example"), (line + "X: ", nil), ("GET http://a.example/", "a.example"),
      ("GET /", nil),
      ("GET http://", nil),
    ] as [(String, String?)] {
      var traffic = TestTraffic(port: 80)
      let all = text(head) + Bytes(repeating: 0x61, count: 70_000) + text(line.contains("X") ? "" : end)
      var position = 0
      while position < all.count {
        let next = min(position + (position < 60_000 ? max(piece, 500) : piece), all.count)
        traffic.say(Bytes(all[position..<next]), fromClient: true)
        position = next
      }
      traffic.say(text(answer), fromClient: false)
      traffic.say(text(next), fromClient: true)
      traffic.say(text(answer), fromClient: false)
      let sessions = traffic.finish()
      #expect(sessions.map(\.serverName) == [name, "b.example"])
      #expect(sessions.map { $0.http?.requests.map(\.status) } == [[204], [nil]])
      #expect(sessions.map(\.evidence.incomplete) == [.limit, .limit])
      #expect(traffic.tracker.health.connectionsWithLongHeads == 1)
    }
  }

  @Test(arguments: [1400, 30_000])
  func `a long request line is read`(piece: Int) {
    var traffic = TestTraffic(port: 80)
    let path = "/" + String(repeating: "p", count: 20_000)
    let all = text("GET \(path)?q HTTP/1.1\r\n" + host + "\r\n")
    for start in stride(from: 0, to: all.count, by: piece) {
      traffic.say(Bytes(all[start..<min(all.count, start + piece)]), fromClient: true)
    }
    traffic.say(text(answer), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.serverName == "a.example")
    #expect(session?.http?.requests.map(\.status) == [204])
    #expect(session?.http?.requests.first?.path == String(path.prefix(RequestHead.maximumPathLength)))
    #expect(session?.evidence.incomplete == nil)
    #expect(traffic.tracker.health.connectionsWithLongHeads == 0)
  }

  @Test(arguments: [false, true])
  func `a hello after a CONNECT with a truncated head is found`(hasAnswer: Bool) {
    let connect = "CONNECT a.example:443 HTTP/1.1\r\n"
    // The missing part of the head, and the part after the gap.
    for (missing, rest) in [
      (host + "\r\n", ""), (host, "Proxy-Authorization: x\r\n\r\n"), ("X: ", "\r\n\r\n"),
    ] {
      var traffic = TestTraffic(port: 8080)
      traffic.say(text(connect + missing), cutTo: connect.utf8.count, fromClient: true)
      if !rest.isEmpty { traffic.say(text(rest), fromClient: true) }
      if hasAnswer, rest != "\r\n\r\n" { traffic.say(text("HTTP/1.1 200 OK\r\n\r\n"), fromClient: false) }
      traffic.sayHellos()
      let session = traffic.finish().first
      #expect(session?.serverName == "a.example", "\(rest)")
      #expect(session?.serverNameSource == .connect)
      #expect(session?.sharedTLS?.sharedServerHello != nil)
    }
  }

  @Test func `a hello after a CONNECT with an overlong head is found`() {
    var traffic = TestTraffic(port: 8080)
    traffic.say(text("CONNECT a.example:443 HTTP/1.1\r\nX: "), fromClient: true)
    for _ in 0..<70 { traffic.say(Bytes(repeating: 0x61, count: 1000), fromClient: true) }
    traffic.say(text(end), fromClient: true)
    traffic.say(sampleClientHello, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.serverName == "a.example")
    #expect(traffic.tracker.health.connectionsWithLongHeads == 1)
  }

  @Test func `a CONNECT may be repeated after a proxy refuses one with a truncated head`() {
    var traffic = TestTraffic(port: 8080)
    let connect = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n"
    traffic.say(text(connect + "X: y\r\n\r\n"), cutTo: connect.utf8.count, fromClient: true)
    traffic.say(text("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.say(text(connect + "Proxy-Authorization: x\r\n\r\n"), fromClient: true)
    traffic.say(text("HTTP/1.1 200 OK\r\n\r\n"), fromClient: false)
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.serverName == "a.example")
    #expect(session?.sharedTLS?.sharedServerHello != nil)
  }

  @Test func `the rest of a method after a gap does not begin a request`() {
    for isFirst in [true, false] {
      var traffic = TestTraffic(port: 80)
      if !isFirst { traffic.say(Bytes("GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true) }
      traffic.lose(Bytes("HEA".utf8), fromClient: true)
      traffic.say(Bytes("D /2 HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8), fromClient: true)
      traffic.say(Bytes("GET /3 HTTP/1.1\r\nHost: c.example\r\n\r\n".utf8), fromClient: true)
      let names = traffic.finish().compactMap(\.serverName)
      #expect(names == (isFirst ? ["c.example"] : ["a.example", "c.example"]))
    }
  }

  @Test(arguments: ["hi", "x-y", "0"])
  func `a hello after bytes of an unknown protocol is found`(word: String) throws {
    var traffic = TestTraffic(port: 9000)
    traffic.say(text(word), fromClient: true)
    traffic.sayHellos()
    let session = try #require(traffic.finish().first)
    #expect(session.serverName == "server")
    #expect(session.evidence.serverHello == .complete)
    #expect(session.evidence.notes == [.tlsNotAtStart])
  }

  @Test func `a head truncated before its Host field is reported as partial`() throws {
    let cut = try #require(sessions(line + "Accept: a", .captureEnd, "").first)
    #expect(cut.serverName == nil)
    #expect(cut.evidence.clientHello == .partial)
    let named = try #require(sessions(line + host + "Accept: a", .captureEnd, "").first)
    #expect(named.evidence.clientHello == .complete)
    #expect([cut, named].map { $0.http?.requests.map(\.isTruncated) } == [[true], [true]])
    let whole = try #require(sessions(line + host + "\r\n", .captureEnd, "").first)
    #expect(whole.http?.requests.map(\.isTruncated) == [false])
  }

  @Test func `TLS after bytes that could not be read on a connection with requests has no certain beginning`() {
    var traffic = TestTraffic(port: 8000)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true)
    traffic.say(Bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), fromClient: false)
    traffic.say([1, 2, 3, 4, 5, 6], fromClient: true)
    traffic.sayHellos()
    let session = traffic.finish().first { $0.application == .tls }
    #expect(session?.tunnel == [])
    #expect(session?.evidence.contains(.beginningMissing) == true)
  }
}
