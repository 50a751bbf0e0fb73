import ByteParsing
import PacketParsing
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import TLSObservation
@testable import CleartextObservation
@testable import SessionTracking

/// Plays raw IPv4 packets with TCP between clients at 192.0.2.2 and a server at 203.0.113.7.
struct SegmentPlayer: ~Copyable {
  var tracker: SessionTracker
  var seconds: Int64 = 1_700_000_000
  private var frame: UInt64 = 0

  init(_ limits: ObservationLimits = ObservationLimits()) {
    tracker = SessionTracker(file: "test.pcap", limits: limits)
  }

  /// Plays a segment; the flags are those of the wire: 2 is SYN, 16 ACK, 1 FIN.
  mutating func play(
    _ payload: Bytes = [], flags: UInt8 = 16, sequence: Int = 1, fromClient: Bool = true, client: Int = 5000,
    server: Int = 443, checksum: SegmentChecksum.Validity? = nil
  ) {
    var packet = PacketBuilder.segment(
      payload, client: client, server: server, fromClient: fromClient, sequence: sequence, acknowledgment: 1, flags: flags)
    if let checksum {
      var headers = PacketHeaders()
      if headers.decode(packet.span, linkType: 101) == .tcp { headers.writeChecksum(checksum, into: &packet) }
    }
    frame += 1
    tracker.play(packet, frame, at: seconds, linkType: 101)
  }

  mutating func sessions() -> [ObservedSession] { tracker.sessions() }
}

/// The limits of observation, and the counters that report them.
@Suite struct ObservationLimitsTests {
  /// A ClientHello of TLS 1.2 in one record.
  static let hello: Bytes = {
    let body: Bytes = [3, 3] + Bytes(repeating: 5, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0]
    let message: Bytes = [1, 0] + two(body.count) + body
    return [22, 3, 1] + two(message.count) + message
  }()

  @Test func `connections beyond the limit evict those that were idle longest`() {
    var limits = ObservationLimits()
    limits.openConnections = 4
    var player = SegmentPlayer(limits)
    for client in 0..<6 { player.play(ObservationLimitsTests.hello, client: 6000 + client) }
    #expect(player.tracker.openConnections == 4)
    #expect(player.tracker.health.evictedConnections == 2)
    let sessions = player.sessions()
    #expect(sessions.count == 6)
    #expect(sessions.filter { $0.evidence.incomplete == .limit }.count == 2)
  }

  /// A handshake message in records.
  private static func records(_ type: UInt8, _ body: Bytes) -> Bytes {
    let message = [type, 0] + two(body.count) + body
    return stride(from: 0, to: message.count, by: 16_000).reduce(into: Bytes()) { all, start in
      let part = message[start..<min(message.count, start + 16_000)]
      all += [22, 3, 3] + two(part.count) + part
    }
  }

  /// Extensions of unknown types.
  private static func extensions(_ count: Int) -> Bytes {
    two(4 * count) + (0..<count).flatMap { two(0x1000 + $0) + [0, 0] }
  }

  private static func clientHello(extensions count: Int) -> Bytes {
    records(1, [3, 3] + Bytes(repeating: 5, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0] + extensions(count))
  }

  private static func serverHello(extensions count: Int) -> Bytes {
    records(2, [3, 3] + Bytes(repeating: 6, count: 32) + [0, 0xC0, 0x2F, 0] + extensions(count))
  }

  @Test func `certificates beyond the limit are counted and not reported as malformed`() {
    for (count, beyond) in [(256, 0), (257, 1)] as [(Int, UInt64)] {
      let list = Bytes((0..<count).flatMap { _ in [0, 0, 1, 0x30] as Bytes })
      let certificates = ObservationLimitsTests.records(11, [0] + two(list.count) + list)
      var player = SegmentPlayer()
      player.play(ObservationLimitsTests.clientHello(extensions: 1))
      player.play(ObservationLimitsTests.serverHello(extensions: 1) + certificates, fromClient: false)
      let session = player.sessions().first
      #expect(player.tracker.health.longChains == beyond)
      #expect(session?.sharedTLS?.chain?.certificates.count == 256)
      #expect(session?.evidence.notes.contains(.certificateMessageMalformed) == false)
      #expect((session?.evidence.incomplete == .limit) == (beyond > 0))
      #expect(session?.evidence.certificates == (beyond > 0 ? .partial : .complete))
    }
  }

  @Test func `extensions beyond the limit are counted, and those within it are kept`() {
    for (client, server, beyond) in [(256, 256, 0), (257, 1, 1), (1, 300, 1)] as [(Int, Int, UInt64)] {
      var player = SegmentPlayer()
      player.play(ObservationLimitsTests.clientHello(extensions: client))
      player.play(ObservationLimitsTests.serverHello(extensions: server), fromClient: false)
      let session = player.sessions().first
      #expect(player.tracker.health.longHellos == beyond)
      #expect(session?.sharedTLS?.sharedOffer?.extensions.count == min(client, 256))
      #expect(session?.sharedTLS?.sharedOffer?.cipherSuites.count == 1)
      #expect(session?.sharedTLS?.sharedServerHello?.extensions.count == min(server, 256))
      #expect(session?.evidence.notes.contains { $0.rawValue.hasSuffix("malformed") } == false)
      #expect((session?.evidence.incomplete == .limit) == (beyond > 0))
    }
  }

  @Test func `gaps are abandoned if the held bytes of all connections exceed the limit`() {
    var limits = ObservationLimits()
    limits.heldBytes = 1000
    var player = SegmentPlayer(limits)
    player.play(flags: 2, sequence: 0)
    player.play(Bytes(repeating: 1, count: 900), sequence: 5000)
    #expect(player.tracker.health.abandonedGaps == 0)
    player.play(Bytes(repeating: 1, count: 900), sequence: 9000)
    #expect(player.tracker.health.abandonedGaps >= 1)
  }

