import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Connections with the same endpoints in separate networks, and packets mirrored in two networks.
@Suite struct SessionTrackerChoiceTests {
  /// A connection between the endpoints that all of these have.
  struct Line: Sendable {
    var name: UInt8
    /// The VLAN tag of each direction; nil for untagged packets.
    var clientTag: Int?
    var serverTag: Int?
    var clientStart: UInt32
    var serverStart: UInt32

    var hello: Bytes {
      var bytes = sampleClientHello
      for index in 11..<43 { bytes[index] = name }
      return bytes
    }

    let sealed: Bytes = [23, 3, 3, 0, 64] + Bytes(repeating: 0xA5, count: 64)

    var answer: Bytes {
      var bytes = sampleServerHello
      for index in 11..<43 { bytes[index] = name }
      return bytes
    }

    /// The packets of the handshake, with placeholders for its encrypted records.
    func packets(withSYN: Bool = true) -> [Bytes] {
      let client = clientStart &+ 1
      let server = serverStart &+ 1
      let opening = [
        segment(2, clientStart, 0, fromClient: true), segment(0x12, serverStart, client, fromClient: false),
        segment(0x10, client, server, fromClient: true),
      ]
      let asked = client &+ UInt32(hello.count)
      let answered = server &+ UInt32(answer.count)
      return (withSYN ? opening : []) + [
        segment(0x18, client, server, hello, fromClient: true),
        segment(0x18, server, asked, answer, fromClient: false),
        segment(0x18, answered, asked, sealed, fromClient: false),
        segment(0x18, asked, answered &+ 69, sealed + sealed, fromClient: true),
        segment(0x18, answered &+ 69, asked &+ 138, sealed, fromClient: false),
      ]
    }

    func segment(
      _ flags: UInt8, _ sequence: UInt32, _ acknowledgment: UInt32, _ payload: Bytes = [], fromClient: Bool
    ) -> Bytes {
      let ends: Bytes = fromClient ? [10, 0, 0, 2, 10, 0, 0, 1] : [10, 0, 0, 1, 10, 0, 0, 2]
      let tag = fromClient ? clientTag : serverTag
      let segment = PacketBuilder.tcp(
        payload, ports: PacketBuilder.ports(fromClient: fromClient), sequence: Int(sequence), acknowledgment: Int(acknowledgment),
        flags: flags)
      return PacketBuilder.ethernet(PacketBuilder.ipv4(segment, ends: ends), tags: tag.map { [(0x8100, $0)] } ?? [])
    }
  }

  private static func read(_ packets: [Bytes]) -> (sessions: [ObservedSession], health: ObservationHealth) {
    var tracker = SessionTracker(file: "test")
    for (index, packet) in packets.enumerated() { tracker.play(packet, UInt64(index + 1)) }
    return (tracker.sessions(), tracker.health)
  }

  /// Returns the first bytes of each session's client random and server random.
  private static func pairs(_ sessions: [ObservedSession]) -> [[UInt8?]] {
    sessions.map { [$0.sharedTLS?.clientRandom.first, $0.sharedTLS?.serverRandom.first] }.sorted {
      ($0[0] ?? 0) < ($1[0] ?? 0)
    }
  }

  private static func alternating(_ a: [Bytes], _ b: [Bytes]) -> [Bytes] {
    (0..<max(a.count, b.count)).flatMap { index in [a, b].compactMap { index < $0.count ? $0[index] : nil } }
  }

  static let one = Line(
    name: 1, clientTag: 10, serverTag: 10, clientStart: 1_000_000_000, serverStart: 4_294_967_290)

  /// Other connections between the same endpoints: in another network, with a tag for each direction, without tags, in the same
  /// network, and with the same sequence numbers.
  static let others: [Line] = [
    Line(name: 2, clientTag: 20, serverTag: 20, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 20, serverTag: 21, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: nil, serverTag: nil, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 10, serverTag: 10, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 20, serverTag: 20, clientStart: 1_000_000_000, serverStart: 4_294_967_290),
  ]

  @Test(arguments: others, [false, true])
  func `connections with the same endpoints are distinguished when their packets alternate`(
    other: Line, otherFirst: Bool
  ) {
    let (a, b) = otherFirst ? (other, Self.one) : (Self.one, other)
    var mixed = Self.alternating(a.packets(), b.packets())
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
    // Two packets in the other order.
    let later = mixed.count / 2
    mixed.swapAt(later + 1, later + 2)
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
    #expect(Self.read(mixed).health.connectionsWithSameEndpoints == 1)
  }

