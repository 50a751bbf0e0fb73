import ByteParsing
import SeededRandom
import TestBytes
import Testing

@testable import HTTPParsing

extension FieldDecoder {
  /// Decodes bytes, because macros of Swift Testing do not accept spans.
  fileprivate mutating func decode(all block: Bytes) throws -> [DecodedField] { try decode(block.span) }
}

/// The examples of RFC 7541 appendix C, and cases that they do not cover.
@Suite struct FieldDecoderTests {
  private static func lines(_ fields: [DecodedField]) -> [String] {
    fields.map { "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))" }
  }

  private static let get = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
  private static let redirect = [
    "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com",
  ]
  private static let cookie = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"

  /// Blocks in order, each with its fields and the size of the dynamic table after it; `capacity` is the table's maximum size.
  static let examples: [(name: String, capacity: Int, blocks: [(hex: String, fields: [String], size: Int)])] =
    [
      (
        "C.2.1", 4096,
        [("400a637573746f6d2d6b65790d637573746f6d2d686561646572", ["custom-key: custom-header"], 55)]
      ),
      ("C.2.2", 4096, [("040c2f73616d706c652f70617468", [":path: /sample/path"], 0)]),
      ("C.2.3", 4096, [("100870617373776f726406736563726574", ["password: secret"], 0)]),
      ("C.2.4", 4096, [("82", [":method: GET"], 0)]),
      (
        "C.3", 4096,
        [
          ("828684410f7777772e6578616d706c652e636f6d", get, 57),
          ("828684be58086e6f2d6361636865", get + ["cache-control: no-cache"], 110),
          (
            "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
            [
              ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
              "custom-key: custom-value",
            ], 164
          ),
        ]
      ),
      (
        "C.4", 4096,
        [
          ("828684418cf1e3c2e5f23a6ba0ab90f4ff", get, 57),
          ("828684be5886a8eb10649cbf", get + ["cache-control: no-cache"], 110),
          (
            "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
            [
              ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
              "custom-key: custom-value",
            ], 164
          ),
        ]
      ),
      (
        "C.5", 256,
        [
          (
            """
            4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e17687474
            70733a2f2f7777772e6578616d706c652e636f6d
            """, [":status: 302"] + redirect, 222
          ),
          ("4803333037c1c0bf", [":status: 307"] + redirect, 222),
          (
            """
            88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a
            4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31
            """,
            [
              ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT",
              "location: https://www.example.com", "content-encoding: gzip", cookie,
            ], 215
          ),
        ]
      ),
      (
        "C.6", 256,
        [
          (
            """
            488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae
            82ae43d3
            """, [":status: 302"] + redirect, 222
          ),
          ("4883640effc1c0bf", [":status: 307"] + redirect, 222),
          (
            """
            88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960
            d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007
            """,
            [
              ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT",
              "location: https://www.example.com", "content-encoding: gzip", cookie,
            ], 215
          ),
        ]
      ),
    ]

  @Test(arguments: examples.indices)
  func `the examples of RFC 7541 are decoded`(index: Int) throws {
    let example = FieldDecoderTests.examples[index]
    var decoder = FieldDecoder()
    // A dynamic table size update to 256, encoded as 31 + 225.
    if example.capacity == 256 { _ = try decoder.decode(all: hex("3fe101")) }
    for block in example.blocks {
      let bytes = hex(block.hex)
      let fields = try decoder.decode(all: bytes)
      #expect(FieldDecoderTests.lines(fields) == block.fields, "\(example.name)")
      #expect(decoder.tableSize == block.size, "\(example.name)")
    }
  }

  @Test(arguments: [10, 1337, 42])
  func `the integer examples of RFC 7541 are decoded`(value: Int) throws {
    // C.1: the integers are sizes of the dynamic table, with a prefix of five bits; the largest entry that fits shows them.
    let update = hex([10: "2a", 1337: "3f9a0a", 42: "3f0b"][value] ?? "")
    var decoder = FieldDecoder()
    _ = try decoder.decode(all: update)
    for length in [value - 32, value - 31] where length > 1 && length < 127 {
      _ = try decoder.decode(
        all: Bytes([0x40, 1, 0x61, UInt8(length - 1)]) + Bytes(repeating: 0x62, count: length - 1))
      #expect(decoder.tableSize == (length + 32 <= value ? value : 0))
    }
  }

  @Test(arguments: [
    // Index 0, an unused index, a size update after a field, a size update above the limit, an integer without end, a string
    // longer than the block, EOS in a string, padding with zeros, padding of a whole byte.
    "80", "be", "8220", "3fe2ff03", "ffffffffffffffff", "00057061", "0001618 4ffffffff", "00016181f0",
    "00016182f1ff",
    "7f80808080808001",
  ])
  func `a malformed header block throws`(digits: String) {
    var decoder = FieldDecoder()
    #expect(throws: ParseError.self) { try decoder.decode(all: hex(digits)) }
  }

  @Test func `a block truncated within a field throws, and the fields before it are read`() throws {
    let block = hex("828684418cf1e3c2e5f23a6ba0ab90f4ff")
    for count in 0..<block.count {
      var decoder = FieldDecoder()
      let part = Bytes(block.prefix(count))
      let read = decoder.decode(prefix: part.span)
      #expect(read.count == min(count, 3))
      var other = FieldDecoder()
      let whole = try? other.decode(all: part)
      #expect((whole != nil) == (count <= 3))
    }
  }

  @Test func `the decoded size of a header block is limited`() {
    var decoder = FieldDecoder()
    let value = Bytes(repeating: 0x61, count: 4000)
    let entry = Bytes([0x40, 1, 0x62, 0x7F, 0xA1, 0x1E]) + value
    #expect(throws: ParseError.self) {
      try decoder.decode(all: entry + Bytes(repeating: 0xBE, count: 60_000))
    }
    #expect(decoder.tableSize <= 4096)
  }

  @Test func `random and flipped bytes never trap, and the table keeps its size`() throws {
    var random = SeededGenerator(seed: 7541)
    for round in 0..<4000 {
      var decoder = FieldDecoder()
      let example = FieldDecoderTests.examples[round % FieldDecoderTests.examples.count]
      for block in example.blocks {
        var bytes = hex(block.hex)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
        guard (try? decoder.decode(all: bytes)) != nil else { break }
        #expect(decoder.tableSize <= 65_536)
      }
      _ = try? decoder.decode(all: Bytes((0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }))
    }
  }

  @Test func `a header block fragment excludes padding and priority`() throws {
    func range(_ kind: UInt8, _ flags: UInt8, _ payload: String) throws -> Range<Int> {
      let bytes = hex(payload)
      let header = Bytes([0, 0, UInt8(bytes.count), kind, flags, 0, 0, 0, 1])
      var reader = ByteReader(header.span)
      return try FrameHeader(parsing: &reader).fragmentRange(of: bytes.span)
    }
    #expect(try range(1, 0, "8286") == 0..<2)
    #expect(try range(1, 0x08, "0282860000") == 1..<3)
    #expect(try range(1, 0x20, "80000000108286") == 5..<7)
    #expect(try range(1, 0x28, "018000000010828600") == 6..<8)
    #expect(try range(5, 0x08, "01000000028200") == 5..<6)
    #expect(try range(9, 0x28, "8286") == 0..<2)
    for payload in ["", "05", "0482"] { #expect(throws: ParseError.self) { try range(1, 0x08, payload) } }
    #expect(throws: ParseError.self) { try range(1, 0x20, "80000000") }
  }
}
