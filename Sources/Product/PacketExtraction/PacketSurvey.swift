import PacketParsing
import QUICParsing
import Reassembly
import SessionModel
import Values

/// Facts about packets that do not depend on the streams they belong to: which of them contain fragmented segments and datagrams, and the
/// connection IDs of QUIC.
final class PacketSurvey {
  /// A segment or datagram that was sent in fragments.
  struct Joined {
    /// The frame that it counts as: that of its last fragment, or of its first if some were not captured.
    var frame: UInt64
    var frames: [UInt64]
    var isBare: Bool
    /// Its direction, and its position and length in the stream.
    var direction: Direction
    var sequence: UInt32
    var count: Int
    /// Whether it contains addresses that cannot be replaced in fragments, or headers that cannot be written in fragments of raw IP.
    var needsRewriting: Bool
    /// Whether its fragments contain other packets.
    var isAggregated: Bool
    /// Whether all of its fragments were captured and agree.
    var isWhole: Bool

    /// Whether it contains the bytes of another segment of the connection, of which fragments were captured again.
    func contains(_ other: Joined) -> Bool { direction == other.direction && sequence == other.sequence && count >= other.count }
  }

  /// The fragmented segments and datagrams of wanted connections.
  private(set) var joined: [ChosenSessions.Connection: [Joined]] = [:]

  /// Connections with fragmented packets after the last wanted one.
  private(set) var fragmentedLater: Set<ChosenSessions.Connection> = []

  /// The number of fragments of wanted connections beyond the limit.
  private(set) var fragmentsBeyondLimit: UInt64 = 0

  /// The connection IDs in use; a short header does not contain the length of its connection ID.
  private(set) var connectionIDs: Set<ConnectionID> = []

  /// The wanted connections, each with its last wanted frame.
  private var wanted: [ChosenSessions.Connection: UInt64]

  private var headers = PacketHeaders()
  private let fragments = FragmentJoining()
  /// For a frame that completed a fragment of an outer packet: the frames of that fragment.
  private var framesOfFragments: [UInt64: [UInt64]] = [:]
  private var joinedFrames = 0

  /// The maximum number of fragments recorded; each takes about 100 bytes.
  private static let maximumFragmentCount = 2 << 20
  private static let maximumConnectionIDCount = 1 << 20

  /// Creates a survey of these connections, each up to its last frame.
  init(of wanted: [ChosenSessions.Connection: UInt64]) { self.wanted = wanted }

  /// Adds the endpoints to which the session of a wanted connection migrated.
  func follow(_ from: ConnectionKey, to other: ConnectionKey) {
    guard let last = wanted[ChosenSessions.Connection(from, isUDP: true)] else { return }
    let connection = ChosenSessions.Connection(other, isUDP: true)
    wanted[connection] = max(last, wanted[connection] ?? 0)
  }

  func read(_ packet: Span<UInt8>, linkType: UInt16, at reference: PacketReference) {
    let kind = headers.decode(packet, linkType: linkType)
    guard kind == .unread(.aggregate) else { return read(kind, packet, at: reference) }
    // Reading a joined packet changes `headers`.
    var subframes = headers
    while let kind = subframes.decodeSubframe(packet) {
      headers = subframes
      read(kind, packet, at: reference)
    }
  }

  /// Reads incomplete packets as far as possible.
  func finish() {
    fragments.finish()
    fragments.takeBroken().forEach(note)
  }

  private func read(_ kind: PacketHeaders.Kind, _ packet: Span<UInt8>, at reference: PacketReference) {
    switch kind {
    case .udp: noteConnectionIDs(packet)
    case .unread(.fragment):
      let completed = fragments.add(headers, packet, at: reference) { frames in
        let all = packets(frames)
        if takes(all.count) { framesOfFragments[reference.frame] = all }
      }
      completed.forEach(note)
      fragments.takeBroken().forEach(note)
    case .tcp, .unread: break
    }
  }

  private func note(_ whole: FragmentJoining.Joined) {
    guard whole.kind == .tcp || whole.kind == .udp else { return }
    headers = whole.headers
    let hasToken = whole.kind == .udp && noteConnectionIDs(whole.bytes.span)
    let (key, direction) = ConnectionKey.make(headers)
    let connection = ChosenSessions.Connection(key, isUDP: whole.kind == .udp)
    guard let last = wanted[connection] else { return }
    guard whole.frame <= last else {
      fragmentedLater.insert(connection)
      return
    }
    let all = packets(whole.frames)
    guard takes(all.count) else { return }
    let (flags, length) = (headers.flags, headers.payloadLengthOnWire)
    joined[connection, default: []].append(
      Joined(
        frame: whole.frame, frames: all, isBare: whole.kind == .tcp && length == 0 && !flags.changeConnection, direction: direction,
        sequence: flags.contains(.syn) ? headers.sequence &+ 1 : headers.sequence, count: min(length, 0xFFFF),
        needsRewriting: whole.isTunneled || hasToken || ![6, 17].contains(headers.fragment.protocolNumber),
        isAggregated: whole.isAggregated, isWhole: whole.isWhole))
  }

  private func packets(_ frames: [UInt64]) -> [UInt64] { frames.flatMap { framesOfFragments[$0] ?? [$0] } }

  private func takes(_ count: Int) -> Bool {
    joinedFrames += count
    if joinedFrames <= PacketSurvey.maximumFragmentCount { return true }
    fragmentsBeyondLimit += UInt64(count)
    return false
  }

  /// Records the connection IDs in the long headers of a datagram. Returns whether it has an address validation token, which may contain
  /// the client's address (RFC 9000 §8.1).
  @discardableResult
  private func noteConnectionIDs(_ packet: Span<UInt8>) -> Bool {
    let datagram = headers.payload(in: packet)
    guard datagram.count > 0, datagram[0] & 0x80 != 0 else { return false }
    let connection = ChosenSessions.Connection(headers.sender, headers.receiver, isUDP: true)
    guard wanted[connection] != nil else { return false }
    var position = 0
    var hasToken = false
    while position < datagram.count, let header = try? LongHeader(parsing: datagram, from: position) {
      if !header.token.isEmpty { hasToken = true }
      for id in [header.destination, header.source] where !id.isEmpty && connectionIDs.count < PacketSurvey.maximumConnectionIDCount {
        connectionIDs.insert(id)
      }
      position = max(header.packet.upperBound, position + 1)
    }
    return hasToken
  }
}
