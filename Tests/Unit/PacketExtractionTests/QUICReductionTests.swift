import ByteParsing
import PacketExtraction
import QUICParsing
import SeededRandom
import Testing

@Suite struct QUICReductionTests {
  private static let client: Bytes = [0xC1, 0xC2, 0xC3, 0xC4]
  private static let server: Bytes = [0x51, 0x52, 0x53, 0x54, 0x55]

  private let reduction = QUICReduction(
    connectionIDs: [ConnectionID(QUICReductionTests.client), ConnectionID(QUICReductionTests.server)])

  /// A packet with a long header. `type` is a packet type of version 1.
  private static func long(_ type: UInt8, version: Bytes = [0, 0, 0, 1], payload: Int) -> Bytes {
    var packet: Bytes = [0xC0 | type << 4] + version
    packet += [5] + server
    packet += [4] + client
    if type == 0 { packet.append(0) }
    packet += [0x40 | UInt8(payload >> 8), UInt8(payload & 0xFF)]
    return packet + Bytes(repeating: 0xEE, count: payload)
  }

  private func kept(_ bytes: Bytes, onWire: Int? = nil) -> Bytes {
    let result = reduction.reduced(bytes, lengthOnWire: onWire ?? bytes.count)
    #expect(result.count == bytes.count)
    return Bytes(result.reversed().drop(while: { $0 == 0 }).reversed())
  }

  @Test(arguments: [UInt8(0), 2])
  func `Initial and Handshake packets stay unchanged`(type: UInt8) {
    let packet = QUICReductionTests.long(type, payload: 40)
    let isSame = kept(packet + packet) == packet + packet
    #expect(isSame)
  }

  @Test
  func `only the header of a 0-RTT packet is kept`() {
    let early = QUICReductionTests.long(1, payload: 40)
    #expect(kept(early) == Bytes(early.dropLast(40)))
    // The packets after it in the datagram are kept.
    let initial = QUICReductionTests.long(0, payload: 30)
    let expected = Bytes(early.dropLast(40)) + Bytes(repeating: 0, count: 40) + initial
    let isSame = kept(early + initial) == expected
    #expect(isSame)
  }

  @Test(arguments: [client, server])
  func `only the first byte and the connection ID of a 1-RTT packet are kept`(name: Bytes) {
    let short = Bytes([0x41]) + name + Bytes(repeating: 0xEE, count: 30)
    #expect(kept(short) == Bytes([0x41]) + name)
    let initial = QUICReductionTests.long(0, payload: 30)
    #expect(kept(initial + short) == initial + Bytes([0x41]) + name)
  }

  @Test
  func `only the first byte of a packet with an unknown connection ID is kept`() {
    #expect(kept(Bytes([0x41]) + Bytes(repeating: 0xEE, count: 30)) == [0x41])
    #expect(kept([0x41]) == [0x41])
  }

  @Test
  func `0-RTT data truncated by the snapshot length is removed too`() {
    let early = QUICReductionTests.long(1, payload: 400)
    #expect(kept(Bytes(early.prefix(100)), onWire: early.count) == Bytes(early.dropLast(400)))
    // The payload of a packet that is longer than its datagram is removed, too.
    #expect(kept(Bytes(early.prefix(100))).allSatisfy { $0 != 0xEE })
  }

  @Test
  func `only the version-independent header of an unknown version is kept`() {
    let packet = QUICReductionTests.long(2, version: [0x12, 0x34, 0x56, 0x78], payload: 40)
    #expect(kept(packet).count == 16)
  }

  @Test
  func `truncated datagrams and random bytes never trap`() {
    var random = SeededGenerator(seed: 5)
    let datagram =
      QUICReductionTests.long(0, payload: 40) + QUICReductionTests.long(1, payload: 40) + [0x41]
      + QUICReductionTests.server + Bytes(repeating: 0xEE, count: 30)
    for count in 0...datagram.count { _ = kept(Bytes(datagram.prefix(count)), onWire: datagram.count) }
    for _ in 0..<2000 {
      var bytes = Bytes(
        (0..<Int.random(in: 0..<80, using: &random)).map { _ in .random(in: 0...255, using: &random) })
      if bytes.count > 5, Bool.random(using: &random) { bytes.replaceSubrange(1..<5, with: [0, 0, 0, 1]) }
      _ = kept(bytes, onWire: Int.random(in: 0...70_000, using: &random))
    }
  }
}
