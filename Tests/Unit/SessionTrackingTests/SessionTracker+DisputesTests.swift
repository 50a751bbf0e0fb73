import ByteParsing
import PacketParsing
import TLSParsing
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Segments that contradict others: the first copy of a byte counts, and a RST needs a plausible sequence number.
@Suite struct SessionTrackerDisputesTests {
  static let hello = ObservationLimitsTests.hello

  /// The hello with another cipher suite.
  static let otherHello: Bytes = {
    var bytes = hello
    for index in 0..<(bytes.count - 1) where bytes[index] == 0xC0 && bytes[index + 1] == 0x2F {
      bytes[index + 1] = 0x2B
    }
    return bytes
  }()

  @Test func `an out-of-order copy of a byte counts over a later copy that disagrees`() {
    var player = SegmentPlayer()
    player.play(flags: 2, sequence: 0)
    player.play(Bytes(Self.hello.dropFirst(20)), sequence: 21)
    player.play(Self.otherHello, sequence: 1)
    let session = player.sessions().first
    #expect(session?.sharedTLS?.sharedOffer?.cipherSuites.map(\.rawValue) == [0xC02F])
    #expect(session?.evidence.notes == [.tcpRetransmissionDisagrees])
    #expect(session?.evidence.disagreements.numbers == [3])
  }

  @Test func `a retransmission that disagrees with the bytes read is noted`() {
    for (again, notes) in [(Self.otherHello, [EvidenceNote.tcpRetransmissionDisagrees]), (Self.hello, [])] {
      var player = SegmentPlayer()
      player.play(flags: 2, sequence: 0)
      player.play(Self.hello, sequence: 1)
      player.play(again, sequence: 1)
      let session = player.sessions().first
      #expect(session?.sharedTLS?.sharedOffer?.cipherSuites.map(\.rawValue) == [0xC02F])
      #expect(session?.evidence.notes == notes)
    }
  }

  @Test func `a TCP keep-alive with any byte disagrees with nothing`() {
    var player = SegmentPlayer()
    player.play(flags: 2, sequence: 0)
    player.play(Self.hello, sequence: 1)
    player.play([0xEE], sequence: Self.hello.count)
    #expect(player.sessions().first?.evidence.notes == [])
  }

  @Test func `a byte that is sent again with the only valid checksum is no keep-alive`() {
    var player = SegmentPlayer()
    player.play(flags: 2, sequence: 0, checksum: .valid)
    player.play(flags: 18, sequence: 0, fromClient: false, checksum: .valid)
    player.play([0xEE], sequence: 1, checksum: .invalid)
    player.play(Bytes(Self.hello.prefix(1)), sequence: 1, checksum: .valid)
    player.play([0xEE], sequence: 1, checksum: .invalid)
    player.play(Bytes(Self.hello.dropFirst(1)), sequence: 2, checksum: .valid)
    let session = player.sessions().first
    #expect(session?.evidence.clientHello == .complete)
    #expect(session?.sharedTLS?.sharedOffer?.cipherSuites.map(\.rawValue) == [0xC02F])
    #expect(session?.tunnel == [])
    #expect(session?.evidence.notes == [.tcpRetransmissionDisagrees])
  }

  @Test func `a late SYN-ACK shows the start of a connection only if the captured bytes begin where it acknowledges`() {
    for (first, tunnel) in [(27, ["starttls imap"]), (1, [])] as [(Int, [EnclosingLayer])] {
      var player = SegmentPlayer()
      player.play(Self.hello, sequence: first, server: 143)
      player.play(flags: 18, sequence: 0, fromClient: false, server: 143)
      #expect(player.sessions().first?.tunnel == tunnel)
    }
  }

