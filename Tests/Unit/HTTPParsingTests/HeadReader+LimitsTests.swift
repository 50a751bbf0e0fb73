import ByteParsing
import Testing

@testable import HTTPParsing

/// The limits on a head, each tested at its exact value.
@Suite struct HeadReaderLimitsTests {
  @Test func `the length of a host is limited`() {
    let most = Authority.maximumHostLength
    #expect(Authority(bytes(String(repeating: "h", count: most) + ":80"))?.host.count == most)
    #expect(Authority(bytes(String(repeating: "h", count: most + 1) + ":80")) == nil)
  }

  @Test func `the length of a method is limited`() throws {
    let most = String(repeating: "M", count: RequestHead.maximumMethodLength)
    #expect(try RequestHead("\(most) / HTTP/1.1\r\n\r\n").method == most)
    #expect(throws: ParseError.self) { try RequestHead("\(most)M / HTTP/1.1\r\n\r\n") }
  }

  @Test func `long field values are truncated`() throws {
    let long = String(repeating: "x", count: 20_000)
    let head = try ResponseHead("HTTP/1.1 200 OK\r\nContent-Type: \(long)\r\n\r\n")
    #expect(head.contentType?.count == 8192)
  }

  @Test func `a head that does not end within the limit throws at the limit`() throws {
    let most = MessageHead.maximumByteCount
    let start = "GET / HTTP/1.1\r\na: "
    let fits = start + String(repeating: "v", count: most - start.utf8.count - 4) + "\r\n\r\n"
    #expect(try MessageHead.byteCount(of: bytes(fits).span) == most)
    let endless = bytes(start + String(repeating: "v", count: most))
    #expect(throws: ParseError.self) { try MessageHead.byteCount(of: endless.span) }
  }
}
