import ByteParsing
import CaptureFormats
import PacketFiltering
import Testing

@testable import SessionReading

@Suite struct PacketChoiceTests {
  /// An IPv4 packet from port 50000 to 443; `protocolNumber` is 6 for TCP, 17 for UDP. `offset` is that of a fragment in units of 8 bytes.
  static func packet(_ protocolNumber: UInt8, fragment: UInt8 = 0, offset: UInt8 = 0) -> Bytes {
    let ports: Bytes = [0xC3, 0x50, 0x01, 0xBB]
    let transport: Bytes =
      protocolNumber == 6
      ? ports + [0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0xFF, 0xFF, 0, 0, 0, 0] : ports + [0, 8, 0, 0]
    let header: Bytes = [0x45, 0, 0, UInt8(20 + transport.count), 0, 1, fragment, offset, 64, protocolNumber, 0, 0]
    return header + [192, 0, 2, 1, 198, 51, 100, 7] + transport
  }

  /// An 802.11 frame with several IPv4 packets (A-MSDU).
  static func aggregate(_ packets: Bytes...) -> Bytes {
    var frame: Bytes = [0x88, 0x01, 0, 0] + Bytes(repeating: 2, count: 18) + [0, 0, 0x80, 0]
    for packet in packets {
      frame += Bytes(repeating: 2, count: 12)
      frame += [0, UInt8(8 + packet.count), 0xAA, 0xAA, 3, 0, 0, 0, 8, 0]
      frame += packet
      frame += Bytes(repeating: 0, count: (2 - frame.count) & 3)
    }
    return frame
  }

  /// Whether a filter takes a packet, and the number of packets omitted because they have tunnels.
  static func take(_ packet: Bytes, linkType: UInt8, _ filter: String) throws -> (isTaken: Bool, leftOutInTunnels: UInt64) {
    let (isTaken, choice) = try choice(on: packet, linkType: linkType, filter)
    return (isTaken, choice.leftOutInTunnels)
  }

  /// Whether a filter takes a packet, and the choice after that.
  private static func choice(on packet: Bytes, linkType: UInt8, _ filter: String) throws -> (isTaken: Bool, PacketChoice) {
    let length: Bytes = [UInt8(packet.count), 0, 0, 0]
    var file: Bytes = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, linkType, 0, 0, 0]
    file += Bytes(repeating: 0, count: 8) + length + length
    file += packet
    var reader = try CaptureReader(MemorySource(file))
    var options = ReadingOptions()
    options.filter = try PacketFilter(filter)
    var choice = try #require(PacketChoice(options))
    let record = try #require(try reader.next())
    let isTaken = choice.takes(record, reader.bytes(of: record))
    return (isTaken, choice)
  }

  @Test(arguments: [
    ("tcp port 443", true), ("udp port 443", true), ("port 80", false),
    // Beyond the TCP header is padding, and then the next packet.
    ("tcp[20] = 0", false),
  ])
  func `an A-MSDU is taken if one of its packets matches`(filter: String, isTaken: Bool) throws {
    let frame = Self.aggregate(Self.packet(6), Self.packet(17))
    let result = try Self.take(frame, linkType: 105, filter)
    #expect(result == (isTaken, 0))
  }

  @Test func `a fragment that matches only after a tag is counted as left out in tunnels`() throws {
    let frame = Bytes(repeating: 2, count: 12) + [0x81, 0, 0, 12, 8, 0] + Self.packet(17, fragment: 0x20)
    let result = try Self.take(frame, linkType: 1, "udp port 443")
    #expect(result == (false, 1))
  }

  @Test func `a fragment without ports that a filter omits is counted`() throws {
    for (protocolNumber, offset, filter, count) in [
      (6, 5, "tcp port 443", 1), (6, 0, "tcp port 80", 0), (17, 5, "tcp port 443", 0), (6, 5, "tcp port 443 or ip[6:2] & 0x1fff != 0", 0),
      (6, 5, "host 192.0.2.9", 0), (6, 5, "udp", 0), (6, 5, "tcp portrange 440-450", 1),
      (6, 5, "tcp[2:2] = 443", 1),
    ] as [(UInt8, UInt8, String, UInt64)] {
      let result = try Self.choice(on: Self.packet(protocolNumber, offset: offset), linkType: 101, filter)
      #expect(result.1.leftOutFragments == count)
    }
  }
}