  @Test func `a second ClientHello with another random contests the first`() {
    var other = Self.hello
    other.replaceSubrange(11..<43, with: Bytes(repeating: 6, count: 32))
    for (second, isContested) in [(other, true), (Self.hello, false)] {
      for gap in [0, 10_000] {
        for isAnswered in [false, true] {
          var player = SegmentPlayer()
          player.play(Self.hello, sequence: 1)
          if isAnswered { player.play(SessionTrackerEndsTests.hello, sequence: 1, fromClient: false) }
          player.play(second, sequence: 1 + Self.hello.count + gap)
          let session = player.sessions().first
          #expect(session?.evidence.isContested(.clientHello) == isContested)
          if isContested { #expect(session?.serverName == nil) }
        }
      }
    }
  }

  @Test(arguments: [100, 100_000])
  func `a hello before the first byte contests the one read, unless a SYN shows the start`(gap: Int) {
    var other = Self.hello
    other.replaceSubrange(11..<43, with: Bytes(repeating: 6, count: 32))
    for hasSYN in [false, true] {
      for (earlier, isContested) in [(other, !hasSYN), (Self.hello, false)] {
        var player = SegmentPlayer()
        if hasSYN { player.play(flags: 2, sequence: gap) }
        player.play(Self.hello, sequence: 1 + gap)
        player.play(earlier, sequence: 1)
        #expect(player.sessions().first?.evidence.isContested(.clientHello) == isContested)
      }
    }
  }

  @Test(arguments: [false, true])
  func `a ServerHello before the first byte contests the one read, and what followed that`(hasMore: Bool) {
    let forged = SessionTrackerEndsTests.hello + SessionTrackerEndsTests.certificate
    var player = SegmentPlayer()
    player.play(Self.hello)
    player.play(forged, sequence: 100_001, fromClient: false)
    player.play(hasMore ? forged : SessionTrackerEndsTests.hello, fromClient: false)
    let session = player.sessions().first
    #expect(session?.evidence.isContested(.serverHello) == true)
    #expect(session?.evidence.isContested(.certificates) == true)
    #expect(session?.evidence.isContested(.clientHello) == false)
  }

  @Test func `a RST ends a connection only if its sequence number is plausible`() {
    var player = SegmentPlayer()
    player.play(flags: 2, sequence: 0)
    player.play(Self.hello, sequence: 1)
    player.play(flags: 4, sequence: 500_000_000)
    #expect(player.tracker.openConnections == 1)
    player.play(flags: 4, sequence: 1 + Self.hello.count)
    #expect(player.tracker.openConnections == 0)
    #expect(player.sessions().first?.sharedTLS?.outcome == .reset)
  }

  @Test func `a truncated hello without SNI does not take the address as the server name`() {
    var whole = SegmentPlayer()
    whole.play(Self.hello)
    #expect(whole.sessions().first?.serverNameSource == .address)
    var cut = SegmentPlayer()
    cut.play(Bytes(Self.hello.dropLast(3)))
    let session = cut.sessions().first
    #expect(session?.evidence.clientHello == .partial)
    #expect(session?.serverName == nil)
    #expect(session?.serverNameSource == nil)
  }

  @Test func `a clock that goes back by more than a day is counted once`() {
    var tracker = SessionTracker(file: "test")
    let packet: Bytes = [0x45]
    let seconds: [Int64] = [
      1_700_000_000, 1_700_000_010, 1_700_000_005, 1_699_800_000, 1_699_800_001, 1_700_000_020,
    ]
    for (index, time) in (seconds + [.min, .max]).enumerated() {
      tracker.play(packet, UInt64(index + 1), at: time, linkType: 101)
      if index == 5 { #expect(tracker.health.implausibleTimes == 1) }
    }
    #expect(tracker.health.implausibleTimes == 3)
  }

  /// Returns the first and last time, and the number of implausible times, of packets at these seconds.
  private static func times(_ seconds: [Int64]) -> (first: Int64?, last: Int64?, implausible: UInt64) {
    var tracker = SessionTracker(file: "test")
    let packet: Bytes = [0x45]
    for (index, time) in seconds.enumerated() {
      let time = Timestamp(seconds: time, nanoseconds: UInt32(index))
      tracker.process(
        packet.span, linkType: 101, originalLength: 1,
        at: PacketReference(frame: UInt64(index + 1), time: time))
    }
    let health = tracker.health
    return (health.firstTime?.seconds, health.lastTime?.seconds, UInt64(health.implausibleTimes))
  }

  @Test func `implausible capture times are counted even if they are close together`() {
    #expect(Self.times([0, 0, 1, 2]) == (0, 2, 4))
    #expect(Self.times([-1, 0, 1]) == (-1, 1, 3))
    #expect(
      Self.times([1_700_000_000, 1_700_000_030, 1_700_009_000, 1_700_008_990]) == (
        1_700_000_000, 1_700_009_000, 0
      ))
    // The end of the plausible times, within a minute, and 2³⁴ seconds later, which overflows the 64-bit format of `latest`.
    #expect(Self.times([4_102_444_790, 4_102_444_799, 4_102_444_800]) == (4_102_444_790, 4_102_444_800, 1))
    #expect(Self.times([1_700_000_000, 1_700_000_000 + 1 << 34]).implausible == 1)
  }
}
