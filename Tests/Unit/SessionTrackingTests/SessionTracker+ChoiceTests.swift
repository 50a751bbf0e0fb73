import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Networks that are kept apart use the same addresses and ports, and mirrors show one packet in two networks.
@Suite struct SessionTrackerChoiceTests {
  /// A connection between the ends that all of these have.
  struct Line: Sendable {
    var name: UInt8
    /// The tags of each direction; none for packets without a tag.
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

    /// The packets of the handshake as far as it is in the clear.
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
      func two(_ value: Int) -> Bytes { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
      func four(_ value: UInt32) -> Bytes { two(Int(value >> 16)) + two(Int(value & 0xFFFF)) }
      let ends: [Bytes] = [[10, 0, 0, 2], [10, 0, 0, 1]]
      let ports = fromClient ? two(50_000) + two(443) : two(443) + two(50_000)
      let tag = fromClient ? clientTag : serverTag
      var packet = Bytes(repeating: 2, count: 12)
      if let tag { packet += [0x81, 0] + two(tag) }
      packet += [8, 0, 0x45, 0] + two(40 + payload.count) + [0, 0, 0, 0, 64, 6, 0, 0]
      packet += fromClient ? ends[0] + ends[1] : ends[1] + ends[0]
      return packet + ports + four(sequence) + four(acknowledgment) + [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
        + payload
    }
  }

  private static func read(_ packets: [Bytes]) -> (sessions: [ObservedSession], health: ObservationHealth) {
    var tracker = SessionTracker(file: "test")
    for (index, packet) in packets.enumerated() {
      tracker.process(
        packet.span, linkType: 1, originalLength: packet.count,
        at: PacketReference(frame: UInt64(index + 1), time: Timestamp(seconds: 1_700_000_000)))
    }
    tracker.finish()
    return (Array(tracker.finished), tracker.health)
  }

  /// Each session's randoms of both ends, by their first byte.
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

  /// Others between the same ends: in another network, in networks with a tag for each direction, without tags, and with the
  /// same numbers.
  static let others: [Line] = [
    Line(name: 2, clientTag: 20, serverTag: 20, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 20, serverTag: 21, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: nil, serverTag: nil, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 10, serverTag: 10, clientStart: 77, serverStart: 3_000_000_000),
    Line(name: 2, clientTag: 20, serverTag: 20, clientStart: 1_000_000_000, serverStart: 4_294_967_290),
  ]

  @Test(arguments: others, [false, true])
  func `connections with equal ends are told apart, however their packets alternate`(
    other: Line, otherFirst: Bool
  ) {
    let (a, b) = otherFirst ? (other, Self.one) : (Self.one, other)
    var mixed = Self.alternating(a.packets(), b.packets())
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
    // Answers in the other order.
    let later = mixed.count / 2
    mixed.swapAt(later + 1, later + 2)
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
    #expect(Self.read(mixed).health.connectionsWithSameEnds == 1)
  }

  @Test(arguments: others.prefix(4))
  func `connections with equal ends are told apart without their beginnings`(other: Line) {
    let mixed = Self.alternating(Self.one.packets(withSYN: false), other.packets(withSYN: false))
    #expect(Self.pairs(Self.read(mixed).sessions) == [[1, 1], [2, 2]])
  }

  @Test func `numbers that are equal and directions that are not leave open whose an answer is`() {
    var first = Self.one
    first.serverTag = 11
    var second = first
    (second.name, second.clientTag, second.serverTag) = (2, 20, 21)
    let (sessions, health) = Self.read(Self.alternating(first.packets(), second.packets()))
    #expect(Self.pairs(sessions) == [[1, nil], [2, nil]])
    #expect(sessions.allSatisfy { $0.evidence.serverHello != .complete })
    #expect(health.strayedSegments > 0)
  }

  @Test func `a packet that is mirrored in two networks is one`() {
    var mirror = Self.one
    for (clientTag, serverTag) in [(20, 20), (20, nil), (nil, nil), (11, 12)] as [(Int?, Int?)] {
      (mirror.clientTag, mirror.serverTag) = (clientTag, serverTag)
      let (sessions, health) = Self.read(Self.alternating(Self.one.packets(), mirror.packets()))
      #expect(Self.pairs(sessions) == [[1, 1]])
      #expect(health.connectionsWithSameEnds == 0)
      #expect(health.strayedSegments == 0)
    }
  }

  @Test func `what goes on in a connection after its handshake is nothing to another one`() {
    let other = Self.others[0]
    let done = Self.one.packets()
    var late: [Bytes] = []
    var sequence = Self.one.clientStart &+ 1 &+ UInt32(Self.one.hello.count) &+ 138
    for _ in 0..<6 {
      late.append(Self.one.segment(0x18, sequence, 1000, Self.one.sealed, fromClient: true))
      sequence &+= 69
    }
    // A FIN and a RST of the one must not end the other.
    late.insert(Self.one.segment(0x11, sequence, 1000, fromClient: true), at: 3)
    late.insert(Self.one.segment(0x14, sequence, 1000, fromClient: true), at: 5)
    let (sessions, health) = Self.read(done + Self.alternating(late, other.packets()))
    #expect(Self.pairs(sessions) == [[1, 1], [2, 2]])
    #expect(sessions.allSatisfy { $0.evidence.missingBytes == 0 })
    #expect(health.strayedSegments == 0)
  }

  @Test func `a hello behind a handshake is a copy, or another session if it is another hello`() {
    let packets = Self.one.packets()
    var other = Self.one
    other.name = 3
    (other.clientStart, other.serverStart) = (5, 6)
    #expect(Self.pairs(Self.read(packets + packets.dropFirst(3)).sessions) == [[1, 1]])
    #expect(
      Self.pairs(Self.read(packets + other.packets(withSYN: false)).sessions) == [[1, 1], [3, 3]])
  }

  @Test func `no more connections between the same ends are held than the limit says`() {
    var packets = Self.one.packets().prefix(4)[...]
    for start in 1...40 {
      packets.append(
        Self.one.segment(2, UInt32(start) &* 0x0765_4321, 0, fromClient: true))
    }
    // The one that has said something stays.
    packets += Self.one.packets().dropFirst(4)
    let (sessions, health) = Self.read(Array(packets))
    #expect(Self.pairs(sessions) == [[1, 1]])
    #expect(health.evictedConnections == 0)
    #expect(health.connectionsWithSameEnds == 40)
  }
}
