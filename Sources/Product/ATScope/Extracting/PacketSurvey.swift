import PacketParsing
import QUICParsing
import Reassembly
import SessionModel
import Values

/// What the packets of a capture show by themselves, whatever is read of them: which of them carry segments and datagrams in fragments,
/// and the connection IDs of QUIC.
final class PacketSurvey {
  /// A segment or datagram that came in fragments.
  struct Joined {
    /// The packet that counts as its own: that with its last fragment, or with its first if some never came.
    var frame: UInt64
    var frames: [UInt64]
    var isBare: Bool
    /// Its place and length in its stream.
    var direction: Direction
    var sequence: UInt32
    var count: Int
    /// Whether it contains addresses which cannot be replaced in fragments.
    var showsAddresses: Bool
  }

  /// What came in fragments, of wanted connections.
  private(set) var joined: [ChosenSessions.Connection: [Joined]] = [:]

  /// Connections that have something in fragments after what is wanted.
  private(set) var fragmentedLater: Set<ChosenSessions.Connection> = []

  /// Fragments of wanted connections beyond what is noted.
  private(set) var fragmentsBeyondLimit: UInt64 = 0

  /// The connection IDs of QUIC: a short header does not say where the one in it ends.
  private(set) var names: Set<ConnectionID> = []

  /// The connections that matter, and the last packet of each that does.
  private var wanted: [ChosenSessions.Connection: UInt64]

  private var headers = PacketHeaders()
  private var fragments = FragmentReassembly()
  /// The packets of a fragment that itself came in fragments.
  private var framesOfFragments: [UInt64: [UInt64]] = [:]
  private var joinedFrames = 0

  /// Packets that carry fragments: noting one takes some 100 bytes.
  private static let maximumFragmentCount = 2 << 20
  private static let maximumNameCount = 1 << 20

  /// Notes what matters of these connections up to the last packet of each.
  init(of wanted: [ChosenSessions.Connection: UInt64]) { self.wanted = wanted }

  /// Takes endpoints for those of a wanted connection to which its session moved.
  func follow(_ from: ConnectionKey, to other: ConnectionKey) {
    guard let last = wanted[ChosenSessions.Connection(from, isUDP: true)] else { return }
    let connection = ChosenSessions.Connection(other, isUDP: true)
    wanted[connection] = max(last, wanted[connection] ?? 0)
  }

  func read(_ packet: Span<UInt8>, linkType: UInt16, at reference: PacketReference) {
    let kind = headers.decode(packet, linkType: linkType)
    guard kind == .unread(.aggregate) else { return read(kind, packet, at: reference) }
    while let kind = headers.decodeSubframe(packet) { read(kind, packet, at: reference) }
  }

  /// Reads what there is of packets of which fragments never came.
  func finish() {
    fragments.finish()
    readBroken()
  }

  private func read(_ kind: PacketHeaders.Kind, _ packet: Span<UInt8>, at reference: PacketReference) {
    switch kind {
    case .udp: noteNames(packet)
    case .unread(.fragment):
      join(packet, at: reference)
      if fragments.hasBroken { readBroken() }
    case .tcp, .unread: break
    }
  }

  private func join(_ packet: Span<UInt8>, at reference: PacketReference) {
    let seconds = reference.time?.seconds
    var whole = fragments.add(headers, payload(packet), seconds: seconds, frame: reference.frame)
    var isTunneled = false
    // A packet that was put together may be a tunnel's and hold a fragment itself.
    while let datagram = whole {
      whole = nil
      let bytes = datagram.payload
      let layers = headers.tunnels.count
      let kind = headers.decode(
        reassembled: bytes.span, protocolNumber: datagram.protocolNumber, lengthOnWire: datagram.lengthOnWire)
      if holdsPacket(after: layers) { isTunneled = true }
      if kind == .unread(.fragment) {
        let all = packets(datagram.frames)
        if takes(all.count) { framesOfFragments[reference.frame] = all }
        whole = fragments.add(headers, payload(bytes.span), seconds: seconds, frame: reference.frame)
      } else {
        note(kind, bytes.span, isTunneled: isTunneled, at: reference.frame, from: datagram.frames)
      }
    }
  }

  private func readBroken() {
    for datagram in fragments.takeBroken() {
      headers = datagram.headers
      let layers = headers.tunnels.count
      let kind = headers.decode(
        reassembled: datagram.start.span, protocolNumber: headers.fragment.protocolNumber,
        lengthOnWire: datagram.knownLength)
      note(
        kind, datagram.start.span, isTunneled: holdsPacket(after: layers), at: datagram.frame,
        from: datagram.frames)
    }
  }

  /// Whether what was put together holds another packet, whose addresses may even be those of its fragments: it has layers beyond so
  /// many, except a header that only authenticates.
  private func holdsPacket(after layers: Int) -> Bool {
    (layers..<max(layers, headers.tunnels.count)).contains {
      headers.tunnels[$0].kind != .authenticationHeader
    }
  }

  private func note(
    _ kind: PacketHeaders.Kind, _ bytes: Span<UInt8>, isTunneled: Bool, at frame: UInt64,
    from frames: [UInt64]
  ) {
    guard kind == .tcp || kind == .udp else { return }
    let hasToken = kind == .udp && noteNames(bytes)
    let (key, direction) = ConnectionKey.make(headers)
    let connection = ChosenSessions.Connection(key, isUDP: kind == .udp)
    guard let last = wanted[connection] else { return }
    guard frame <= last else {
      fragmentedLater.insert(connection)
      return
    }
    let all = packets(frames)
    guard takes(all.count) else { return }
    let (flags, length) = (headers.flags, headers.payloadLengthOnWire)
    joined[connection, default: []].append(
      Joined(
        frame: frame, frames: all, isBare: kind == .tcp && length == 0 && !flags.changeConnection,
        direction: direction,
        sequence: flags.contains(.syn) ? headers.sequence &+ 1 : headers.sequence, count: min(length, 0xFFFF),
        showsAddresses: isTunneled || hasToken))
  }

  private func packets(_ frames: [UInt64]) -> [UInt64] { frames.flatMap { framesOfFragments[$0] ?? [$0] } }

  private func takes(_ count: Int) -> Bool {
    joinedFrames += count
    if joinedFrames <= PacketSurvey.maximumFragmentCount { return true }
    fragmentsBeyondLimit += UInt64(count)
    return false
  }

  /// Notes the connection IDs in the long headers of a datagram. Returns whether it has an address validation token, in which a server
  /// keeps the client's address (RFC 9000 §8.1).
  @discardableResult
  private func noteNames(_ packet: Span<UInt8>) -> Bool {
    let datagram = payload(packet)
    guard datagram.count > 0, datagram[0] & 0x80 != 0 else { return false }
    let connection = ChosenSessions.Connection(headers.sender, headers.receiver, isUDP: true)
    guard wanted[connection] != nil else { return false }
    var position = 0
    var hasToken = false
    while position < datagram.count, let header = try? LongHeader(parsing: datagram, from: position) {
      if !header.token.isEmpty { hasToken = true }
      for name in [header.destination, header.source]
      where !name.isEmpty && names.count < PacketSurvey.maximumNameCount {
        names.insert(name)
      }
      position = max(header.packet.upperBound, position + 1)
    }
    return hasToken
  }

  /// The payload of the packet, as far as the capture holds it.
  @_lifetime(copy packet)
  private func payload(_ packet: Span<UInt8>) -> Span<UInt8> {
    let end = headers.payloadOffset + headers.payloadLength
    return end <= packet.count ? packet.extracting(headers.payloadOffset..<end) : packet.extracting(0..<0)
  }
}
