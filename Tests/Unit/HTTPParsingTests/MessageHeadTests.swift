import ByteParsing
import Testing

@testable import HTTPParsing

@Suite struct MessageHeadTests {
  func length(_ text: String, from start: Int = 0) throws -> Int? {
    try MessageHead.byteCount(of: bytes(text).span, searchingFrom: start)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "body"), ("GET / HTTP/1.1\n\n", "x"), ("GET / HTTP/1.1\r\n\n", ""),
    ("GET / HTTP/1.1\n\r\n", "\r\n"), ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", "\r\n"),
  ])
  func `a head ends with its empty line, wherever the search resumes`(head: String, rest: String) throws {
    let count = head.utf8.count
    for start in 0...count {
      #expect(try length(head + rest, from: start) == count)
    }
    for cut in 0..<count {
      #expect(try length(String(decoding: bytes(head).prefix(cut), as: UTF8.self)) == nil)
    }
  }

  @Test func `a head longer than the limit throws`() throws {
    let long = "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 12_000)
    #expect(throws: ParseError.self) { try length(long) }
    #expect(throws: ParseError.self) { try length(long + "\r\n") }
    #expect(throws: ParseError.self) { try RequestHead(long + "\r\n") }
    #expect(throws: ParseError.self) { try length(String(repeating: "\n", count: 65_537)) }
  }
}
