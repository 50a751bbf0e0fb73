import ByteParsing
import PacketParsing
import SeededRandom
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// ICMP messages that a server is unreachable.
@Suite struct SessionTrackerUnreachableTests {
  private static let client: Bytes = [192, 0, 2, 2]

  /// An ICMP message that quotes the header of a segment with this sequence number.
  private static func message(
    type: UInt8 = 3, code: UInt8 = 13, sequence: Int = 1001, port: Int = 443, fragmentField: Int = 0x4000,
    number: UInt8 = 6, fromClient: Bool = true
  ) -> Bytes {
    let head: Bytes = [0x45, 0, 0, 60, 0, 0] + two(fragmentField) + [64, number, 0, 0]
    var message: Bytes = [type, code, 0, 0, 0, 0, 0, 0] + head
    message += PacketBuilder.ends(fromClient: fromClient)
    return message + PacketBuilder.ports(server: port, fromClient: fromClient) + four(sequence)
  }

  /// Returns the session of a hello after which a router sends `message`, and the server possibly `answer`.
  private func outcome(
    _ message: Bytes, to receiver: Bytes = client, before answer: Bytes = [], isEarly: Bool = false,
    reset: Bool? = nil
  ) -> ObservedSession? {
    var traffic = TestTraffic(port: 443)
    func report(_ traffic: inout TestTraffic) {
      let packet = PacketBuilder.ethernet(PacketBuilder.ipv4(message, number: 1, ends: [198, 51, 100, 1] + receiver))
      traffic.frame += 1
      traffic.tracker.play(packet, traffic.frame)
    }
    if isEarly { report(&traffic) }
    traffic.say(sampleClientHello, fromClient: true)
    if !isEarly { report(&traffic) }
    if !answer.isEmpty { traffic.say(answer, fromClient: false) }
    if let reset { traffic.reset(fromClient: reset) }
    return traffic.finish().first
  }

  private func report(_ bytes: Bytes, isIPv6: Bool = true) -> ICMPUnreachable? {
    ICMPUnreachable(bytes.span, isIPv6: isIPv6)
  }

  @Test(arguments: [0, 1, 2, 3, 5, 9, 10, 13, 15] as [UInt8])
  func `an ICMP unreachable message that quotes the hello ends the handshake`(code: UInt8) throws {
    let session = try #require(outcome(SessionTrackerUnreachableTests.message(code: code)))
    #expect(session.ending == .unreachable)
    #expect(session.evidence.incomplete == nil)
    #expect(session.evidence.frames[.outcome] == FrameList([5]))
    #expect(session.lastFrame == 5)
  }

  @Test func `a client's reset after the ICMP message is a consequence of it, a server's is not`() {
    #expect(outcome(SessionTrackerUnreachableTests.message(), reset: true)?.ending == .unreachable)
    #expect(outcome(SessionTrackerUnreachableTests.message(), reset: false)?.ending == .reset(by: .server))
  }

  @Test func `an ICMP message before the hello, or followed by a ServerHello, is ignored`() {
    #expect(outcome(SessionTrackerUnreachableTests.message(), before: sampleServerHello)?.ending == .unknown)
    let sealed: Bytes = [23, 3, 3, 0, 64] + Bytes(repeating: 0xA5, count: 64)
    #expect(outcome(SessionTrackerUnreachableTests.message(), before: sampleServerHello + sealed)?.ending == .unknown)
    #expect(outcome(SessionTrackerUnreachableTests.message(), isEarly: true)?.ending == .unknown)
  }

  @Test func `ICMP messages of other types and forged ones are ignored`() {
    typealias T = SessionTrackerUnreachableTests
    let ignored: [Bytes] = [
      // Fragmentation needed, time exceeded, a redirect.
      T.message(code: 4), T.message(type: 11), T.message(type: 5),
      // Sequence numbers that were not sent, another port, a fragment without ports, a UDP datagram.
      T.message(sequence: 1000), T.message(sequence: 1001 + sampleClientHello.count),
      T.message(sequence: 999_999), T.message(port: 444), T.message(fragmentField: 1), T.message(number: 17),
      // About a segment of the server.
      T.message(sequence: 9001, fromClient: false),
    ]
    for message in ignored { #expect(outcome(message)?.ending == .unknown) }
    // To a host other than the sender of the quoted packet.
    #expect(outcome(T.message(), to: [192, 0, 2, 3])?.ending == .unknown)
    // Truncated anywhere.
    let whole = T.message()
    for count in 0..<whole.count { #expect(outcome(Bytes(whole[..<count]))?.ending == .unknown) }
  }

  @Test func `a quoted IPv6 packet is found after extension headers`() throws {
    let ends = hex("20010db8 00000000 00000000 00000002 20010db8 00000000 00000000 00000007")
    let ports = hex("c350 01bb 000003e9")
    func message(_ next: Bytes) -> Bytes {
      hex("01 04 0000 00000000 60000000 0100") + [next[0], 64] + ends + next.dropFirst() + ports
    }
    let plain = message([6])
    let extended = message(
      [0] + hex("3c 00 000000000000") + hex("2c 00 000000000000") + hex("06 00 0000 00000000"))
    for bytes in [plain, extended] {
      let found = try #require(report(bytes))
      #expect(found.isTCP)
      #expect(found.source.port == 50_000)
      #expect(found.destination.port == 443)
      #expect(found.sequence == 1001)
      for count in 0..<bytes.count { #expect(report(Bytes(bytes[..<count])) == nil) }
      #expect(report(bytes, isIPv6: false) == nil)
    }
    // Not the first fragment; packet too big.
    #expect(report(message([44] + hex("06 00 0008 00000000"))) == nil)
    var tooBig = plain
    tooBig[0] = 2
    #expect(report(tooBig) == nil)
  }

  @Test func `random and changed bytes never trap`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      var bytes = SessionTrackerUnreachableTests.message()
      for _ in 0..<random.below(6) { bytes[random.below(bytes.count)] = random.byte() }
      bytes[0] = random.below(2) == 0 ? 1 : 3
      let isIPv6 = random.below(2) == 0
      if let report = report(bytes, isIPv6: isIPv6) { #expect(report.payload.upperBound <= bytes.count) }
    }
  }
}
