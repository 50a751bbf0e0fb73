import ByteParsing
import PacketParsing
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import TLSObservation
@testable import SessionTracking

/// Plays raw IPv4 packets with UDP between a client at 192.0.2.2 and a server at 203.0.113.7.
struct DatagramPlayer: ~Copyable {
  var tracker: SessionTracker
  var seconds: Int64 = 1_700_000_000
  private var frame: UInt64 = 0

  init(_ limits: ObservationLimits = ObservationLimits()) {
    tracker = SessionTracker(file: "test.pcap", limits: limits)
  }

  mutating func play(_ payload: Bytes, fromClient: Bool = true, client: Int = 5000, server: Int = 443) {
    let packet = PacketBuilder.datagram(payload, client: client, server: server, fromClient: fromClient)
    frame += 1
    tracker.play(packet, frame, at: seconds, linkType: 101)
  }

  /// Plays a router's ICMP message that a datagram could not be delivered, with the beginning of the datagram.
  mutating func reportUnreachable(
    _ quoted: Bytes, code: UInt8 = 3, client: Int = 5000, fromClient: Bool = true
  ) {
    let ends = PacketBuilder.ends(fromClient: fromClient)
    let ports = PacketBuilder.ports(client: client, fromClient: fromClient)
    var message: Bytes = [3, code, 0, 0, 0, 0, 0, 0, 0x45, 0, 0, 99, 0, 0, 0, 0, 64, 17, 0, 0] + ends
    message += ports + [0, 79, 0, 0] + quoted
    let packet = PacketBuilder.ipv4(message, number: 1, ends: [198, 51, 100, 1] + ends[0..<4])
    frame += 1
    tracker.play(packet, frame, at: seconds, linkType: 101)
  }

  mutating func sessions() -> [ObservedSession] { tracker.sessions() }
}

/// Messages of DTLS 1.2.
enum Datagrams {
  static func record(_ type: UInt8, _ body: Bytes, epoch: Int = 0) -> Bytes {
    [type, 0xFE, 0xFD] + two(epoch) + [0, 0, 0, 0, 0, 0] + two(body.count) + body
  }

  static func message(_ type: UInt8, _ body: Bytes, sequence: Int, part: Range<Int>? = nil) -> Bytes {
    let part = part ?? 0..<body.count
    var message: Bytes = [type, 0] + two(body.count)
    message += two(sequence) + [0] + two(part.lowerBound)
    message += [0] + two(part.count) + body[part]
    return record(22, message)
  }

  static func clientHello(cookie: Bytes, random: UInt8 = 7) -> Bytes {
    let name: Bytes = [0, 0, 0, 14, 0, 12, 0, 0, 9] + Bytes("dtls.test".utf8)
    let fixed: Bytes =
      [0xFE, 0xFD] + Bytes(repeating: random, count: 32) + [0, UInt8(cookie.count)] + cookie
    return fixed + [0, 2, 0xC0, 0x2F, 1, 0] + two(name.count) + name
  }

  static let serverHello: Bytes =
    [0xFE, 0xFD] + Bytes(repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0, 0, 5, 0xFF, 0x01, 0, 1, 0]
  static let certificate: Bytes = [0, 0, 5, 0, 0, 2, 0x30, 0]
}

@Suite struct SessionTrackerDatagramsTests {
  @Test(arguments: [0, 8, 59, 200])
  func `an ICMP unreachable message that quotes the hello ends the handshake`(quoted: Int) throws {
    var player = DatagramPlayer()
    let hello = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    player.play(hello)
    player.reportUnreachable(Bytes(hello.prefix(quoted)))
    let sessions = player.sessions()
    let session = try #require(sessions.first)
    #expect(session.ending == .unreachable)
    #expect(session.evidence.incomplete == nil)
    #expect(session.lastFrame == 2)
    #expect(session.evidence.frames[.outcome] == FrameList([2]))
  }

