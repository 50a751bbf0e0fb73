import ByteParsing
import TestBytes
import Testing

@testable import HTTPParsing

@Suite struct ResponseHeadTests {
  @Test func `the scheme and host of a redirect are read`() throws {
    let head = try ResponseHead(
      "HTTP/1.1 301 Moved Permanently\r\nLocation: HTTPS://www.example.com:444/x\r\nContent-Length: 0\r\n\r\n"
    )
    #expect(head.status == 301)
    #expect(head.location?.scheme == bytes("https"))
    #expect(head.location?.host == bytes("www.example.com"))
    #expect(head.bodyFraming(answering: "GET") == .length(0))
  }

  @Test(
    arguments: [
      ("/x/y:z", nil, nil), ("//b.example/x", nil, "b.example"), ("http:x", "http", nil),
      ("?a=b://c", nil, nil),
      ("https://c.example?x", "https", "c.example"), ("", nil, nil), ("1http://x/", nil, nil), ("-a://x/", nil, nil),
    ] as [(String, String?, String?)])
  func `a relative reference has only the scheme or host that it contains`(reference: String, scheme: String?, host: String?) {
    let target = RedirectTarget(bytes(reference))
    #expect(target.scheme == scheme.map(bytes))
    #expect(target.host == host.map(bytes))
  }

  @Test(arguments: [
    ("200 OK", "GET", BodyFraming.untilClose), ("200 OK", "HEAD", .none), ("204 No Content", "GET", .none),
    ("304 Not Modified", "GET", .none), ("101 Switching Protocols", "GET", .none), ("100", "POST", .none),
    ("200 OK", "CONNECT", .none), ("407 x", "CONNECT", .untilClose),
  ])
  func `status and method determine whether a response has a body`(line: String, method: String, framing: BodyFraming)
    throws
  {
    #expect(try ResponseHead("HTTP/1.1 \(line)\r\n\r\n").bodyFraming(answering: method) == framing)
    let length = try ResponseHead("HTTP/1.1 \(line)\r\nContent-Length: 7\r\n\r\n").bodyFraming(
      answering: method)
    #expect(length == (framing == .none ? .none : .length(7)))
  }

  @Test func `a chunked response has chunked framing`() throws {
    let head = try ResponseHead("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(head.bodyFraming(answering: "GET") == .chunked)
  }

  @Test(arguments: [
    "", "HTTP/1.1\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 099\r\n\r\n", "HTTP/2.0 200\r\n\r\n", "x\n\n",
  ])
  func `a malformed status line throws`(text: String) {
    #expect(throws: ParseError.self) { try ResponseHead(text) }
  }

  @Test func `no bytes make the parser trap`() {
    torment(
      bytes(
        "HTTP/1.1 302 Found\r\nLocation: https://[::1]:80/x\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")
    ) {
      let head = try ResponseHead(parsing: $0)
      _ = head.bodyFraming(answering: "GET")
    }
  }
}
