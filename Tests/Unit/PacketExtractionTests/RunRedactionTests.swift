import ByteParsing
import CleartextObservation
import Testing

@testable import PacketExtraction

@Suite struct RunRedactionTests {
  /// Classifies bytes in pieces of some size; returns what replaces them, with 0xFF for those that nothing replaces.
  private func redacted(_ bytes: Bytes, inPiecesOf size: Int, after head: Bytes = [], as run: (Int) -> ByteAccount.Run) -> Bytes {
    var redaction = RunRedaction()
    redaction.add(head.span, at: 0)
    _ = redaction.redact(.head(head.count), at: 0)
    var result = Bytes(repeating: 0xFF, count: bytes.count)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = Bytes(bytes[start..<min(start + size, bytes.count)])
      redaction.add(piece.span, at: head.count + start)
      for part in redaction.redact(run(piece.count), at: head.count + start) {
        let range = (part.position - head.count)..<(part.position - head.count + part.count)
        switch part.replacement {
        case .same: result.replaceSubrange(range, with: bytes[range])
        case .zeros: result.replaceSubrange(range, with: repeatElement(0, count: part.count))
        case .bytes(let replacement, _): result.replaceSubrange(range, with: replacement)
        case .digits, .address: break
        }
      }
      redaction.discard(before: head.count + start + piece.count)
    }
    return result
  }

  @Test(arguments: [1, 2, 3, 7, 100])
  func `of a chunked body, only sizes and line ends are kept, in pieces of any size`(size: Int) {
    let head = Bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let body = Bytes("5;a=secret\r\nhello\r\n0\r\nA: secret\r\n\r\n".utf8)
    let kept = Bytes("5;\0\0\0\0\0\0\0\0\r\n\0\0\0\0\0\r\n0\r\n\0\0\0\0\0\0\0\0\0\r\n\r\n".utf8)
    #expect(redacted(body, inPiecesOf: size, after: head) { .body($0) } == kept)
    #expect(redacted(body, inPiecesOf: size) { .body($0) } == Bytes(repeating: 0, count: body.count))
  }

  /// A literal header field without indexing (RFC 7541 §6.2.2).
  private static func field(_ name: String, _ value: String) -> Bytes {
    [0, UInt8(name.utf8.count)] + Bytes(name.utf8) + [UInt8(value.utf8.count)] + Bytes(value.utf8)
  }

  @Test(arguments: [1, 2, 8, 9, 10, 33, 1000])
  func `of HTTP 2, frames and the names of fields are kept, in pieces of any size`(size: Int) {
    func bytes(_ cookie: String, data: UInt8) -> Bytes {
      let block = RunRedactionTests.field(":method", "GET") + RunRedactionTests.field("cookie", cookie)
      let (first, rest) = (Bytes(block.prefix(10)), Bytes(block.dropFirst(10)))
      // SETTINGS, a padded HEADERS with its CONTINUATION, and DATA.
      var all = Bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
      all += Bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
      all += Bytes([0, 0, 13, 1, 0x08, 0, 0, 0, 1, 2]) + first + Bytes([0, 0])
      all += Bytes([0, 0, UInt8(rest.count), 9, 4, 0, 0, 0, 1]) + rest
      all += Bytes([0, 0, 3, 0, 0, 0, 0, 0, 1]) + Bytes(repeating: data, count: 3)
      return all
    }
    #expect(
      redacted(bytes("secret", data: 7), inPiecesOf: size) { .frames($0, isRequests: true) } == bytes("000000", data: 0))
  }

  @Test func `bytes that are not kept become zeros`() {
    var redaction = RunRedaction()
    let start = Bytes("GET /".utf8)
    redaction.add(start.span, at: 10)
    let parts = redaction.redact(.head(8), at: 10)
    #expect(parts.map(\.count) == [8])
    guard case .zeros? = parts.first?.replacement else {
      Issue.record("a head is replaced although its end is missing")
      return
    }
  }
}
