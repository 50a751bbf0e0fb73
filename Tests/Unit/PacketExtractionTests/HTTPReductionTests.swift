import ByteParsing
import SeededRandom
import Testing

@testable import PacketExtraction

@Suite struct HTTPReductionTests {
  /// The reduced head.
  private func reduced(_ text: String) -> String {
    let head = Bytes(text.utf8)
    let output = HTTPReduction.reduced(head)
    #expect(output.count == head.count)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `a reduced request keeps its line without the query, and Host`() {
    let request = "GET /a/b?token=secret&x=1#secret HTTP/1.1\r\nHost: a.example\r\nCookie: secret\r\n\r\n"
    #expect(
      reduced(request)
        == "GET /a/b?00000000000000000000000 HTTP/1.1\r\nHost: a.example\r\n000000:0000000\r\n\r\n")
  }

  @Test func `the fields that delimit messages are kept`() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    #expect(reduced(head) == head)
  }

  @Test func `a reduced response keeps its status, Content-Length, and scheme and host of Location`() {
    let answer =
      "HTTP/1.1 301 Moved, secret\r\nLocation: https://me:secret@b.example/secret?secret\r\n"
      + "Set-Cookie: secret\r\nContent-Length: 6\r\n\r\n"
    #expect(
      reduced(answer)
        == "HTTP/1.1 301 0000000000000\r\nLocation: https://000000000@b.example/0000000000000\r\n"
        + "0000000000:0000000\r\nContent-Length: 6\r\n\r\n")
  }

  @Test(arguments: [
    ("//b.example/secret", "//b.example/000000"), ("/secret?u=https://secret.example/", nil),
    ("secret", nil), ("https:secret", "https:000000"),
    ("https://b.example?secret", "https://b.example?000000"),
    ("https://[2001:db8::1]:8443/secret", "https://[2001:db8::1]:8443/000000"), ("#secret", nil), ("", nil),
  ])
  func `a reduced Location keeps its scheme and host`(location: String, kept: String?) {
    let kept = kept ?? String(repeating: "0", count: location.utf8.count)
    let head = "HTTP/1.1 302\r\nLocation:\(location)\r\n\r\n"
    #expect(reduced(head) == "HTTP/1.1 302\r\nLocation:\(kept)\r\n\r\n")
  }

  @Test func `userinfo is removed from the target and Host`() {
    let head = reduced("GET http://me:secret@a.example/x HTTP/1.1\r\nHost: me:secret@a.example\r\n\r\n")
    #expect(
      head == "GET http://000000000@a.example/x HTTP/1.1\r\nHost:0000000000@a.example\r\n\r\n")
  }

  @Test func `a folded value is kept or removed with its field`() {
    let head = reduced("GET / HTTP/1.1\r\nHost:\r\n a.example\r\nCookie: a\r\n\tsecret\r\n\r\n")
    #expect(head.contains("Host:\r\n a.example\r\n"))
    #expect(!head.contains("secret"))
  }

  @Test func `a truncated head is reduced like a complete one`() {
    #expect(reduced("GET /a?secret") == "GET /a?000000")
    #expect(reduced("GET http://me:secret@a.example/x?secret") == "GET http://000000000@a.example/x?000000")
    #expect(reduced("GET / HTTP/1.1\r\nHost: a\r\nCookie: sec") == "GET / HTTP/1.1\r\nHost: a\r\n000000:0000")
    #expect(reduced("HTTP/1.1 200 Fine\r\nSet-Coo") == "HTTP/1.1 200 0000\r\n0000000")
  }

  @Test func `a query with a space in it is removed`() {
    #expect(reduced("GET /?a secret HTTP/1.1\r\n\r\n") == "GET /?00000000 HTTP/1.1\r\n\r\n")
    #expect(reduced("GET /?a\rsecret HTTP/1.1 \r\n\r\n") == "GET /?0\r000000 HTTP/1.1 \r\n\r\n")
    #expect(reduced("GET\t/?a\tsecret\tHTTP/1.1\r\n\r\n") == "GET\t/?00000000\tHTTP/1.1\r\n\r\n")
    #expect(reduced("GET /?a secret") == "GET /?00000000")
    #expect(reduced("GET /?a secret HT") == "GET /?00000000 HT")
  }

  @Test func `only media types of certificates and revocation are kept`() {
    let head = reduced("HTTP/1.1 200 OK\r\nContent-Type: application/ocsp-response\r\n\r\n")
    #expect(head.contains("application/ocsp-response"))
    // That there is another media type matters, but not which.
    #expect(
      reduced("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n") == "HTTP/1.1 200 00\r\nContent-Type:0000000000\r\n\r\n")
  }

  @Test func `reduction keeps the number of bytes`() {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<500 {
      var text = Bytes()
      for _ in 0..<64 {
        let words = [
          "GET ", "\r\n", " HTTP/1.1", "Host:", "HTTP/1.1 200", "\n", "?", "://", "@", "Location:",
        ]
        let kind = random.below(16)
        if kind < words.count {
          text += Bytes(words[kind].utf8)
        } else {
          text.append(random.byte())
        }
      }
      #expect(HTTPReduction.reduced(text).count == text.count)
    }
  }
}
