import ByteParsing
import TestBytes
import Testing

@testable import HTTPParsing

@Suite struct HTTPRecognitionTests {
  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "GET http://a.example/x HTTP/1.0\r\n", "CONNECT a.example:443 HTTP/1.1\r\n",
    "PROPFIND /dav HTTP/1.1", "OPTIONS * HTTP/1.1", "\r\nPOST /x HTTP/1.1", "VERSION-CONTROL /x HTTP/1.1",
    "M-SEARCH * HTTP/1.1",
  ])
  func `a request is recognized as soon as its HTTP version begins`(text: String) {
    #expect(recognized(text, HTTPRecognition.request) == .yes)
    for count in 0..<text.utf8.count {
      let prefix = String(text.prefix(count))
      let answer = recognized(prefix, HTTPRecognition.request)
      #expect(answer == (prefix.contains(" HTTP/1.") ? .yes : .needMore), "\(prefix)")
    }
  }

  @Test func `every known method is a token and recognized`() {
    for method in HTTPRecognition.methods {
      let text = String(decoding: method, as: UTF8.self)
      #expect(recognized("\(text) / HTTP/1.1", HTTPRecognition.request) == .yes)
      #expect(recognized(text, HTTPRecognition.request) == .needMore)
      let areTokens = method.allSatisfy(isTokenCharacter)
      #expect(areTokens)
    }
  }

  @Test(arguments: [
    "GET / HTTP/2.0\r\n", "GET /\r\n", "GET /HTTP/1.1\r\n", "GET a b HTTP/1.1\r\n", "GET  HTTP/1.1\r\n",
    "GET / RTSP/1.0\r\n", "OPTIONS sip:a@b SIP/2.0\r\n", "\u{16}\u{3}\u{1}", "SSH-2.0-OpenSSH\r\n",
    "SEARCH /a b\r\n", "GET /a HTTP/2.0 b\r\n", "HTTP/1.1 200 OK", "PRI * HTTP/2.0\r\n",
  ])
  func `a start line that is not an HTTP 1 request is rejected`(text: String) {
    #expect(recognized(text, HTTPRecognition.request) == .no)
  }

  @Test(arguments: [
    "get / HTTP/1.1\r\n", "FOO / HTTP/1.0\n", "GETS http://a.example/ HTTP/1.1\r\n",
    "\r\nRPC_IN_DATA /rpc HTTP/1.1\r\n",
    "x!#$%&'*+-.^_`|~9 * HTTP/1.9\r\n", "PRI / HTTP/1.1\r\n",
  ])
  func `a request with any method is recognized once its line is complete`(text: String) {
    let line = bytes(text)
    for count in 0...line.count {
      let part = Bytes(line.prefix(count))
      let answer = HTTPRecognition.request(part.span)
      let isBegun = HTTPRecognition.isBegunRequest(part.span)
      #expect(answer == (count == line.count ? .yes : .needMore), "\(text) \(count)")
      #expect(!isBegun)
    }
  }

  @Test(arguments: [
    "GET /a b HTTP/1.1\r\n", "GET  /  HTTP/1.1\r\n", "GET\t/\tHTTP/1.1\r\n", "GET /a HTTP/2.0 HTTP/1.1\n",
    "GET /\u{1}\u{1B}[0m HTTP/1.0 \r\n", "GET /a\rb HTTP/1.1\r\n", "FOO /a b\u{0} HTTP/1.1\r\n", "FOO  * HTTP/1.1\n",
    "POST http://a.example/a b HTTP/1.1\r\n",
  ])
  func `a target with spaces or control characters is recognized once its line is complete`(text: String) throws {
    let line = bytes(text)
    for count in 0...line.count {
      let part = Bytes(line.prefix(count))
      #expect(HTTPRecognition.request(part.span) == (count == line.count ? .yes : .needMore), "\(count)")
    }
    let head = line + bytes("Host: a.example\r\n\r\n")
    let request = try RequestHead(parsing: head.span)
    #expect(request.authority?.host == bytes("a.example"))
  }

  @Test func `a target above the limit with spaces is recognized by its beginning`() {
    let endless = String(repeating: "a b ", count: HTTPRecognition.maximumRequestLineLength / 4)
    #expect(recognized("GET /" + endless, HTTPRecognition.request) == .yes)
    #expect(recognized("GET /" + endless.dropLast(100), HTTPRecognition.request) == .needMore)
    #expect(recognized("FOO /" + endless, HTTPRecognition.request) == .no)
  }

  @Test(arguments: [
    "FOO /a HTTP/1.1 b\r\n", "FOO / HTTP/1.x\r\n", "FOO / HTTP/1.10\r\n", "FOO / HTTP/2.0\r\n", "FOO /\r\n",
    "F@O / HTTP/1.1\r\n",
    "FOO a.example:443 HTTP/1.1\r\n", "FOO / HTTP/1.1\rx\n", "FOO a /b HTTP/1.1\r\n",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHI", "FOO abcdefghijklmnopqrstuvwxyzabcdefghijkl", "EHLO a.example\r\n",
    "a1 LOGIN x y\r\n",
    "220 a.example ESMTP\r\n", "* OK IMAP4rev1", "+OK\r\n", "DESCRIBE rtsp://a.example/ RTSP/1.0\r\n",
    "INVITE sip:a@b SIP/2.0\r\n",
    "NICK a\r\n", "get key\r\n", "HTTP/1.1 200 OK\r\n", "<?xml",
  ])
  func `other protocols and malformed request lines are not requests`(text: String) {
    #expect(recognized(text, HTTPRecognition.request) == .no)
  }

  @Test(arguments: [
    "GET /a HTTP/1.1\r\n", "POST http://a.example/ HTTP/1.1\r\n", "CONNECT a:443 HTTP/1.1\r\n",
  ])
  func `a request with a known method has begun once a space follows the method`(text: String) throws {
    let line = bytes(text)
    let blank = try #require(line.firstIndex(of: 0x20))
    for count in 0...(blank + 1) {
      let isBegun = HTTPRecognition.isBegunRequest(Bytes(line.prefix(count)).span)
      #expect(isBegun == (count > blank), "\(count)")
    }
  }

  @Test func `a target above the limit is recognized by its beginning`() {
    let endless = String(repeating: "a", count: HTTPRecognition.maximumRequestLineLength)
    for start in ["GET /", "\r\nPOST http://", "CONNECT "] {
      #expect(recognized(start + endless, HTTPRecognition.request) == .yes)
      #expect(recognized(start + endless.prefix(10_000), HTTPRecognition.request) == .needMore)
    }
    #expect(recognized("GET " + endless, HTTPRecognition.request) == .no)
    #expect(recognized("GET /" + endless + "\t", HTTPRecognition.request) == .yes)
    #expect(recognized("GET " + endless + "://", HTTPRecognition.request) == .no)
    for end in ["", " HTTP/1.1\r\n"] {
      #expect(recognized("FOO /" + endless + end, HTTPRecognition.request) == .no)
    }
    #expect(recognized(String(repeating: "\r\n", count: 20), HTTPRecognition.request) == .no)
  }

  @Test func `a response is recognized by its version and status`() {
    let text = "HTTP/1.1 200 OK"
    for count in 0...text.utf8.count {
      let answer = recognized(String(text.prefix(count)), HTTPRecognition.response)
      #expect(answer == (count >= 13 ? .yes : .needMore))
    }
    #expect(recognized("HTTP/1.0 404\r\n", HTTPRecognition.response) == .yes)
    for wrong in [
      "HTTP/2 200", "HTTP/1.1 20x", "HTTP/1.1 2000", "HTTP/1.1  200", "ICY 200 OK", "HTTP/1.1 099 x",
    ] {
      #expect(recognized(wrong, HTTPRecognition.response) == .no)
    }
  }

  @Test func `the HTTP 2 preface is recognized after all 24 bytes`() {
    let text = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    for count in 0...24 {
      let answer = recognized(
        String(decoding: bytes(text).prefix(count), as: UTF8.self), HTTPRecognition.http2Preface)
      #expect(answer == (count == 24 ? .yes : .needMore))
    }
    #expect(recognized("PRI * HTTP/1.1", HTTPRecognition.http2Preface) == .no)
  }

  @Test func `no bytes make recognition trap`() {
    torment(bytes("OPTIONS /abc HTTP/1.1\r\n")) { input in
      _ = HTTPRecognition.request(input)
      _ = HTTPRecognition.response(input)
      _ = HTTPRecognition.http2Preface(input)
    }
  }
}
