import ByteParsing
import TestBytes
import Testing

@testable import DNSParsing

@Suite struct DomainNameTests {
  /// Reads the name at `offset` of a message.
  func read(_ message: Bytes, at offset: Int = 0) throws -> String {
    let span = message.span
    var reader = ByteReader(span.extracting(offset..<span.count), base: offset)
    return try DomainName(from: &reader, in: span).description
  }

  @Test(arguments: [
    (name("www", "Example", "COM"), "www.example.com"), (name(), ""), (name("a.b", "c\\d"), "a\\.b.c\\\\d"),
    (name("a b\u{7F}"), "a\\032b\\127"), (name("Büro", "local"), "büro.local"),
  ])
  func `a name is written in lower case, with special characters escaped`(
    bytes: Bytes, text: String
  ) throws {
    #expect(try read(bytes) == text)
  }

  @Test func `a compression pointer is followed to the rest of an earlier name`() throws {
    let message = name("example", "com") + name("www", pointingTo: 0) + name(pointingTo: 13)
    #expect(try read(message, at: 13) == "www.example.com")
    #expect(try read(message, at: 19) == "www.example.com")
  }

  @Test(arguments: [0, 2, 5, 0x3FFF])
  func `a compression pointer to itself or forward is rejected`(target: Int) {
    let message = name("a", pointingTo: target) + name("b")
    // The name begins at 0, so no pointer in it can lead to an earlier offset.
    #expect(throws: ParseError.self) { try read(message) }
  }

  @Test func `two compression pointers to each other are rejected`() {
    let message: Bytes = [0xC0, 2, 0xC0, 0]
    #expect(throws: ParseError.self) { try read(message, at: 2) }
  }

  @Test func `a name of 255 bytes is read, a longer one is rejected`() throws {
    let long = String(repeating: "a", count: 63)
    let most = name(long, long, long, String(repeating: "b", count: 61))
    #expect(most.count == DomainName.maximumWireLength)
    #expect(try read(most).utf8.count == 253)
    let tooLong = name(long, long, long, String(repeating: "b", count: 62))
    let error = #expect(throws: ParseError.self) { try read(tooLong) }
    #expect(error?.reason == .limitReached(DomainName.maximumWireLength))
  }

  @Test func `the number of compression pointers in a name is limited`() throws {
    // A root label at 0, then pointers, each to the one before.
    var message: Bytes = [0, 0]
    for index in 0..<200 { message += two(0xC000 | index * 2) }
    let most = DomainName.maximumPointerCount
    #expect(try read(message, at: 2 * most) == "")
    let error = #expect(throws: ParseError.self) { try read(message, at: 2 * most + 2) }
    #expect(error?.reason == .limitReached(most))
  }

  @Test(arguments: [0x40, 0x80] as [UInt8])
  func `a label of an obsolete type is rejected`(kind: UInt8) {
    #expect(throws: ParseError.self) { try read([kind | 1, 0x61, 0]) }
  }
}
