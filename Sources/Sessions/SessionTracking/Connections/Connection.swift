import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

/// An open connection: both streams, and its conversation once it has bytes.
struct Connection: ~Copyable {
  /// What both ends send.
  var streams = BothDirections(fromLower: SegmentStream(), fromUpper: SegmentStream())

  /// The index of its conversation in the pool; nil before the first byte, so that a connection of which only the SYN was observed is
  /// small.
  var conversation: Int?

  /// Whether the conversation is over; kept here, where it is read.
  var isConversationOver = false

  /// Whether it began with the greeting of an unknown protocol, and nothing known has followed yet.
  var hasUnknownGreeting = false

  /// The direction of the SYN without ACK; nil where none was seen.
  var opener: Direction?

  /// Time of the last packet, in seconds.
  var lastSeen: Int64

  /// Packets that the snapshot length cut.
  var truncatedPackets = 0

  /// Whether packets of each direction have been seen.
  var saw = BothDirections(false)

  /// What the packets of each direction travel in: `TunnelPath.code` of the first one.
  var paths: BothDirections<UInt32> = BothDirections(0)

  /// Whether there are others between the same ends, or were.
  var isContested = false {
    didSet { if isContested { isNamedByEndpoints = false } }
  }

  /// Whether addresses and ports alone have always identified it: it is not contested, and no tunnel was around a packet.
  var isNamedByEndpoints = true

  /// What the first packet traveled in, from the outside to the inside; nil for nothing.
  var tunnels: [String]?

  /// The process that the first packet of which it is known belongs to.
  var process: CapturedProcess?

  /// What was known of the connection before it was opened; nil for nothing.
  var priorMark: UInt16?

  /// A RST that may not have been accepted; nil for none, as almost always.
  var doubtfulReset: DoubtfulReset?

  /// A report of ICMP that one end cannot be reached; nil for none, as almost always.
  var unreachable: UnreachableReport?

  /// The first packet with a fragment that disagrees with others of its packet; 0 for none, as almost always.
  private(set) var disputedFragment: UInt64 = 0

  /// How many times it was read again because another copy of some bytes counts.
  var rereadings = 0

  /// What was read of it, for an extract; nil for anything else.
  var layout: ConnectionLayout?

  /// Its turn in the order of first packets, before which none of its sessions is; taken with the first byte.
  var turn: Int?

  /// Whether the place in the pool is in use.
  var isInUse = true

  /// What the evidence of a session records of its connection.
  var facts: ConnectionFacts {
    @inline(__always)
    get {
      ConnectionFacts(
        opener: opener, truncatedPackets: truncatedPackets,
        saw: saw, priorMark: priorMark.map(SessionTracker.Mark.kind),
        tunnels: tunnels,
        process: process,
        disagreeingBytes: streams.fromLower.disagreeingBytes + streams.fromUpper.disagreeingBytes,
        disagreementFrames: BothDirections(
          fromLower: streams.fromLower.disagreementFrame, fromUpper: streams.fromUpper.disagreementFrame),
        disputedFragment: disputedFragment,
        contests: streams.fromLower.contests.isEmpty && streams.fromUpper.contests.isEmpty ? [] : contests,
        unreachable: lastingUnreachable)
    }
  }

  /// The bytes of both directions whose copies disagree where no checksum decides.
  private var contests: [ContestedBytes] {
    func contests(_ stream: borrowing SegmentStream, _ direction: Direction) -> [ContestedBytes] {
      stream.contests.map { contest in
        let start = contest.range.start.distance(to: stream.next)
        return ContestedBytes(
          direction: direction,
          beforeEnd: (start - contest.range.count + 1)...max(start, start - contest.range.count + 1),
          frames: FrameList([contest.frame, contest.other].filter { $0 > 0 }))
      }
    }
    return Direction.allCases.flatMap { contests(streams[$0], $0) }
  }

  /// Records a fragment that disagrees with others of its packet.
  mutating func note(disputedFragment frame: UInt64) {
    if disputedFragment == 0 { disputedFragment = frame }
  }

  init(lastSeen: Int64) { self.lastSeen = lastSeen }
}

/// What the evidence of a session records of its connection.
struct ConnectionFacts {
  var opener: Direction?
  var truncatedPackets: Int
  /// Whether packets of each direction have been seen.
  var saw: BothDirections<Bool>
  var sawBothDirections: Bool { saw.fromLower && saw.fromUpper }
  /// What was remembered of the connection before: other bytes went before the session. Nil for nothing.
  var priorMark: UInt16?
  var tunnels: [String]?
  var process: CapturedProcess?
  var disagreeingBytes: Int
  /// The first packet of each direction with such bytes; 0 for none.
  var disagreementFrames: BothDirections<UInt64> = BothDirections(0)
  /// The first packet with a fragment that disagrees with others of its packet; 0 for none.
  var disputedFragment: UInt64 = 0
  /// Bytes whose copies disagree where no checksum decides; none, as almost always.
  var contests: [ContestedBytes] = []
  /// A report of ICMP that one end cannot be reached, after which that end said nothing; nil for none.
  var unreachable: UnreachableReport?
}
