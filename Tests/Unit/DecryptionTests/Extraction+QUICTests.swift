import ATScope
import ByteParsing
import Foundation
import SessionModel
import TestFiles
import Testing

/// Extracts of QUIC captures: they give the same sessions and contain nothing after the handshake.
@Suite struct ExtractionQUICTests {
  private static let anchors = ["quic/version-1", "quic/version-two", "quic/retry", "chromium/http3"]

  private func extract(_ path: String, keyLogs: [String], anonymizes: Bool) -> Data {
    var options = AuditOptions(paths: [path])
    options.reading.keyLogs = keyLogs
    var bytes = Bytes()
    _ = Extraction(options, anonymizationKey: anonymizes ? .random() : nil).write { bytes += $0 }
    return Data(bytes)
  }

  /// The facts of each session that an extract must preserve.
  private func facts(_ shown: Shown) -> [String] {
    shown.sessions.indices.map { index in
      let facts = shown.tls(index)
      let outcomes = shown.certificateOutcomes(index).sorted { $0.key < $1.key }.map {
        "\($0.key) \($0.value)"
      }
      var all = [facts?.offer?.ja4 ?? "-", facts?.outcome.rawValue ?? "-"]
      all += shown.sessions[index].session.evidence.notes.map(\.rawValue)
      return (all + outcomes + shown.certificates(index)).joined(separator: " ")
    }
  }

  private func expectSame(_ packets: [Data], like name: String) throws {
    let capture = try TemporaryFile(Captures.data("\(name).pcap", of: packets))
    for keyLogs in [[], [Captures.path("\(name).keylog")]] {
      let expected = facts(Shown([capture.path], keyLogs: keyLogs))
      #expect(!expected.isEmpty)
      for anonymizes in [false, true] {
        let data = extract(capture.path, keyLogs: keyLogs, anonymizes: anonymizes)
        let extracted = try TemporaryFile(data)
        let found = facts(Shown([extracted.path]))
        let isSame = found == expected
        #expect(isSame)
        // Without its last 16 bytes, the authentication tag, a packet cannot be decrypted.
        for packet in packets where Captures.isShort(packet) {
          #expect(data.range(of: packet.suffix(16)) == nil)
        }
      }
    }
  }

  @Test(arguments: anchors)
  func `an extract gives the same sessions as the capture`(name: String) throws {
    try expectSame(Captures.packets("\(name).pcap"), like: name)
  }

  @Test func `an anonymized extract has no Retry tokens, because they may contain addresses`() throws {
    let packets = try Captures.packets("quic/retry.pcap")
    let capture = try TemporaryFile(Captures.data("quic/retry.pcap", of: packets))
    let token = try ExtractionQUICTests.token(packets)
    #expect(extract(capture.path, keyLogs: [], anonymizes: false).range(of: token) != nil)
    #expect(extract(capture.path, keyLogs: [], anonymizes: true).range(of: token) == nil)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 8], [UInt16(20_000), 60_000])
  func `an extract gives the same sessions if a client continues from another port`(count: Int, port: UInt16) throws {
    let packets = try Captures.packets("quic/version-1.pcap").enumerated().map { index, packet in
      index <= count ? packet : Captures.moving(packet, toPort: port)
    }
    try expectSame(packets, like: "quic/version-1")
  }

  @Test(arguments: anchors.filter { $0 != "quic/retry" })
  func `an extract gives the same sessions for datagrams in fragments`(name: String) throws {
    let packets = try Captures.packets("\(name).pcap")
    try expectSame(packets.flatMap { $0.count > 1000 ? Captures.fragments($0) : [$0] }, like: name)
  }

  @Test func `an anonymized extract omits fragments of datagrams with Retry tokens`() throws {
    let packets = try Captures.packets("quic/retry.pcap")
    let token = try ExtractionQUICTests.token(packets)
    let fragments = packets.flatMap { $0.count > 1000 ? Captures.fragments($0) : [$0] }
    let capture = try TemporaryFile(Captures.data("quic/retry.pcap", of: fragments))
    #expect(extract(capture.path, keyLogs: [], anonymizes: false).range(of: token) != nil)
    #expect(extract(capture.path, keyLogs: [], anonymizes: true).range(of: token) == nil)
  }

  /// The end of the token in the Retry packet of a capture.
  private static func token(_ packets: [Data]) throws -> Data {
    let retry = try #require(packets.first { $0.count > 80 && $0[$0.startIndex + 58] & 0xF0 == 0xF0 })
    return Data(retry.dropLast(16).suffix(24))
  }

  @Test
  func `an extract gives the same sessions if handshake packets arrive after 1-RTT packets`() throws {
    var packets = try Captures.packets("quic/version-1.pcap")
    // The server's Certificate message is moved after the first 1-RTT packets of both sides.
    packets.insert(packets.remove(at: 2), at: 8)
    try expectSame(packets, like: "quic/version-1")
  }
}

extension Captures {
  /// Whether an IPv4 packet on Ethernet is not a fragment and contains a QUIC short header.
  static func isShort(_ packet: Data) -> Bool {
    let start = packet.startIndex + 16
    return packet.count > 58 && packet[start + 20] & 0x20 == 0 && packet[start + 21] == 0
      && packet[start + 42] & 0x80 == 0
  }

  /// The two fragments of an IPv4 packet on Ethernet.
  static func fragments(_ packet: Data) -> [Data] {
    let packet = Data(packet)
    let cut = 600
    let body = packet[(16 + 34)...]
    return [(body.prefix(cut), 0x2000), (body.dropFirst(cut), cut / 8)].map { part, fragmentField in
      var head = Data(packet[..<(16 + 34)])
      let length = 20 + part.count
      head[16 + 16] = UInt8(length >> 8)
      head[16 + 17] = UInt8(length & 0xFF)
      head[16 + 20] = UInt8(fragmentField >> 8)
      head[16 + 21] = UInt8(fragmentField & 0xFF)
      for field in [8, 12] {
        head[field] = UInt8((length + 14) & 0xFF)
        head[field + 1] = UInt8((length + 14) >> 8)
      }
      return head + part
    }
  }
}
