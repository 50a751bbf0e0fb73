import ByteParsing
import TestBytes
import Testing

@testable import HTTPParsing

@Suite struct RequestHeadTests {
  @Test func `the parts of a request are read`() throws {
    let head = try RequestHead(
      "GET /a/b?q=1#f HTTP/1.1\r\nHost: www.example.com:8080\r\nUser-Agent: x\r\nContent-Type: text/plain\r\n\r\n"
    )
    #expect(head.method == "GET")
    #expect(head.targetForm == .origin)
    #expect(head.path == bytes("/a/b"))
    #expect(head.authority?.host == bytes("www.example.com"))
    #expect(head.authority?.port == 8080)
    #expect(head.contentType == bytes("text/plain"))
    #expect(head.bodyFraming == .none)
    #expect(head.upgrade == nil)
    #expect(head.scheme == nil)
  }

  @Test(arguments: ["api?next=http://b.example/x", "1http://b.example/", "a/b://c", "?u=http://b.example/", "+a://b.example/"])
  func `a target is absolute only if it begins with a scheme`(target: String) throws {
    let head = try RequestHead("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
    #expect(head.targetForm == .origin)
    #expect(head.scheme == nil)
    #expect(head.authority?.host == bytes("a.example"))
  }

  @Test func `an absolute target overrides Host`() throws {
    let head = try RequestHead("GET HTTP://u:p@a.example:81/x?y HTTP/1.1\r\nHost: proxy.example\r\n\r\n")
    #expect(head.targetForm == .absolute)
    #expect(head.scheme == bytes("http"))
    #expect(head.authority?.host == bytes("a.example"))
    #expect(head.authority?.port == 81)
    #expect(head.path == bytes("/x"))
    #expect(try RequestHead("GET http://a.example?y HTTP/1.1\r\n\r\n").path == bytes("/"))
    #expect(try RequestHead("GET http://a.example HTTP/1.1\r\n\r\n").authority?.host == bytes("a.example"))
  }

  @Test func `the host and port of CONNECT are read`() throws {
    let head = try RequestHead("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(head.targetForm == .authority)
    #expect(head.authority?.host == bytes("2001:db8::1"))
    #expect(head.authority?.port == 443)
    #expect(head.path.isEmpty)
  }

  @Test func `a request without Host has no authority`() throws {
    let head = try RequestHead("GET / HTTP/1.0\r\n\r\n")
    #expect(head.authority == nil)
  }

  @Test func `Upgrade counts only if Connection contains it`() throws {
    let head = try RequestHead(
      "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n")
    #expect(head.upgrade == bytes("websocket"))
    #expect(try RequestHead("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n").upgrade == nil)
  }

  @Test func `bare LF, folded values, spaces before colons and leading empty lines are accepted`() throws {
    let head = try RequestHead(
      "\r\n\nGET  /x  HTTP/1.1 \nHost :\n a.example \nno colon here\nContent-Type: text/plain;\r\n\tcharset=x\n\n"
    )
    #expect(head.authority?.host == bytes("a.example"))
    #expect(head.path == bytes("/x"))
    #expect(head.contentType == bytes("text/plain; charset=x"))
  }

  @Test(arguments: [
    ("Content-Length: 5", BodyFraming.length(5)), ("Content-Length: 5, 5", .length(5)),
    ("content-LENGTH:005\r\nContent-Length: 5", .length(5)),
    ("Content-Length: 5\r\nContent-Length: 6", .untilClose),
    ("Content-Length: -1", .untilClose), ("Content-Length: 5x", .untilClose),
    ("Content-Length:", .untilClose),
    ("Content-Length: 9223372036854775807", .length(.max)),
    ("Content-Length: 9223372036854775808", .untilClose),
    ("Transfer-Encoding: chunked", .chunked), ("Transfer-Encoding: gzip, Chunked", .chunked),
    ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", .chunked),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5", .chunked), ("Transfer-Encoding: gzip", .untilClose),
    ("Transfer-Encoding: chunked, gzip", .untilClose), ("X: y", .none),
    ("Transfer-Encoding: Identity\r\nContent-Length: 5", .length(5)), ("Transfer-Encoding: identity", .none),
    ("Transfer-Encoding: identity\r\nContent-Length: 5, 6", .untilClose),
    ("Transfer-Encoding: gzip, identity\r\nContent-Length: 5", .untilClose),
  ])
  func `the header fields determine the framing of the body`(fields: String, framing: BodyFraming) throws {
    #expect(try RequestHead("POST / HTTP/1.1\r\n\(fields)\r\n\r\n").bodyFraming == framing)
  }

  @Test func `a body with Transfer-Encoding in HTTP 1_0 extends until close`() throws {
    #expect(
      try RequestHead("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").bodyFraming == .untilClose)
  }

