import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

/// An open connection: both streams, and what is spoken on it once something has been said.
struct Connection {
  /// Bytes from the lesser end.
  var lower = SegmentStream()

  /// Bytes from the greater end.
  var upper = SegmentStream()

  /// Place of what is spoken in the pool of conversations, -1 before the first byte: a connection of which only the SYN
  /// has been seen is small.
  var conversation: Int32 = -1

  /// Whether nothing more is to be expected of the conversation; kept here, where it is asked.
  var isConversationOver = false

  /// Whether it began with words of no known protocol, and nothing has come of them yet.
  var saidWords = false

  /// Whether the lesser end sent a SYN without ACK, or the greater one did; nil where neither was seen.
  var isOpenedByLower: Bool?

  /// Time of the last packet, in seconds.
  var lastSeen: Int64

  /// Packets that the snapshot length cut.
  var truncatedPackets = 0

  /// Whether packets of each direction have been seen.
  var sawLower = false
  var sawUpper = false

  /// What the packets of each direction travel in: `TunnelPath.code` of the first one.
  var lowerPath: UInt32 = 0
  var upperPath: UInt32 = 0

  /// Whether there are others between the same ends, or were.
  var isContested = false {
    didSet { if isContested { isPlain = false } }
  }

  /// Whether addresses and ports alone have always named it: it is not contested, and no tunnel was around a packet.
  var isPlain = true

  /// What the first packet travelled in, from the outside to the inside; nil for nothing.
  var tunnels: [String]?

  /// The process that the first packet of which it is known belongs to.
  var process: CapturedProcess?

  /// What was known of the connection before it was opened; nil for nothing.
  var priorMark: UInt16?

  /// A RST that may not have been heeded; nil for none, as nearly always.
  var doubtfulReset: DoubtfulReset?

  /// A report of ICMP that one end cannot be reached; nil for none, as nearly always.
  var unreachable: UnreachableReport?

  /// The first packet with a fragment that disagrees with others of its packet; 0 for none, as nearly always.
  private(set) var disputedFragment: UInt64 = 0

  /// How often what was said was read again because another copy of it counts.
  var rereadings = 0

  /// Its place in the order of first packets, which none of its sessions stands before; drawn with the first byte.
  var ticket: Int?

  /// Whether the place in the pool is in use.
  var isInUse = true

  /// What a session's evidence tells of its connection.
  var facts: ConnectionFacts {
    @inline(__always)
    get {
      ConnectionFacts(
        isOpenedByLower: isOpenedByLower, truncatedPackets: truncatedPackets,
        sawLower: sawLower, sawUpper: sawUpper, priorMark: priorMark.map(SessionTracker.Mark.kind),
        tunnels: tunnels,
        process: process, disagreeingBytes: lower.disagreeingBytes + upper.disagreeingBytes,
        disagreementFrames: (lower.disagreementFrame, upper.disagreementFrame),
        disputedFragment: disputedFragment,
        contests: lower.contests.isEmpty && upper.contests.isEmpty ? [] : contests,
        unreachable: lastingUnreachable)
    }
  }

  /// The bytes of both directions whose copies disagree where no checksum decides.
  private var contests: [ContestedBytes] {
    func contests(_ stream: SegmentStream, _ fromLower: Bool) -> [ContestedBytes] {
      stream.contests.map { contest in
        let start = contest.range.start.distance(to: stream.next)
        return ContestedBytes(
          fromLower: fromLower,
          beforeEnd: (start - contest.range.count + 1)...max(start, start - contest.range.count + 1),
          frames: FrameList([contest.frame, contest.other].filter { $0 > 0 }))
      }
    }
    return contests(lower, true) + contests(upper, false)
  }

  /// Takes note of a fragment that disagrees with others of its packet.
  mutating func note(disputedFragment frame: UInt64) {
    if disputedFragment == 0 { disputedFragment = frame }
  }

  init(lastSeen: Int64) { self.lastSeen = lastSeen }

  /// Becomes one of which nothing is known, so that its place is used again. What it does not hold need not be written: tests hold it
  /// against a new one.
  mutating func restart(lastSeen: Int64) {
    lower.restart()
    upper.restart()
    conversation = -1
    isConversationOver = false
    saidWords = false
    isOpenedByLower = nil
    self.lastSeen = lastSeen
    truncatedPackets = 0
    (sawLower, sawUpper) = (false, false)
    (lowerPath, upperPath) = (0, 0)
    isContested = false
    isPlain = true
    if tunnels != nil { tunnels = nil }
    if process != nil { process = nil }
    priorMark = nil
    if doubtfulReset != nil { doubtfulReset = nil }
    if unreachable != nil { unreachable = nil }
    disputedFragment = 0
    rereadings = 0
    ticket = nil
    isInUse = true
  }
}

/// What a session's evidence tells of its connection.
struct ConnectionFacts {
  var isOpenedByLower: Bool?
  var truncatedPackets: Int
  /// Whether packets of each direction have been seen.
  var sawLower: Bool
  var sawUpper: Bool
  var sawBothDirections: Bool { sawLower && sawUpper }
  /// What was remembered of the connection before: other bytes went before the session. Nil for nothing.
  var priorMark: UInt16?
  var tunnels: [String]?
  var process: CapturedProcess?
  var disagreeingBytes: Int
  /// The first packet of each direction with such bytes; 0 for none.
  var disagreementFrames: (UInt64, UInt64) = (0, 0)
  /// The first packet with a fragment that disagrees with others of its packet; 0 for none.
  var disputedFragment: UInt64 = 0
  /// Bytes whose copies disagree where no checksum decides; none, as nearly always.
  var contests: [ContestedBytes] = []
  /// A report of ICMP that one end cannot be reached, behind which that end said nothing; nil for none.
  var unreachable: UnreachableReport?
}
