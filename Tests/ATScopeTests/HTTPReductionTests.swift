import ATScope
import ByteParsing
import Testing

@Suite struct HTTPReductionTests {
  /// What becomes of a direction that comes in pieces of a size; body bytes that became zeros are shown as `.`.
  private func reduced(_ text: String, pieces: Int = .max, tunnel: Bool = false) -> String {
    var reduction = HTTPReduction()
    reduction.begin(at: 1000)
    if tunnel { reduction.expectTunnel() }
    let bytes = Bytes(text.utf8)
    var output = Bytes()
    var start = 0
    while start < bytes.count {
      let count = min(pieces, bytes.count - start)
      let piece = Bytes(bytes[start..<(start + count)])
      output += reduction.reduce(piece, sequence: 1000 + UInt32(start))
      start += count
    }
    #expect(output.count == bytes.count)
    return String(decoding: output.map { $0 == 0 ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
  }

  @Test func `of a request the line without its query and Host stay`() {
    let request = "GET /a/b?token=secret&x=1 HTTP/1.1\r\nHost: a.example\r\nCookie: secret\r\n\r\n"
    #expect(
      reduced(request)
        == "GET /a/b?0000000000000000 HTTP/1.1\r\nHost: a.example\r\n000000:0000000\r\n\r\n")
  }

  @Test func `of an answer the status, scheme and host of Location, and its framing stay`() {
    let answer =
      "HTTP/1.1 301 Moved, secret\r\nLocation: https://me:secret@b.example/secret?secret\r\n"
      + "Set-Cookie: secret\r\nContent-Length: 6\r\n\r\nsecretHTTP/1.1 200 OK\r\n\r\nsecret"
    #expect(
      reduced(answer)
        == "HTTP/1.1 301 0000000000000\r\nLocation: https://000000000@b.example00000000000000\r\n"
        + "0000000000:0000000\r\nContent-Length: 6\r\n\r\n......HTTP/1.1 200 00\r\n\r\n......")
  }

  @Test func `a body in chunks keeps the sizes alone`() {
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n"
    #expect(
      reduced(answer) == "HTTP/1.1 200 00\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n......\r\n0\r\n\r\n")
  }

  private static let conversation =
    "POST /login?user=secret HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic secret\r\nContent-Length: 12\r\n\r\n"
    + "pass=secret1GET http://me:secret@b.example/?q=secret HTTP/1.1\r\nHost: b.example\r\n\r\n"

  @Test(arguments: 1...40)
  func `nothing secret stays, however the bytes are cut`(pieces: Int) {
    let text = reduced(HTTPReductionTests.conversation, pieces: pieces)
    #expect(!text.contains("secret"))
    #expect(text.contains("POST /login?00000000000 HTTP/1.1\r\nHost: a.example\r\n"))
    #expect(text.contains("b.example/?00000000 HTTP/1.1\r\nHost: b.example\r\n"))
  }

  @Test func `what comes out of order becomes zeros as a whole`() {
    var reduction = HTTPReduction()
    reduction.begin(at: 10)
    let bytes = reduction.reduce(Bytes("Cookie: secret\r\n".utf8), sequence: 90)
    #expect(bytes == Bytes(repeating: 0, count: 16))
  }

  @Test(arguments: [
    "\u{1}\u{2}secret secret HTTP/1.1\r\n", "Hello secret\nsecret", "secret\r\nsecret: secret\r\n\r\n",
    "a b c secret\r\n",
  ])
  func `what is no HTTP becomes zeros`(text: String) {
    #expect(!reduced(text).contains("secret"))
  }

  @Test func `a query with a blank in it does not stay`() {
    #expect(reduced("GET /?a secret HTTP/1.1\r\n\r\n") == "GET /?00000000 HTTP/1.1\r\n\r\n")
  }

  @Test func `of HTTP 2 the preface stays and no frame`() {
    #expect(
      reduced("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nsecret\nsecret")
        == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n.............")
  }

  @Test func `TLS behind CONNECT stays as it is, and no other answer does`() {
    let request = "CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: secret\r\n\r\n"
    #expect(reduced(request + "\u{16}secret").hasSuffix("\r\n\r\n\u{16}secret"))
    // The proxy refused, and is asked once more.
    #expect(!reduced(request + request).contains("secret"))
    let answer = "HTTP/1.1 200 Connected\r\n\r\n"
    #expect(reduced(answer + "\u{16}secret", tunnel: true).hasSuffix("\u{16}secret"))
    #expect(!reduced(answer + answer + "Hello secret\r\n", tunnel: true).contains("secret"))
    #expect(!reduced(answer + "\u{16}secret").contains("secret"))
  }

  @Test func `frames behind an upgrade become zeros`() {
    let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
    #expect(!reduced(answer + "\u{1}secret\n").contains("secret"))
  }

  @Test func `of a header of the PROXY protocol the addresses become zeros, and nothing behind it`() {
    var text = Bytes("PROXY TCP4 10.1.2.3 10.4.5.6 4711 443\r\n10.1.2.3".utf8)
    Preamble.hideAddresses(&text)
    #expect(
      String(decoding: text, as: UTF8.self) == "PROXY " + String(repeating: "0", count: 31) + "\r\n10.1.2.3")
    let signature = Bytes([13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10])
    var binary = signature + [0x21, 0x11, 0, 12] + Bytes(1...12) + [0x16, 3]
    Preamble.hideAddresses(&binary)
    #expect(binary == signature + [0x21, 0x11, 0, 12] + Bytes(repeating: 0, count: 12) + [0x16, 3])
    for count in 0..<binary.count {
      var cut = Bytes(binary.prefix(count))
      Preamble.hideAddresses(&cut)
      #expect(cut.count == count)
    }
  }

  @Test(arguments: [
    (Bytes([1, 2, 0x61, 0x62, 3, 0x78, 0x79, 0x7A]), Bytes([1, 2, 0x30, 0x30, 3, 0x30, 0x30, 0x30])),
    (Bytes([4, 1, 0, 80, 1, 2, 3, 4, 0x6D, 0x65, 0]), Bytes([4, 1, 0, 80, 1, 2, 3, 4, 0x30, 0x30, 0])),
    (Bytes([5, 1, 0, 3, 1, 0x61, 0, 80]), Bytes([5, 1, 0, 3, 1, 0x61, 0, 80])),
    (Bytes([1, 0xFF, 1, 1, 1]), Bytes([1, 0xFF, 1, 1, 1])),
  ])
  func `who logs in at a SOCKS proxy becomes zeros`(before: Bytes, after: Bytes) {
    var payload = before
    Preamble.hideUser(&payload)
    #expect(payload == after)
  }

  @Test func `any bytes keep their number`() {
    var state: UInt64 = 42
    for _ in 0..<500 {
      var text = Bytes()
      for _ in 0..<64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let words = [
          "GET ", "\r\n", " HTTP/1.1", "Host:", "HTTP/1.1 200", "\n", "?", "://", "@", "Location:",
        ]
        let kind = Int(truncatingIfNeeded: state >> 60)
        if kind < words.count {
          text += Bytes(words[kind].utf8)
        } else {
          text.append(UInt8(truncatingIfNeeded: state >> 40))
        }
      }
      var reduction = HTTPReduction()
      let cut = Int(truncatingIfNeeded: state >> 50) % text.count
      let first = reduction.reduce(Bytes(text[..<cut]), sequence: 0)
      let rest = reduction.reduce(Bytes(text[cut...]), sequence: UInt32(cut))
      #expect(first.count + rest.count == text.count)
    }
  }
}
