import CleartextObservation
import Reassembly
import SessionModel
import TLSObservation
import Values

/// An open connection: both streams, and its conversation once it has bytes.
struct Connection: ~Copyable {
  var streams = BothDirections(fromLower: SegmentStream(), fromUpper: SegmentStream())

  /// The slot of its conversation in the pool; nil before the first byte, so that a connection with only a SYN takes little memory.
  var conversation: Int?

  /// Whether the conversation is over. It is stored here because it is read for each segment.
  var isConversationOver = false

  /// Whether the connection began with the greeting of an unknown protocol, and nothing known has followed yet.
  var hasUnknownGreeting = false

  /// The directions in which the other endpoint had received bytes when it sent the unknown greeting, and none had been captured.
  var isLaterThanGreeting = BothDirections(false)

  /// The direction of the SYN without ACK; nil if none was captured.
  var opener: Direction?

  /// The time of the last packet, in seconds.
  var lastSeen: Int64

  /// The number of packets truncated to the snapshot length.
  var truncatedPackets = 0

  /// The directions in which packets were captured.
  var saw = BothDirections(false)

  /// The `TunnelPath.code` of each direction's packets; see `notePath`.
  var paths: BothDirections<UInt32> = BothDirections(0)

  /// Whether there is, or was, another connection between the same endpoints.
  var isContested = false {
    didSet { if isContested { isNamedByEndpoints = false } }
  }

  /// Whether addresses and ports have always identified the connection: it is not contested, and no packet was in a tunnel.
  var isNamedByEndpoints = true

  /// The tunnels of the first packet, outermost first; nil if there are none.
  var tunnels: [EnclosingLayer]?

  /// The process of the connection, from the first packet that names one.
  var process: CapturedProcess?

  /// The mark of an earlier connection between the same endpoints; nil if there is none.
  var priorMark: Mark?

  /// A RST that may not have been accepted; nil if there is none, as almost always.
  var doubtfulReset: DoubtfulReset?

  /// An ICMP report that an endpoint is unreachable; nil if there is none, as almost always.
  var unreachable: UnreachableReport?

  /// The first FIN or RST that was captured before any byte; nil if there is none, as almost always.
  var earlyClose: EarlyClose?

  /// The first frame with a fragment that disagrees with others of its packet; 0 if there is none, as almost always.
  private(set) var disputedFragment: UInt64 = 0

  /// The number of times that the connection was read again, because another copy of some bytes is valid.
  var rereadings = 0

  /// Whether the tracker's observer follows the connection.
  var isObserved = false

  /// Its turn in the order of first packets, taken with the first byte. None of its sessions precedes it.
  var turn: Int?

  /// Whether the slot is in use.
  var isInUse = true

  /// The facts about the connection that a session's evidence contains.
  var facts: ConnectionFacts {
    @inline(__always)
    get {
      ConnectionFacts(
        opener: opener, truncatedPackets: truncatedPackets, saw: saw,
        priorMark: priorMark?.isSilent == true ? nil : priorMark?.withoutCount,
        followsUnknownProtocol: priorMark.map { $0.isCountedWithData && $0.isOfUnknownProtocol } ?? false,
        tunnels: tunnels, process: process,
        disagreeingBytes: streams.fromLower.disagreeingBytes + streams.fromUpper.disagreeingBytes,
        disputeFrames: BothDirections(fromLower: streams.fromLower.disputeFrame, fromUpper: streams.fromUpper.disputeFrame),
        disputedFragment: disputedFragment,
        contestedBytes: streams.fromLower.contestedRanges.isEmpty && streams.fromUpper.contestedRanges.isEmpty ? [] : contestedBytes,
        unreachable: lastingUnreachable)
    }
  }

  /// The bytes of both directions whose copies disagree although no checksum decides between them.
  private var contestedBytes: [ContestedBytes] {
    func contested(_ stream: borrowing SegmentStream, _ direction: Direction) -> [ContestedBytes] {
      stream.contestedRanges.map { contested in
        let start = contested.range.start.distance(to: stream.next)
        return ContestedBytes(
          direction: direction, beforeEnd: (start - contested.range.count + 1)...max(start, start - contested.range.count + 1),
          frames: FrameList([contested.frame, contested.other].filter { $0 > 0 }))
      }
    }
    return Direction.allCases.flatMap { contested(streams[$0], $0) }
  }

  /// Records a fragment that disagrees with others of its packet.
  mutating func note(disputedFragment frame: UInt64) {
    if disputedFragment == 0 { disputedFragment = frame }
  }

  init(lastSeen: Int64) { self.lastSeen = lastSeen }
}

/// The facts about a connection that a session's evidence contains.
struct ConnectionFacts {
  var opener: Direction?
  var truncatedPackets: Int
  /// The directions in which packets were captured.
  var saw: BothDirections<Bool>
  var sawBothDirections: Bool { saw.fromLower && saw.fromUpper }
  /// The mark of an earlier connection, which means that other bytes preceded the session; nil if there is none.
  var priorMark: Mark?
  /// Whether the earlier connection was captured from its start and carried only an unknown protocol.
  var followsUnknownProtocol = false
  var tunnels: [EnclosingLayer]?
  var process: CapturedProcess?
  var disagreeingBytes: Int
  /// The first packet of each direction with such bytes; 0 if there is none.
  var disputeFrames: BothDirections<UInt64> = BothDirections(0)
  /// The first packet with a fragment that disagrees with others of its packet; 0 if there is none.
  var disputedFragment: UInt64 = 0
  /// Bytes whose copies disagree although no checksum decides between them; empty almost always.
  var contestedBytes: [ContestedBytes] = []
  /// An ICMP report that an endpoint is unreachable, after which that endpoint sent nothing; nil if there is none.
  var unreachable: UnreachableReport?
}