  @Test func `an ICMP unreachable message counts only for a sent hello without a ServerHello`() throws {
    let hello = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    let other = Datagrams.message(1, Datagrams.clientHello(cookie: [], random: 8), sequence: 0)
    let answer = Datagrams.message(2, Datagrams.serverHello, sequence: 0)
    let ignored: [(inout DatagramPlayer) -> Void] = [
      // Another hello, a datagram of the server, another port; fragmentation needed; followed by a ServerHello.
      { $0.reportUnreachable(other) },
      { $0.reportUnreachable(hello, fromClient: false) },
      { $0.reportUnreachable(hello, client: 5001) },
      { $0.reportUnreachable(hello, code: 4) },
      {
        $0.reportUnreachable(hello)
        $0.play(answer, fromClient: false)
      },
    ]
    for report in ignored {
      var player = DatagramPlayer()
      player.play(hello)
      report(&player)
      let sessions = player.sessions()
      #expect(try #require(sessions.first).ending != .unreachable)
    }
  }

  @Test(arguments: [true, false])
  func `a hello with another random begins another session between the same ports`(isAnswered: Bool) {
    var player = DatagramPlayer()
    for random: UInt8 in [7, 8] {
      let hello = Datagrams.clientHello(cookie: [], random: random)
      player.play(Datagrams.message(1, hello, sequence: 0))
      player.play(Datagrams.message(1, hello, sequence: 0))
      player.play(Datagrams.message(1, Datagrams.clientHello(cookie: [1], random: random), sequence: 1))
      guard isAnswered else { continue }
      player.play(Datagrams.message(2, Datagrams.serverHello, sequence: 1), fromClient: false)
      let sealed = Datagrams.record(20, [1]) + Datagrams.record(22, Bytes(repeating: 1, count: 48), epoch: 1)
      player.play(sealed)
      player.play(sealed, fromClient: false)
    }
    let sessions = player.sessions()
    #expect(sessions.map(\.firstFrame) == (isAnswered ? [1, 7] : [1, 4]))
    #expect(sessions.allSatisfy { ($0.sharedTLS?.isEstablished == true) == isAnswered })
  }