  @Test(arguments: others.prefix(4))
  func `connections with the same endpoints are distinguished without their SYNs`(other: Line) {
    let mixed = Self.alternating(Self.one.packets(withSYN: false), other.packets(withSYN: false))
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
  }

  @Test func `equal sequence numbers and a tag for each direction leave a ServerHello unassigned`() {
    var first = Self.one
    first.serverTag = 11
    var second = first
    (second.name, second.clientTag, second.serverTag) = (2, 20, 21)
    let (sessions, health) = Self.read(Self.alternating(first.packets(), second.packets()))
    #expect(Self.pairs(sessions) == [[1, nil], [2, nil]])
    #expect(sessions.allSatisfy { $0.evidence.serverHello != .complete })
    #expect(health.unassignedSegments > 0)
  }

  @Test func `a packet mirrored in two networks is read once`() {
    var mirror = Self.one
    for (clientTag, serverTag) in [(20, 20), (20, nil), (nil, nil), (11, 12)] as [(Int?, Int?)] {
      (mirror.clientTag, mirror.serverTag) = (clientTag, serverTag)
      let (sessions, health) = Self.read(Self.alternating(Self.one.packets(), mirror.packets()))
      #expect(Self.pairs(sessions) == [[1, 1]])
      #expect(health.connectionsWithSameEndpoints == 0)
      #expect(health.unassignedSegments == 0)
    }
  }

  @Test func `later packets of a connection do not affect another one with the same endpoints`() {
    let other = Self.others[0]
    let done = Self.one.packets()
    var late: [Bytes] = []
    var sequence = Self.one.clientStart &+ 1 &+ UInt32(Self.one.hello.count) &+ 138
    for _ in 0..<6 {
      late.append(Self.one.segment(0x18, sequence, 1000, Self.one.sealed, fromClient: true))
      sequence &+= 69
    }
    // A FIN and a RST of one connection must not end the other.
    late.insert(Self.one.segment(0x11, sequence, 1000, fromClient: true), at: 3)
    late.insert(Self.one.segment(0x14, sequence, 1000, fromClient: true), at: 5)
    let (sessions, health) = Self.read(done + Self.alternating(late, other.packets()))
    #expect(Self.pairs(sessions) == [[1, 1], [2, 2]])
    #expect(sessions.allSatisfy { $0.evidence.missingBytes == 0 })
    #expect(health.unassignedSegments == 0)
  }

  @Test func `a hello after a handshake is a copy if it is equal, and another session if not`() {
    let packets = Self.one.packets()
    var other = Self.one
    other.name = 3
    (other.clientStart, other.serverStart) = (5, 6)
    #expect(Self.pairs(Self.read(packets + packets.dropFirst(3)).sessions) == [[1, 1]])
    #expect(
      Self.pairs(Self.read(packets + other.packets(withSYN: false)).sessions) == [[1, 1], [3, 3]])
  }

  @Test(arguments: [1, 4, 14, 15, 100])
  func `a hello in two records after a handshake is a copy if it is equal, and another session if not`(count: Int) {
    func hello(of line: Line) -> Bytes {
      let message = line.hello.dropFirst(5)
      var records: Bytes = []
      for part in [message.prefix(count), message.dropFirst(count)] {
        records += [22, 3, 1, 0, UInt8(part.count)]
        records += part
      }
      return records
    }
    for second in [Self.one, Self.others[0]] {
      var traffic = TestTraffic(port: 443, clientSays: hello(of: Self.one))
      traffic.say(sampleServerHello + Self.one.sealed, fromClient: false)
      traffic.say(Self.one.sealed, fromClient: true)
      traffic.rewind(hello(of: Self.one).count + Self.one.sealed.count, fromClient: true)
      traffic.say(hello(of: second), fromClient: true)
      #expect(traffic.finish().count == (second.name == Self.one.name ? 1 : 2))
    }
  }

  @Test func `connections between the same endpoints are kept up to the limit`() {
    var packets = Self.one.packets().prefix(4)[...]
    for start in 1...40 {
      packets.append(
        Self.one.segment(2, UInt32(start) &* 0x0765_4321, 0, fromClient: true))
    }
    // The connection with data is kept.
    packets += Self.one.packets().dropFirst(4)
    let (sessions, health) = Self.read(Array(packets))
    #expect(Self.pairs(sessions) == [[1, 1]])
    #expect(health.evictedConnections == 0)
    #expect(health.connectionsWithSameEndpoints == 40)
  }
}