  @Test func `a gap is abandoned if the held bytes of one direction exceed the limit`() {
    var player = SegmentPlayer()
    player.play(flags: 2, sequence: 0)
    for index in 0..<2000 { player.play([1], sequence: 100 + 2 * index) }
    #expect(player.tracker.health.abandonedGaps == 0)
    for index in 2000..<3000 { player.play([1], sequence: 100 + 2 * index) }
    #expect(player.tracker.health.abandonedGaps >= 1)
  }

  @Test func `a handshake message beyond the length limit is skipped and counted`() {
    var player = SegmentPlayer()
    player.play(ObservationLimitsTests.hello)
    let length = HandshakeHeader.maximumLength + 1
    let header: Bytes = [11, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    player.play([22, 3, 3] + two(header.count) + header, fromClient: false)
    let sessions = player.sessions()
    #expect(player.tracker.health.oversizedMessages == 1)
    #expect(sessions.first?.evidence.incomplete == .limit)
  }

  @Test func `alerts beyond the limit are omitted`() {
    var player = SegmentPlayer()
    player.play(ObservationLimitsTests.hello)
    let alerts = Bytes(
      repeatElement([21, 3, 3, 0, 2, 1, 90] as Bytes, count: Handshake.maximumAlertCount + 8).joined())
    player.play(alerts, fromClient: false)
    #expect(player.sessions().first?.sharedTLS?.serverAlerts.count == Handshake.maximumAlertCount)
  }

  @Test func `requests for hosts beyond the limit are counted with the last host`() {
    var player = SegmentPlayer()
    var sequence = 1
    for index in 0..<(RequestedHosts.maximumCount + 5) {
      let request = Bytes("GET / HTTP/1.1\r\nHost: h\(index).example\r\n\r\n".utf8)
      player.play(request, sequence: sequence, server: 80)
      sequence += request.count
    }
    let sessions = player.sessions()
    #expect(player.tracker.health.hostsBeyondLimit == 1)
    #expect(sessions.count == RequestedHosts.maximumCount)
    #expect(sessions.last?.http?.requestCount == 6)
  }

  @Test func `requests beyond the limit are counted but not kept`() {
    var player = SegmentPlayer()
    let request = Bytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
    for index in 0..<20 { player.play(request, sequence: 1 + index * request.count, server: 80) }
    let http = player.sessions().first?.http
    #expect(http?.requestCount == 20)
    #expect(http?.requests.count == HTTPFacts.maximumRequests)
  }

  @Test func `servers without a handshake beyond the limit are counted together`() {
    var limits = ObservationLimits()
    limits.serversWithoutHandshake = 2
    var player = SegmentPlayer(limits)
    for server in 0..<5 { player.play(flags: 2, client: 40_000, server: 9000 + server) }
    _ = player.sessions()
    #expect(player.tracker.health.withoutHandshake.count == 2)
    #expect(player.tracker.health.withoutHandshakeElsewhere == 3)
  }

  @Test func `a raw public key is noted and is not a certificate`() {
    var player = SegmentPlayer()
    player.play(ObservationLimitsTests.hello)
    let body: Bytes =
      [3, 3] + Bytes(repeating: 6, count: 32) + [0, 0xC0, 0x2F, 0, 0, 5, 0, 20, 0, 1, 2]
    let messages: Bytes = [2, 0] + two(body.count) + body + [11, 0, 0, 5, 0, 0, 2, 0x30, 0]
    player.play([22, 3, 3] + two(messages.count) + messages, fromClient: false)
    let session = player.sessions().first
    #expect(session?.sharedTLS?.chain == nil)
    #expect(session?.evidence.notes == [.rawPublicKey])
    #expect(session?.evidence.certificates == .notSent)
  }

  @Test(arguments: [(certificate: [0x30, 0] as Bytes, notes: [] as [EvidenceNote]), ([] as Bytes, [.clientCertificateNotSent])])
  func `a client's raw public key is not a certificate, and not an empty message`(certificate: Bytes, notes: [EvidenceNote]) {
    var player = SegmentPlayer()
    player.play(ObservationLimitsTests.hello)
    let body: Bytes =
      [3, 3] + Bytes(repeating: 6, count: 32) + [0, 0xC0, 0x2F, 0, 0, 5, 0, 19, 0, 1, 2]
    let messages: Bytes = [2, 0] + two(body.count) + body + [13, 0, 0, 0, 14, 0, 0, 0]
    player.play([22, 3, 3] + two(messages.count) + messages, fromClient: false)
    let answer: Bytes = [11, 0] + two(3 + certificate.count) + [0] + two(certificate.count) + certificate
    player.play([22, 3, 3] + two(answer.count) + answer, sequence: 1 + ObservationLimitsTests.hello.count)
    let session = player.sessions().first
    #expect(session?.sharedTLS?.clientChain?.certificates.isEmpty != false)
    #expect(session?.evidence.notes == notes)
  }

  @Test func `a hello in pieces of any size begins a session, even without a SYN`() {
    for size in 1...ObservationLimitsTests.hello.count {
      var player = SegmentPlayer()
      for start in stride(from: 0, to: ObservationLimitsTests.hello.count, by: size) {
        let piece = Bytes(ObservationLimitsTests.hello[start..<min(start + size, ObservationLimitsTests.hello.count)])
        player.play(piece, sequence: 1 + start)
      }
      let sessions = player.sessions()
      #expect(sessions.map(\.evidence.clientHello) == [.complete])
    }
  }
}
