import DequeModule
import ByteParsing
import PacketParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Packets of TCP and UDP in IP fragments.
@Suite struct SessionTrackerFragmentsTests {
  /// Plays IPv4 packets between 192.0.2.2 and 203.0.113.7.
  struct Player: ~Copyable {
    var tracker = SessionTracker(file: "test")
    private var frame: UInt64 = 0
    /// The capture time of the next packet.
    var seconds: Int64 = 1_700_000_000

    /// Plays a segment or datagram with its header: each of `parts` in a fragment, or the whole if there are none.
    mutating func play(
      _ payload: Bytes, of protocolNumber: UInt8 = 6, identification: Int = 9, parts: [Range<Int>] = [],
      fromClient: Bool = true
    ) {
      for part in parts.isEmpty ? [payload.indices] : parts {
        frame += 1
        let hasMore = part.upperBound < payload.count
        let fragmentField = part.lowerBound / 8 | (hasMore ? 0x2000 : 0)
        let packet = PacketBuilder.ethernet(
          PacketBuilder.ipv4(
            Bytes(payload[part]), number: protocolNumber, ends: PacketBuilder.ends(fromClient: fromClient), identification: identification,
            fragment: fragmentField))
        tracker.play(packet, frame, at: seconds)
      }
    }

    /// Ends the capture and returns its sessions.
    mutating func sessions() -> [ObservedSession] { tracker.sessions() }
  }

  static func segment(
    _ bytes: Bytes, port: Int = 50_000, sequence: Int = 1000, flags: UInt8 = 0x18
  ) -> Bytes {
    PacketBuilder.tcp(bytes, ports: PacketBuilder.ports(client: port), sequence: sequence, acknowledgment: 9000, flags: flags)
  }

  @Test func `a fragment that disagrees with others is recorded with its frame`() {
    var hello = Self.segment(sampleClientHello)
    var player = Player()
    player.play(hello, parts: [0..<80])
    hello[100] ^= 1
    player.play(hello, parts: [80..<120])
    hello[100] ^= 1
    player.play(hello, parts: [96..<hello.count])
    let session = player.sessions().first
    #expect(session?.evidence.clientHello == .complete)
    #expect(session?.evidence.notes.contains(.ipFragmentsDisagree) == true)
    #expect(session?.evidence.disagreements.numbers == [3])
    #expect(player.tracker.health.disagreeingFragmentBytes == 1)
  }

  @Test func `a disagreeing fragment of an incomplete packet is recorded only for its own session`() {
    let hello = Self.segment(sampleClientHello)
    var other = hello
    other[100] ^= 1
    var player = Player()
    player.play(hello, parts: [0..<120])
    player.play(other, parts: [80..<120])
    player.play(Self.segment(sampleClientHello, port: 50_001))
    let sessions = player.sessions()
    #expect(sessions.count == 2)
    for session in sessions {
      #expect(session.evidence.disagreements.numbers == (session.client.port == 50_000 ? [2] : []))
    }
  }

  @Test func `a disagreeing fragment of a DTLS datagram is recorded with its frame`() {
    let message = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    var datagram = PacketBuilder.udp(message, ports: PacketBuilder.ports(client: 5000, server: 4433))
    var player = Player()
    player.play(datagram, of: 17, parts: [0..<24])
    datagram[16] ^= 1
    player.play(datagram, of: 17, parts: [0..<24, 24..<datagram.count])
    let session = player.sessions().first
    #expect(session?.application == .dtls)
    #expect(session?.evidence.disagreements.numbers == [2])
  }

  @Test func `a session whose first segment lacks a fragment keeps its position in the order of sessions`() {
    let hello = Self.segment(sampleClientHello)
    var player = Player()
    player.play(hello, parts: [0..<120])
    player.play(Self.segment(sampleClientHello, port: 50_001))
    player.play(Self.segment([], port: 50_001, sequence: 1000 + sampleClientHello.count, flags: 0x14))
    let early = player.tracker.finished.count
    #expect(early == 0)
    let sessions = player.sessions()
    #expect(sessions.map(\.client.port) == [50_000, 50_001])
    #expect(sessions.map(\.firstFrame) == [1, 2])
    #expect(player.tracker.fragmentTurns.isEmpty)
  }

