import ByteParsing
import QUICParsing
import TestBytes
import Testing

@Suite struct LongHeaderTests {
  /// An Initial packet of version 1 with the token `abc` and four bytes after the length.
  static let initial = hex("c3 00000001 08 8394c8f03e515708 02 aabb 03 616263 04 01020304")

  @Test
  func `every field of an Initial packet is read`() throws {
    let header = try header(of: LongHeaderTests.initial)
    #expect(header.type == .initial)
    #expect(header.version == .version1)
    #expect(header.destination == ConnectionID(hex("8394c8f03e515708")))
    #expect(header.source == ConnectionID(hex("aabb")))
    #expect(header.token == 18..<21)
    #expect(header.payloadStart == 22)
    #expect(header.packet == 0..<26)
  }

  @Test
  func `coalesced packets are read in order`() throws {
    let datagram = LongHeaderTests.initial + hex("e0 00000001 00 00 02 0506") + hex("40 01")
    let first = try header(of: datagram)
    let second = try header(of: datagram, from: first.packet.upperBound)
    #expect(second.type == .handshake)
    #expect(second.packet == 26..<36)
    #expect(second.payloadStart == 34)
    #expect(throws: ParseError.self) {
      _ = try header(of: datagram, from: second.packet.upperBound)
    }
  }

  @Test(arguments: [
    (0xC0, LongHeader.PacketType.initial), (0xD0, .zeroRTT), (0xE0, .handshake), (0xF0, .retry),
  ])
  func `version 1 numbers its packet types from Initial`(first: Int, type: LongHeader.PacketType) throws {
    let packet = Bytes([UInt8(first)]) + hex("00000001 00 00 00") + Bytes(repeating: 0, count: 20)
    let found = try header(of: packet).type
    #expect(found == type)
  }

  @Test(arguments: [
    (0xC0, LongHeader.PacketType.retry), (0xD0, .initial), (0xE0, .zeroRTT), (0xF0, .handshake),
  ])
  func `version 2 numbers its packet types from Retry`(first: Int, type: LongHeader.PacketType) throws {
    let packet = Bytes([UInt8(first)]) + hex("6b3343cf 00 00 00") + Bytes(repeating: 0, count: 20)
    let found = try header(of: packet).type
    #expect(found == type)
  }

  @Test
  func `a Version Negotiation packet lists the server's versions`() throws {
    let packet = hex("80 00000000 00 04 01020304 00000001 6b3343cf ff00001d 00")
    let header = try header(of: packet)
    #expect(header.type == .versionNegotiation)
    let versions = header.supportedVersions(in: packet.span)
    #expect(versions.map(\.name) == ["1", "2", "draft-29"])
  }

  @Test
  func `a Retry packet ends with its integrity tag`() throws {
    let packet = hex("ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba")
    let header = try header(of: packet)
    #expect(header.type == .retry)
    #expect(header.token.count == 5)
    #expect(header.payloadStart == packet.count - LongHeader.integrityTagLength)
  }

  @Test
  func `a packet truncated anywhere throws`() {
    for count in 0..<LongHeaderTests.initial.count {
      let packet = Bytes(LongHeaderTests.initial.prefix(count))
      #expect(throws: ParseError.self) { _ = try header(of: packet) }
    }
  }

  @Test(arguments: [0x0000_0002, 0xFF00_0011, 0x5130_3436, 0x1234_5678] as [UInt32])
  func `versions with another packet layout are rejected`(version: UInt32) {
    var packet = LongHeaderTests.initial
    for index in 0..<4 { packet[1 + index] = UInt8(truncatingIfNeeded: version >> (24 - 8 * UInt32(index))) }
    #expect(throws: ParseError.self) { _ = try header(of: packet) }
  }

  @Test
  func `a connection ID of more than 20 bytes is rejected`() {
    let packet = hex("c3 00000001 15") + Bytes(repeating: 0, count: 60)
    #expect(throws: ParseError.self) { _ = try header(of: packet) }
  }

  @Test(arguments: [-1, 27, Int.max, Int.min])
  func `a start outside the datagram throws`(start: Int) {
    #expect(throws: ParseError.self) {
      _ = try header(of: LongHeaderTests.initial, from: start)
    }
  }

  @Test
  func `any bytes parse or throw`() {
    torment(LongHeaderTests.initial, seed: 3) { datagram in
      guard let header = try? LongHeader(parsing: datagram) else { return }
      #expect(header.packet.upperBound <= datagram.count)
      #expect(header.payloadStart <= header.packet.upperBound)
      _ = header.supportedVersions(in: datagram)
    }
  }
}
