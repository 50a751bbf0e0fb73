import ByteParsing
import HTTPParsing
import TestBytes
import Testing

@testable import PacketExtraction

extension FieldDecoder {
  /// Decodes bytes, because macros of Swift Testing do not accept spans.
  fileprivate mutating func decode(all block: Bytes) throws -> [DecodedField] { try decode(block.span) }
}

@Suite struct FieldDecoderReductionTests {
  private static func lines(_ fields: [DecodedField]) -> [String] {
    fields.map { "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))" }
  }

  @Test(arguments: [
    // :method, :scheme, :path with a query, :authority with userinfo, a cookie; :authority and cache-control in Huffman code.
    "82 86 04 0b 2f612f623f6b65793d7365 41 12 757365723a4070772e6578616d706c652e63 0f 11 06 736563726574",
    "82 86 84 41 8c f1e3c2e5f23a6ba0ab90f4ff 58 86 a8eb10649cbf",
  ])
  func `values that may be secret are replaced by values of the same length`(digits: String) throws {
    let block = hex(digits)
    var decoder = FieldDecoder()
    let fields = try decoder.decode(all: block)
    let neutral = FieldDecoder.neutralized(block, fields)
    var other = FieldDecoder()
    let others = try other.decode(all: neutral)
    #expect(others.map(\.name) == fields.map(\.name))
    #expect(others.map(\.value.count) == fields.map(\.value.count))
    #expect(others.last?.value != fields.last?.value)
    let (before, after) = (try RequestHead(fields), try RequestHead(others))
    #expect(before?.authority == after?.authority)
    #expect(before?.path == after?.path)
    #expect(decoder.tableSize == other.tableSize)
    let said = FieldDecoderReductionTests.lines(others).joined()
    #expect(
      !said.contains("key") && !said.contains("user") && !said.contains("secret")
        && !said.contains("no-cache"))
  }

  @Test(arguments: [
    ("application/ocsp-response", true), ("Application/PKIX-CRL; a=b", true), ("text/html", false),
    ("text/x; name=application/pkix-crl", false),
  ])
  func `media types are replaced as in HTTP 1`(type: String, isKept: Bool) throws {
    // content-type has index 31 in the static table.
    let block = Bytes([0x88, 0x0F, 0x10, UInt8(type.utf8.count)]) + type.utf8
    var decoder = FieldDecoder()
    let fields = try decoder.decode(all: block)
    #expect(FieldDecoderReductionTests.lines(fields).last == "content-type: \(type)")
    let neutral = FieldDecoder.neutralized(block, fields)
    #expect((neutral == block) == isKept)
    #expect(neutral.count == block.count)
    let head = Bytes("HTTP/1.1 200\r\nContent-Type: \(type)\r\n\r\n".utf8)
    #expect((HTTPReduction.reduced(head) == head) == isKept)
  }
}
