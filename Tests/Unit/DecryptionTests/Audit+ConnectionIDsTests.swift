import ATScope
import Foundation
import SessionModel
import TestFiles
import Testing

/// QUIC connections whose packets are matched by connection ID, not by address and port.
@Suite struct AuditConnectionIDsTests {
  private static let keyLogs = ["version-1", "version-two", "retry"].map {
    Captures.path("quic/\($0).keylog")
  }

  private func shown(_ packets: [Data]) throws -> Shown {
    let capture = try TemporaryFile(Captures.data("quic/version-1.pcap", of: packets))
    return Shown([capture.path], keyLogs: AuditConnectionIDsTests.keyLogs, retaining: capture)
  }

  private func expectOpened(_ shown: Shown, count: Int) {
    let plain = Shown([Captures.path("tls12/ecdhe-rsa-gcm.pcap")])
    #expect(shown.sessions.count == count)
    for index in shown.sessions.indices {
      #expect(shown.certificates(index) == plain.certificates())
      #expect(shown.tls(index)?.outcome == .established)
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5], [UInt16(20_000), 60_000])
  func `a client that continues from another port keeps its connection`(count: Int, port: UInt16) throws {
    let packets = try Captures.packets("quic/version-1.pcap").enumerated().map { index, packet in
      index <= count ? packet : Captures.moving(packet, toPort: port)
    }
    let shown = try shown(packets)
    expectOpened(shown, count: 1)
    #expect(shown.text.contains("quic-address-changed"))
  }

  @Test
  func `Handshake packets before the first Initial packet are kept and decrypted`() throws {
    var packets = try Captures.packets("quic/version-1.pcap")
    packets.insert(packets.remove(at: 2), at: 0)
    expectOpened(try shown(packets), count: 1)
  }

  @Test
  func `packets of the server may be captured before those that they answer, also after version negotiation`() throws {
    var packets = try Captures.packets("quic/negotiation.pcap")
    packets.swapAt(0, 1)
    packets.swapAt(2, 3)
    let capture = try TemporaryFile(Captures.data("quic/negotiation.pcap", of: packets))
    let shown = Shown([capture.path], keyLogs: [Captures.path("quic/negotiation.keylog")], retaining: capture)
    expectOpened(shown, count: 1)
    #expect(shown.sessions.first?.session.serverName == "api.example.com")
    #expect(!shown.text.contains("quic-crypto-disagrees"))
  }

  @Test
  func `a connection without its Initial packets is counted as without hello`() throws {
    let packets = try Captures.packets("quic/version-1.pcap")
    let shown = try shown(Array(packets[2..<4]))
    #expect(shown.sessions.isEmpty)
    #expect(shown.text.contains(#""quicWithoutHello":1"#))
    #expect(
      shown.text.contains(
        #""withoutHandshake":[{"server":{"address":"203.0.113.7","port":443},"connections":1}]"#))
  }

  @Test
  func `packets of a connection that began before the capture are counted`() throws {
    let shown = try shown(Array(Captures.packets("quic/version-1.pcap")[8...]))
    #expect(shown.sessions.isEmpty)
    #expect(shown.text.contains(#""quicUnknownConnections":4"#))
  }

  @Test(arguments: [[UInt8](), [0x12, 0x34, 0x56, 0x78], [0xFF, 0x02, 0x00, 0x00]])
  func `packets of an unsupported QUIC version are counted`(version: [UInt8]) throws {
    let packets = try Captures.packets("quic/version-1.pcap")[..<2].map { packet in
      var packet = packet
      for (index, byte) in version.enumerated() { packet[packet.startIndex + 59 + index] = byte }
      return packet
    }
    let shown = try shown(packets)
    #expect(shown.sessions.isEmpty == !version.isEmpty)
    #expect(shown.text.contains(#""quicOtherVersions":2"#) == !version.isEmpty)
  }

  @Test(arguments: [(UInt16(443), true), (80, true), (4433, false)])
  func `a datagram of Google QUIC up to Q043 is counted at ports 80 and 443 only`(port: UInt16, isCounted: Bool) throws {
    var packet = try #require(try Captures.packets("quic/version-1.pcap").first)
    let start = packet.startIndex + 52
    packet[start] = UInt8(port >> 8)
    packet[start + 1] = UInt8(port & 0xFF)
    packet.replaceSubrange(start + 6..<start + 19, with: [9, 1, 2, 3, 4, 5, 6, 7, 8] + Array("Q043".utf8))
    let shown = try shown([packet])
    #expect(shown.sessions.isEmpty)
    #expect(shown.text.contains(#""quicOtherVersions":1"#) == isCounted)
  }

  @Test(arguments: [UInt16(53), 5353, 4433, 853])
  func `QUIC is found at any server port`(port: UInt16) throws {
    let packets = try Captures.packets("quic/version-1.pcap").map { packet in
      var packet = packet
      let portIndex = packet.startIndex + 50
      let start = packet[portIndex] == 0x01 && packet[portIndex + 1] == 0xBB ? portIndex : portIndex + 2
      packet[start] = UInt8(port >> 8)
      packet[start + 1] = UInt8(port & 0xFF)
      return packet
    }
    expectOpened(try shown(packets), count: 1)
  }

  @Test
  func `packets of another server do not join the connection, whatever their connection ID`() throws {
    let packets = try Captures.packets("quic/version-1.pcap").enumerated().map { index, packet in
      var packet = packet
      // The server's address: the destination of the client's packets and the source of its own.
      if index > 0 {
        let isFromServer = packet[packet.startIndex + 50] == 1
        packet[packet.startIndex + (isFromServer ? 45 : 49)] ^= 1
      }
      return packet
    }
    let shown = try shown(packets)
    #expect(shown.certificates().isEmpty)
    #expect(shown.tls()?.outcome == .incomplete)
  }

  @Test(arguments: ["version-1", "retry", "negotiation"], [0, 1])
  func `a repeated Initial packet after the end of a connection does not begin a session`(
    name: String, index: Int
  ) throws {
    let packets = try Captures.packets("quic/\(name).pcap")
    let late = try TemporaryFile(Captures.data("quic/\(name).pcap", of: packets + [packets[index]]))
    #expect(Shown([late.path]).sessions.count == 1)
  }

  @Test(arguments: [
    ["version-1", "version-two"], ["version-two", "version-1"], ["retry", "version-1", "version-two"],
  ])
  func `interleaved connections between the same two ports are distinguished`(
    names: [String]
  ) throws {
    let captures = try names.map { try Captures.packets("quic/\($0).pcap") }
    var mixed: [Data] = []
    for index in 0..<(captures.map(\.count).max() ?? 0) {
      for capture in captures where index < capture.count {
        mixed.append(Captures.moving(capture[index], toPort: 40_000))
      }
    }
    expectOpened(try shown(mixed), count: names.count)
  }
}
