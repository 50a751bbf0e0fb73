import ByteParsing
import QUICParsing
import SeededRandom
import TestBytes
import Testing

@Suite struct QUICVersionTests {
  @Test(
    arguments: [
      (0x0000_0001, "1"), (0x6B33_43CF, "2"), (0xFF00_001D, "draft-29"), (0x5130_3436, "Q046"),
      (0x5430_3530, "T050"), (0xFACE_B002, "mvfst"),
    ] as [(UInt32, String)])
  func `known versions have a name`(number: UInt32, name: String) {
    #expect(QUICVersion(rawValue: number).name == name)
  }

  @Test(arguments: [0x0000_0002, 0x5141_4141, 0xABCD_EF01, 0x0A0A_0A0A] as [UInt32])
  func `unknown versions have no name`(number: UInt32) {
    #expect(QUICVersion(rawValue: number).name == nil)
  }

  @Test
  func `versions that RFC 9000 reserves to force Version Negotiation are recognized`() {
    #expect(QUICVersion(rawValue: 0x0A0A_0A0A).isReserved)
    #expect(QUICVersion(rawValue: 0xFAEA_1A3A).isReserved)
    #expect(!QUICVersion.version1.isReserved)
  }

  @Test(
    arguments: [
      ("c3 00000001 08 8394c8f03e515708 00 00 04 01020304", QUICRecognition.handshakePacket),
      ("80 00000000 00 08 8394c8f03e515708 00000001", .handshakePacket),
      ("c3 6b3343cf 08 8394c8f03e515708 00 00 04 01020304", .handshakePacket),
      ("c3 51303436 50 8394c8f03e515708 00 00 04 01020304", .other),
      ("c3 51303436 08 8394c8f03e515708 00 00 04 01020304", .otherVersion),
      ("c3 54303530 08 8394c8f03e515708 00 00 04 01020304", .otherVersion),
      ("c3 ff000011 08 8394c8f03e515708 00 00 04 01020304", .otherVersion),
      ("c3 12345678 08 8394c8f03e515708 00 00 04 01020304", .other),
      ("c3 00000001 15 8394c8f03e515708 00 00 04 01020304 00000000000000000000", .otherVersion),
      ("40 00000001 08 8394c8f03e515708 00 00 04 01020304", .shortHeader),
      ("00 00000001 08 8394c8f03e515708 00 00 04 01020304", .shortHeader),
      ("c3 00000001 08 8394", .other),
    ] as [(String, QUICRecognition)])
  func `the first bytes distinguish a long header of a known version from other datagrams`(
    bytes: String, expected: QUICRecognition
  ) {
    let datagram = hex(bytes)
    let found = QUICRecognition(datagram.span)
    #expect(found == expected)
  }

  @Test(
    arguments: [
      ("09 b5a69c846b139461 51303335 01 39c2c54d3c", 0x5130_3335), ("0d b5a69c846b139461 51303433 01 39c2c54d3c", 0x5130_3433),
      ("09 b5a69c846b139461 51303433 01 39c2c5", nil), ("01 b5a69c846b139461 51303433 01 39c2c54d3c", nil),
      ("0b b5a69c846b139461 51303433 01 39c2c54d3c", nil), ("49 b5a69c846b139461 51303433 01 39c2c54d3c", nil),
      ("09 b5a69c846b139461 51313433 01 39c2c54d3c", nil), ("09 b5a69c846b139461 5130343a 01 39c2c54d3c", nil),
    ] as [(String, UInt32?)])
  func `a Google QUIC header up to Q043 has the version after the connection ID`(bytes: String, expected: UInt32?) {
    let datagram = hex(bytes)
    let found = QUICRecognition.versionNumber(inGoogleHeader: datagram.span)
    #expect(found == expected)
  }

  @Test
  func `recognition never traps`() {
    torment(LongHeaderTests.initial, seed: 9) {
      _ = QUICRecognition($0)
      _ = QUICRecognition.versionNumber(inGoogleHeader: $0)
    }
  }

  /// The examples of RFC 9000 appendix A.1.
  @Test(
    arguments: [
      ("c2197c5eff14e88c", 151_288_809_941_952_652), ("9d7f3e7d", 494_878_333), ("7bbd", 15_293), ("25", 37),
      ("4025", 37), ("ffffffffffffffff", (1 << 62) - 1),
    ] as [(String, UInt64)])
  func `variable-length integers are decoded as in RFC 9000`(digits: String, value: UInt64) throws {
    let bytes = hex(digits)
    var reader = ByteReader(bytes.span)
    let found = try reader.readVariableLengthInteger("value")
    let rest = reader.remaining
    #expect(found == value)
    #expect(rest == 0)
  }

  @Test(arguments: ["", "c2", "9d7f3e", "40"])
  func `a truncated variable-length integer throws`(digits: String) {
    let bytes = hex(digits)
    #expect(throws: ParseError.self) {
      var reader = ByteReader(bytes.span)
      _ = try reader.readVariableLengthInteger("value")
    }
  }

  /// The example of RFC 9000 appendix A.3, and the limits of the window.
  @Test(
    arguments: [
      (0x9B32, 2, 0xA82F_30EA, 0xA82F_9B32), (0, 1, 255, 256), (255, 1, 0, 255), (0, 1, 0, 0),
      (2, 1, 255, 258),
      (0xFE, 1, 256, 254), (0xFFFF_FFFF, 4, 0, 0xFFFF_FFFF),
    ] as [(UInt32, Int, UInt64, UInt64)])
  func `packet numbers are decoded as in RFC 9000`(
    truncated: UInt32, byteCount: Int, largest: UInt64, expected: UInt64
  ) {
    #expect(PacketNumber.decode(truncated, byteCount: byteCount, largest: largest) == expected)
  }

  @Test
  func `the decoding of packet numbers never traps`() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let largest = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0...63, using: &random)
      let truncated = UInt32.random(in: 0 ... .max, using: &random)
      _ = PacketNumber.decode(truncated, byteCount: Int.random(in: -1...6, using: &random), largest: largest)
      _ = PacketNumber.decode(truncated, byteCount: 4, largest: .max)
    }
    #expect(PacketNumber.decode(7, byteCount: 4, largest: nil) == 7)
  }

  @Test func `drafts of version 2 have names, and every version has hexadecimal digits`() {
    #expect(QUICVersion(rawValue: 0xFF02_0000).name == "2-draft-00")
    #expect(QUICVersion(rawValue: 0x709A_50C4).name == "2-draft")
    #expect(QUICVersion(rawValue: 0xFF00_001D).name == "draft-29")
    #expect(QUICVersion(rawValue: 0x5c).hexadecimal == "0x0000005c")
  }
}