  @Test func `a complete DTLS handshake is read as one session`() throws {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    player.play(Datagrams.message(3, [0xFE, 0xFF, 2, 1, 2], sequence: 0), fromClient: false)
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: [1, 2]), sequence: 1))
    player.play(
      Datagrams.message(2, Datagrams.serverHello, sequence: 1)
        + Datagrams.message(11, Datagrams.certificate, sequence: 2, part: 3..<8), fromClient: false)
    player.play(Datagrams.message(11, Datagrams.certificate, sequence: 2, part: 0..<3), fromClient: false)
    player.play(Datagrams.message(14, [], sequence: 3), fromClient: false)
    let sealed = Bytes(repeating: 1, count: 48)
    player.play(
      Datagrams.message(16, [1, 2], sequence: 2) + Datagrams.record(20, [1])
        + Datagrams.record(22, sealed, epoch: 1))
    player.play(Datagrams.record(20, [1]) + Datagrams.record(22, sealed, epoch: 1), fromClient: false)
    player.play(Datagrams.record(23, sealed, epoch: 1))
    let sessions = player.sessions()
    #expect(sessions.count == 1)
    let session = try #require(sessions.first)
    #expect(session.application == .dtls)
    #expect(session.transport == .udp)
    #expect(session.serverName == "dtls.test")
    #expect(session.server.port == 443)
    #expect((session.firstFrame, session.lastFrame) == (1, 8))
    let facts = try #require(session.sharedTLS)
    #expect(facts.sharedServerHello?.version == .dtls12)
    #expect(facts.chain?.certificates.count == 1)
    #expect(facts.outcome == .established)
    #expect(facts.sharedOffer?.ja4?.hasPrefix("dd2d010100_") == true)
    #expect(facts.isResumed == false)
    #expect(session.evidence.certificates == .complete)
    #expect(session.evidence.frames[.certificates].numbers == [4, 5])
    #expect(session.evidence.incomplete == nil)
  }

  @Test func `a partial certificate lists the packets that contain its fragments`() throws {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    player.play(Datagrams.message(2, Datagrams.serverHello, sequence: 0), fromClient: false)
    player.play(
      Datagrams.message(11, Datagrams.certificate, sequence: 1, part: 0..<4), fromClient: false)
    player.play(Datagrams.message(14, [], sequence: 3), fromClient: false)
    let session = try #require(player.sessions().first)
    #expect(session.evidence.certificates == .partial)
    #expect(session.evidence.frames[.certificates].numbers == [3])
  }

  /// A tls12_cid record with a connection ID, a length and encrypted content (RFC 9146 §4).
  func sealedWithID(_ count: Int) -> Bytes {
    [25, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 0] + [1, 2, 3, 4] + two(count)
      + Bytes(repeating: 1, count: count)
  }

  @Test(arguments: [(sealed: 49, isEstablished: true), (27, false)])
  func `records with a connection ID finish a handshake, unless they are as short as alerts`(
    sealed: Int, isEstablished: Bool
  ) throws {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    player.play(Datagrams.message(2, Datagrams.serverHello, sequence: 0), fromClient: false)
    player.play(Datagrams.message(11, Datagrams.certificate, sequence: 1), fromClient: false)
    player.play(Datagrams.message(14, [], sequence: 2), fromClient: false)
    player.play(
      Datagrams.message(16, [1, 2], sequence: 1) + Datagrams.record(20, [1]) + sealedWithID(sealed))
    player.play(Datagrams.record(20, [1]) + sealedWithID(sealed), fromClient: false)
    let facts = try #require(player.sessions().first?.sharedTLS)
    #expect(facts.isEstablished == isEstablished)
  }

  @Test func `an alert refuses a handshake, silence leaves it incomplete`() {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    player.play(Datagrams.record(21, [2, 40]), fromClient: false)
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0), client: 6000)
    let sessions = player.sessions()
    #expect(sessions.map { $0.sharedTLS?.outcome } == [.refusedByServer, .incomplete])
    #expect(sessions.map(\.evidence.incomplete) == [nil, .oneDirection])
  }

  @Test func `datagrams that are not DTLS yield no session`() {
    var player = DatagramPlayer()
    player.play([22, 3, 3, 0, 40])
    player.play(Bytes(repeating: 0xFF, count: 50))
    player.play([])
    #expect(player.sessions().isEmpty)
  }

  @Test func `DTLS handshakes beyond the limit evict the oldest ones`() {
    var player = DatagramPlayer()
    let hello = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    let count = DatagramConversations.maximumCount + 3
    for index in 0..<count { player.play(hello, client: 20_000 + index) }
    #expect(player.tracker.health.evictedConnections >= 3)
    let sessions = player.sessions()
    #expect(sessions.count == count)
    #expect(
      sessions.filter { $0.evidence.incomplete == .limit || $0.evidence.incomplete == .oneDirection }.count
        == count)
  }

  /// The session of a complete handshake in which these datagrams of the server's first flight are missing.
  private static func session(losing lost: Set<Int>) throws -> ObservedSession {
    try session(sending: (0..<5).filter { !lost.contains($0) })
  }

  /// The session of a complete handshake with these datagrams of the server's first flight, in this order. `doneNumber` is the message
  /// number of its ServerHelloDone.
  private static func session(sending order: [Int], doneNumber: Int = 3) throws -> ObservedSession {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    let exchange: Bytes = [3, 0, 29, 32] + Bytes(repeating: 5, count: 32) + [8, 4, 0, 2, 1, 1]
    let flight = [
      Datagrams.message(2, Datagrams.serverHello, sequence: 0),
      Datagrams.message(11, Datagrams.certificate, sequence: 1),
      Datagrams.message(12, exchange, sequence: 2, part: 0..<20),
      Datagrams.message(12, exchange, sequence: 2, part: 20..<exchange.count),
      Datagrams.message(14, [], sequence: doneNumber),
    ]
    for index in order { player.play(flight[index], fromClient: false) }
    let sealed = Bytes(repeating: 1, count: 48)
    let end = Datagrams.record(20, [1]) + Datagrams.record(22, sealed, epoch: 1)
    player.play(Datagrams.message(16, [1, 2], sequence: 1) + end)
    player.play(end, fromClient: false)
    return try #require(player.sessions().first)
  }

  @Test func `messages in missing datagrams of a flight are not reported as not sent`() throws {
    let whole = try Self.session(losing: [])
    #expect(whole.evidence.serverKeyExchange == .complete)
    #expect(whole.evidence.incomplete == nil)
    for (lost, exchange) in [
      ([2], .partial), ([3], .partial), ([2, 3], .missing), ([2, 3, 4], .missing), ([1], .complete),
    ] as [(Set<Int>, Evidence.State)] {
      let session = try Self.session(losing: lost)
      #expect(session.evidence.serverKeyExchange == exchange)
      #expect(session.evidence.certificates == (lost == [1] ? .missing : .complete))
      #expect(session.evidence.incomplete == .loss)
      #expect(session.sharedTLS?.isEstablished == true)
    }
    let withoutHello = try Self.session(losing: [0])
    #expect(withoutHello.evidence.serverHello == .missing)
    #expect(withoutHello.evidence.incomplete == .loss)
  }

  @Test func `the absence of a CertificateRequest is unknown if the message before the ServerHelloDone is missing`() throws {
    for (number, isRequested) in [(3, false), (4, nil)] as [(Int, Bool?)] {
      let session = try Self.session(sending: Array(0..<5), doneNumber: number)
      #expect(session.sharedTLS?.isEstablished == true)
      #expect(session.evidence.incomplete == nil)
      #expect(session.sharedTLS?.requestsClientCertificate(session.evidence) == isRequested)
    }
  }

  @Test func `the client's certificate after its truncated hello is not the server's`() throws {
    var player = DatagramPlayer()
    player.play(Bytes(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0).dropLast(20)))
    player.play(Datagrams.message(11, Datagrams.certificate, sequence: 1) + Datagrams.message(16, [1, 2], sequence: 2))
    let session = try #require(player.sessions().first)
    #expect(session.client.port == 5000)
    #expect(session.sharedTLS?.chain == nil)
    #expect(session.sharedTLS?.clientChain?.certificates.count == 1)
  }

  @Test func `a ServerKeyExchange captured before the ServerHello is read after it`() throws {
    let inOrder = try Self.session(losing: [])
    let exchange = try #require(inOrder.sharedTLS?.serverKeyExchange)
    for order in [[2, 3, 0, 1, 4], [3, 2, 1, 0, 4], [4, 3, 2, 1, 0]] {
      let session = try Self.session(sending: order)
      #expect(session.evidence.serverKeyExchange == .complete)
      #expect(session.sharedTLS?.serverKeyExchange == exchange)
      #expect(session.sharedTLS?.group == inOrder.sharedTLS?.group)
      #expect(session.evidence.incomplete == nil)
    }
  }

  @Test func `datagrams of connections without a hello are counted`() throws {
    var player = DatagramPlayer()
    let sealed = Bytes(repeating: 1, count: 48)
    player.play(Datagrams.message(12, sealed, sequence: 3), fromClient: false)
    player.play(Datagrams.record(20, [1]) + Datagrams.record(22, sealed, epoch: 1))
    player.play(Datagrams.record(23, sealed, epoch: 1))
    player.play(sealedWithID(30))
    // Shorter or longer than their headers indicate, of another version, or not DTLS.
    player.play(Bytes(Datagrams.record(23, sealed, epoch: 1).dropLast()))
    player.play(Datagrams.record(23, sealed, epoch: 1) + [0])
    player.play([22, 3, 3, 0, 2, 1, 1])
    player.play(Bytes(repeating: 22, count: 60))
    #expect(player.tracker.health.dtlsOfUnknownConnections == 4)
    #expect(player.sessions().isEmpty)
  }

  @Test func `QUIC handshakes inside SOCKS are counted, and datagrams that resemble them are not`() throws {
    let packet: Bytes = [0xC3, 0, 0, 0, 1, 8] + Bytes(repeating: 7, count: 8) + [0, 0, 0x44, 0x9E] + Bytes(repeating: 9, count: 1182)
    let name = Bytes("example.com".utf8)
    let v4: Bytes = [0, 0, 0, 1, 203, 0, 113, 7, 1, 0xBB]
    let named: Bytes = [0, 0, 0, 3, UInt8(name.count)] + name + [1, 0xBB]
    let v6: Bytes = [0, 0, 0, 4] + Bytes(repeating: 1, count: 16) + [1, 0xBB]
    var player = DatagramPlayer()
    for header in [v4, named, v6] { player.play(header + packet, server: 1080) }
    #expect(player.tracker.health.quicInSOCKS == 3)
    var (fragment, kind, otherVersion, short) = (v4 + packet, v4 + packet, v4 + packet, v4 + packet)
    fragment[2] = 1
    kind[3] = 2
    otherVersion[14] = 9
    short[10] = 0x43
    let truncated = (0..<15).map { Bytes((v4 + packet).prefix($0)) }
    let others: [Bytes] = [fragment, kind, otherVersion, short, [0, 0, 0, 3, 0xFF, 0xC3], [0, 0, 0, 3]] + truncated
    for datagram in others { player.play(datagram, server: 1080) }
    #expect(player.tracker.health.quicInSOCKS == 3)
    #expect(player.sessions().isEmpty)
  }

  @Test func `first packets of OpenVPN are counted, and packets that resemble them are not`() throws {
    let session = hex("c7b9d65a 721720ec")
    let stamp = hex("00000001") + hex(String(1_700_000_000 - 90, radix: 16))
    let digest = Bytes(repeating: 0xD1, count: 32)
    let zero = Bytes(repeating: 0, count: 5)
    let first: [Bytes] = [
      [0x38] + session + zero, [0x38] + session + digest + stamp + zero,
      [0x38] + session + stamp + digest + Bytes(repeating: 0xE0, count: 5),
      [0x50] + session + stamp + digest + Bytes(repeating: 0xE0, count: 35) + [0, 32],
    ]
    let others: [Bytes] = [
      // Responses, data, other lengths, another packet ID, a wrong time, a session ID that is not random.
      [0x40] + session + [1, 0, 0, 0, 0] + session + [0, 0, 0, 0], [0x30] + session + zero,
      [0x38] + session + zero + [0], [0x38] + session + [0, 0, 0, 0, 1],
      [0x38] + session + digest + hex("00000001 00000001") + zero,
      [0x38] + session + digest + hex("00000002") + stamp.suffix(4) + zero,
      [0x38] + Bytes(repeating: 1, count: 8) + zero, [0x38, 1, 2, 3], [0x50] + session + zero,
    ]
    var player = DatagramPlayer()
    for datagram in first { player.play(datagram, server: 1194) }
    let counted = player.tracker.health.openVPNBeginnings
    #expect(counted == UInt64(first.count))
    for datagram in others { player.play(datagram, server: 1194) }
    #expect(player.tracker.health.openVPNBeginnings == counted)
    #expect(player.sessions().isEmpty)
  }

  @Test func `beginnings of WireGuard handshakes are counted, and other datagrams are not`() {
    let random = Bytes((0..<144).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) })
    let initiation: Bytes = [1, 0, 0, 0] + random
    var player = DatagramPlayer()
    player.play(initiation, server: 51820)
    // A response, data, and a reserved byte.
    for first in [[2, 0, 0, 0], [4, 0, 0, 0], [1, 0, 0, 1]] as [Bytes] { player.play(first + random, server: 51820) }
    // Other lengths, and a key that is not random.
    for count in [1, 147, 149] { player.play(Bytes((initiation + [0]).prefix(count)), server: 51820) }
    player.play(Bytes([1, 0, 0, 0]) + Bytes(repeating: 7, count: 144), server: 51820)
    #expect(player.tracker.health.wireGuardBeginnings == 1)
    #expect(player.sessions().isEmpty)
  }

  @Test func `hellos of DTLS that TURN relays are counted, and other relayed datagrams are not`() {
    let hello = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    let other = Datagrams.record(23, Bytes(repeating: 1, count: 48), epoch: 1)
    func channel(_ data: Bytes, padding: Int = 0) -> Bytes { [0x40, 1] + two(data.count) + data + Bytes(repeating: 0, count: padding) }
    func indication(_ type: UInt8, _ data: Bytes) -> Bytes {
      let attributes: Bytes = hex("0012 0008 0001 1f90 2b10a44a 0013") + two(data.count) + data
      return [0, type] + two(attributes.count) + hex("2112a442") + Bytes(repeating: 7, count: 12) + attributes
    }
    var player = DatagramPlayer()
    for datagram in [channel(hello), channel(hello, padding: 3), indication(0x16, hello), indication(0x17, hello)] {
      player.play(datagram, server: 3478)
    }
    let others: [Bytes] = [
      channel(other), channel(hello, padding: 4), indication(0x16, other), indication(0x01, hello), channel([]), [0], [0x40],
    ]
    for datagram in others { player.play(datagram, server: 3478) }
    #expect(player.tracker.health.dtlsInTURN == 4)
    #expect(player.sessions().isEmpty)
  }

  @Test func `RADIUS requests that begin TLS in EAP are counted, and others are not`() {
    func request(_ message: Bytes, code: UInt8 = 1, extra: Int = 0) -> Bytes {
      let attributes: Bytes = [1, 5, 0x62, 0x6F, 0x62, 79, UInt8(message.count + 2)] + message
      return [code, 7] + two(20 + attributes.count + extra) + Bytes(repeating: 9, count: 16) + attributes
    }
    let hello = hex("16 0301 00c8 01 0000c4 0303")
    let first: [Bytes] = [
      hex("02 01 00d4 0d 00") + hello, hex("02 01 00d8 0d 80 000000cd") + hello, hex("02 01 00d4 19 01") + hello,
    ]
    let others: [Bytes] = [
      // An identity, a later fragment, a method without TLS, a request, a ServerHello.
      hex("02 01 0008 01 626f62"), hex("02 01 00d4 0d 00 1122334455667788"), hex("02 01 00d4 04 00") + hello,
      hex("01 01 00d4 0d 00") + hello, hex("02 01 00d4 0d 00 16 0301 00c8 02 0000c4"), hex("02 01 00d4 0d"), [],
    ]
    var player = DatagramPlayer()
    for message in first { player.play(request(message), server: 1812) }
    for message in others { player.play(request(message), server: 1812) }
    for message in first { player.play(request(message, code: 11), server: 1812) }
    for message in first { player.play(request(message, extra: 1), server: 1812) }
    player.play([1, 7, 0, 23] + Bytes(repeating: 9, count: 16) + [79, 0, 0], server: 1812)
    #expect(player.tracker.health.eapBeginnings == 3)
    #expect(player.sessions().isEmpty)
  }

  @Test func `records after a handshake belong to a known connection`() throws {
    var player = DatagramPlayer()
    player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0))
    player.play(Datagrams.record(21, [2, 40]), fromClient: false)
    for _ in 0..<10 {
      player.seconds += 300
      player.play(Datagrams.record(23, Bytes(repeating: 1, count: 48), epoch: 1))
      player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0), client: 6000)
    }
    #expect(player.tracker.health.dtlsOfUnknownConnections == 0)
  }

  @Test func `names from DNS are hints for a session without a server name`() throws {
    var player = DatagramPlayer()
    // A DNS response that maps a.example to 203.0.113.7.
    let answer: Bytes =
      [0, 1, 0x81, 0x80, 0, 0, 0, 1, 0, 0, 0, 0] + [1, 0x61, 7] + Bytes("example".utf8)
      + [0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]
    player.play(answer, fromClient: false, server: 53)
    var hello = Datagrams.clientHello(cookie: [])
    hello.removeLast(20)  // The extensions, including server_name.
    player.play(Datagrams.message(1, hello, sequence: 0))
    let session = try #require(player.sessions().first)
    #expect(session.serverNameSource == .address)
    #expect(session.nameHints == [NameHint(name: "a.example", source: .dns, frame: 1)])
  }
}
