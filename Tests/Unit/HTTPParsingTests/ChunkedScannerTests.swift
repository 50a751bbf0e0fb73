import ByteParsing
import TestBytes
import Testing

@testable import HTTPParsing

@Suite struct ChunkedScannerTests {
  /// The number of consumed bytes and the status, for a body in pieces of the given size.
  func scan(_ text: String, pieces size: Int) -> (taken: Int, status: ChunkedScanner.Status) {
    var scanner = ChunkedScanner()
    let body = bytes(text)
    var taken = 0
    var start = 0
    while start < body.count {
      let piece = Bytes(body[start..<min(start + size, body.count)])
      let consumed = scanner.consume(piece.span)
      taken += consumed
      if consumed < piece.count { break }
      start += piece.count
    }
    return (taken, scanner.status)
  }

  static let whole = [
    "5\r\nhello\r\n0\r\n\r\n", "A;ext=\"v\"\r\n0123456789\r\n00\r\nTrailer: x\r\nMore: y\r\n\r\n",
    "3\nabc\n0\n\n",
    " 1 \r\nx\r\n0\r\n\r\n", "0\r\n\r\n", "0000000000000000000000005\r\nhello\r\n0\r\n\n",
  ]

  @Test(arguments: whole)
  func `the end of a chunked body is found, however the body is split`(text: String) {
    let count = text.utf8.count
    for size in 1...(count + 3) {
      let result = scan(text + "HTTP", pieces: size)
      #expect(result.status == .finished)
      #expect(result.taken == count)
    }
    for cut in 0..<count {
      #expect(scan(String(decoding: bytes(text).prefix(cut), as: UTF8.self), pieces: 3).status == .unfinished)
    }
  }

  @Test(arguments: [
    "x", "\r\n", "5\r\nhelloX\r\n", "10000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n", "-1\r\n",
    "5\r\nhello0\r\n",
  ])
  func `a malformed chunked body fails`(text: String) {
    for size in [1, 2, 100] { #expect(scan(text, pieces: size).status == .failed) }
  }

  @Test func `the lengths of chunk lines and trailers are limited`() {
    #expect(scan("5;" + String(repeating: "a", count: 20_000) + "\r\n", pieces: 1000).status == .failed)
    #expect(scan(String(repeating: "0", count: 20_000) + "\r\n", pieces: 1000).status == .failed)
    #expect(
      scan("0\r\n" + String(repeating: "a: b\r\n", count: 12_000) + "\r\n", pieces: 1000).status == .failed)
  }

  @Test func `missing chunk data can be skipped, but not more than the chunk's data`() {
    var scanner = ChunkedScanner()
    let start = bytes("A\r\n01")
    #expect(scanner.consume(start.span) == 5)
    #expect(scanner.skippableByteCount == 8)
    let some = scanner.skip(byteCount: 5)
    #expect(some)
    #expect(scanner.skippableByteCount == 3)
    var other = scanner
    let tooMany = other.skip(byteCount: 4)
    #expect(!tooMany)
    #expect(other.status == .failed)
    let rest = scanner.skip(byteCount: 3)
    #expect(rest)
    let end = bytes("\r\n0\r\n\r\n")
    #expect(scanner.consume(end.span) == 7)
    #expect(scanner.status == .finished)
  }

  @Test func `no bytes make the scanner trap or consume more than the input`() {
    var faults = 0
    torment(bytes("A;ext=v\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n")) { input in
      var whole = ChunkedScanner()
      let taken = whole.consume(input)
      if taken > input.count { faults += 1 }
      var pieces = ChunkedScanner()
      var sum = 0
      for index in input.indices { sum += pieces.consume(input.extracting(index..<(index + 1))) }
      if sum != taken || pieces.status != whole.status { faults += 1 }
    }
    #expect(faults == 0)
  }
}