  @Test(arguments: [
    "", "\r\n", "GET / HTTP/1.1", "GET\r\n\r\n", "GET /\r\n\r\n", "GET HTTP/1.1\r\n\r\n",
    " / HTTP/1.1\r\n\r\n",
    "G@T / HTTP/1.1\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1\r\n\r\n", "GET / HTTP/11\r\n\r\n",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHI / HTTP/1.1\r\n\r\n",
  ])
  func `a malformed request line throws`(text: String) {
    #expect(throws: ParseError.self) { try RequestHead(text) }
  }

  @Test func `paths are truncated at the limit, the number of fields is not limited`() throws {
    let long = String(repeating: "p", count: 3000)
    #expect(try RequestHead("GET /\(long) HTTP/1.1\r\n\r\n").path.count == RequestHead.maximumPathLength)
    let fields = String(repeating: "a: b\r\n", count: 5000)
    #expect(
      try RequestHead("GET / HTTP/1.1\r\n\(fields)Host: a.example\r\n\r\n").authority?.host
        == bytes("a.example"))
  }

  private func beginning(_ text: String) throws -> RequestHead {
    try RequestHead(beginning: bytes(text).span)
  }

  @Test func `a truncated head has its complete fields`() throws {
    let head = "POST /a?b HTTP/1.1\r\nHost: a.example\r\nUpgrade: x\r\n\r\n"
    let line = try #require(head.firstIndex(of: "\r\n"))
    let version = head[..<line].utf8.count
    let host = "POST /a?b HTTP/1.1\r\nHost: a.example\r\n".utf8.count
    for count in 0..<head.utf8.count {
      let part = try? beginning(String(decoding: bytes(head).prefix(count), as: UTF8.self))
      #expect((part != nil) == (count >= version), "\(count)")
      #expect((part?.authority != nil) == (count > host), "\(count)")
      if let part { #expect(part.method == "POST" && part.path == bytes("/a")) }
    }
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a.example\r\n ", nil), ("GET / HTTP/1.1\r\nHost: a\r\n b.exa", nil),
      ("GET / HTTP/1.1\nHost: a\n\tb\nX", nil), ("GET / HTTP/1.1\r\n\r", nil),
      ("GET / HTTP/1.1\nHost: a\n\t\nX", "a"),
      ("GET http://a.example/ HTTP/1.1", "a.example"),
      ("CONNECT a.example:443 HTTP/1.0\r\nHost: b", "a.example"),
    ] as [(String, String?)])
  func `a value that may be folded into missing lines is not complete`(text: String, host: String?) throws {
    #expect(try beginning(text).authority?.host == host.map { bytes($0) })
  }

  @Test(arguments: ["a:b", "a:70000", "[::1", "[::1]x", "a b", "a:1:2"])
  func `a malformed authority is nil`(text: String) {
    #expect(Authority(bytes(text)) == nil)
  }

  @Test func `an empty port is nil`() {
    let authority = Authority(bytes("a.example:"))
    #expect(authority?.host == bytes("a.example"))
    #expect(authority?.port == nil)
  }

  @Test func `no bytes make the parser trap`() {
    torment(
      bytes(
        "POST http://a:1/x HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 5, 5\r\n f\r\nConnection: a\r\n\r\n")
    ) {
      _ = try? MessageHead.byteCount(of: $0)
      _ = try RequestHead(parsing: $0)
    }
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a.example\r\nHost: A.example\r\n\r\n", "a.example", false),
      ("GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", nil, true),
      ("GET / HTTP/1.1\r\nHost: a.example\r\nHost:\r\n\r\n", nil, true),
      ("GET http://c.example/ HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", "c.example", false),
      ("GET http://a:b:c/ HTTP/1.1\r\nHost: a.example\r\n\r\n", nil, false),
    ] as [(String, String?, Bool)])
  func `of several Host fields none counts if they differ, and none beside an absolute target`(
    text: String, host: String?, differ: Bool
  ) throws {
    let head = try RequestHead(parsing: bytes(text).span)
    #expect(head.authority.map { String(decoding: $0.host, as: UTF8.self) } == host)
    #expect(head.hostsDiffer == differ)
  }
}