  @Test func `a session keeps its position if the last fragment of its first segment arrives first`() {
    let hello = Self.segment(sampleClientHello)
    var player = Player()
    player.play(hello, parts: [160..<hello.count])
    player.play(Self.segment(sampleClientHello, port: 50_001))
    player.play(Self.segment([], port: 50_001, sequence: 1000 + sampleClientHello.count, flags: 0x14))
    player.play(hello, parts: [0..<120])
    let sessions = player.sessions()
    #expect(sessions.map(\.client.port) == [50_000, 50_001])
    #expect(sessions.map(\.firstFrame) == [1, 2])
    #expect(player.tracker.fragmentTurns.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a segment whose first fragment never arrives delays later sessions for a limited time`(isFragment: Bool) {
    let hello = Self.segment(sampleClientHello)
    var player = Player()
    player.play(hello, parts: [160..<hello.count])
    player.play(Self.segment(sampleClientHello, port: 50_001))
    player.play(Self.segment([], port: 50_001, sequence: 1000 + sampleClientHello.count, flags: 0x14))
    let early = player.tracker.finished.count
    #expect(early == 0)
    player.seconds += 61
    if isFragment {
      player.play(hello, identification: 10, parts: [0..<120])
    } else {
      player.play(Self.segment(sampleClientHello, port: 50_002))
    }
    let later = player.tracker.finished.map(\.firstFrame)
    #expect(later == [2])
    let sessions = player.sessions()
    #expect(sessions.map(\.firstFrame) == [2, 4])
    #expect(player.tracker.fragmentTurns.isEmpty)
  }

  @Test func `a segment that becomes complete does not delay later sessions`() {
    let hello = Self.segment(sampleClientHello, port: 50_001)
    var player = Player()
    player.play(hello, parts: [0..<120, 0..<120])
    let waiting = player.tracker.fragmentTurns.count
    #expect(waiting == 1)
    player.play(hello, parts: [120..<hello.count])
    player.play(Self.segment([], port: 50_001, sequence: 1000 + sampleClientHello.count, flags: 0x14))
    let early = player.tracker.finished.map(\.firstFrame)
    #expect(early == [3])
  }

  @Test func `the packets of an 802_11 aggregate in a fragmented tunnel are read`() {
    // CAPWAP, and an A-MSDU in it.
    var frame: Bytes = [0, 0x10, 3, 0, 0, 0, 0, 0, 0x88, 0x01, 0, 0] + Bytes(repeating: 2, count: 18)
    frame += [0, 0, 0x80, 0]
    for port in [50_000, 50_001] {
      let segment = Self.segment(sampleClientHello, port: port)
      var packet: Bytes = [0x45, 0] + two(20 + segment.count)
      packet += [0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 2, 2, 203, 0, 113, 7]
      packet += segment
      frame += Bytes(repeating: 2, count: 12) + two(8 + packet.count)
      frame += [0xAA, 0xAA, 3, 0, 0, 0, 8, 0] + packet
      frame += Bytes(repeating: 0, count: -(14 + 8 + packet.count) & 3)
    }
    var datagram = two(5247) + two(5247) + two(8 + frame.count)
    datagram += [0, 0] + frame
    var player = Player()
    player.play(datagram, of: 17, parts: [0..<120, 120..<datagram.count])
    let sessions = player.sessions()
    #expect(sessions.map(\.client.port) == [50_000, 50_001])
    #expect(player.tracker.health.unread.isEmpty)
  }

  @Test func `overlapping fragments that agree are not reported`() {
    let hello = Self.segment(sampleClientHello)
    var player = Player()
    player.play(hello, parts: [0..<120, 80..<160, 120..<hello.count])
    let session = player.sessions().first
    #expect(session?.evidence.disagreements.isEmpty == true)
    #expect(session?.evidence.notes.contains(.ipFragmentsDisagree) == false)
  }
}
