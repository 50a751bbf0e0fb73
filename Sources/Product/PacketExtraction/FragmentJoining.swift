import ByteParsing
import PacketParsing
import Reassembly
import SessionModel
import Values

/// Joins the IP fragments of a capture into the segments and datagrams that were sent in them. Each pass over the capture joins them in the
/// same way.
final class FragmentJoining {
  /// A segment, datagram or other packet that was sent in fragments.
  struct Joined {
    /// The innermost headers, whose offsets refer to `bytes`.
    var headers: PacketHeaders
    var kind: PacketHeaders.Kind
    var bytes: Bytes
    /// The frame that it counts as: that of its last fragment, or of its first if some were not captured.
    var frame: UInt64
    var frames: [UInt64]
    /// Whether it contains further headers, such as a tunnel's with other addresses.
    var isTunneled: Bool
    /// Whether the fragments contain an 802.11 aggregate, and therefore other packets.
    var isAggregated: Bool
    /// Whether all of its fragments were captured and agree.
    var isWhole: Bool
  }

  private var fragments = FragmentReassembly()

  /// Adds a fragment and returns the packets that it completes: several if they were sent in one 802.11 aggregate. `outer` is the packet
  /// that contains the fragment, if it was joined itself; `takeInner` receives the frames of such a packet.
  func add(
    _ fragment: PacketHeaders, _ packet: Span<UInt8>, at reference: PacketReference, inside outer: Joined? = nil,
    takeInner: ([UInt64]) -> Void = { _ in }
  ) -> [Joined] {
    let payload = fragment.payload(in: packet)
    guard let datagram = fragments.add(fragment, payload, seconds: reference.time?.seconds, frame: reference.frame) else { return [] }
    let bytes = datagram.payload
    var headers = fragment
    var kind: PacketHeaders.Kind? = headers.decode(
      reassembled: bytes.span, protocolNumber: datagram.protocolNumber, lengthOnWire: datagram.lengthOnWire)
    // A last fragment may only repeat known bytes.
    let frames = datagram.frames.contains(reference.frame) ? datagram.frames : datagram.frames + [reference.frame]
    let isAggregate = kind == .unread(.aggregate)
    var completed: [Joined] = []
    while let current = isAggregate ? headers.decodeSubframe(bytes.span) : kind {
      kind = nil
      let joined = Joined(
        headers: headers, kind: current, bytes: bytes, frame: reference.frame, frames: frames,
        isTunneled: outer?.isTunneled == true || headers.tunnels.count > fragment.tunnels.count,
        isAggregated: outer?.isAggregated == true || isAggregate, isWhole: outer?.isWhole != false && datagram.disputeFrame == 0)
      if current == .unread(.fragment) {
        takeInner(frames)
        completed += add(headers, bytes.span, at: reference, inside: joined, takeInner: takeInner)
      } else {
        completed.append(joined)
      }
    }
    return completed
  }

  /// Removes the packets whose other fragments did not arrive in time.
  func discardBroken() { _ = (fragments.takeBroken(), fragments.takeLost()) }

  /// Removes and returns what can be read of packets whose other fragments did not arrive in time.
  func takeBroken() -> [Joined] {
    fragments.takeBroken().map { datagram in
      var headers = datagram.headers
      let layers = headers.tunnels.count
      let kind = headers.decode(
        reassembled: datagram.start.span, protocolNumber: headers.fragment.protocolNumber, lengthOnWire: datagram.knownLength)
      return Joined(
        headers: headers, kind: kind, bytes: datagram.start, frame: datagram.frame, frames: datagram.frames,
        isTunneled: headers.tunnels.count > layers, isAggregated: false, isWhole: false)
    }
  }

  /// Abandons all incomplete packets: no more fragments will come.
  func finish() { fragments.finish() }
}

extension PacketHeaders {
  /// The captured part of the packet's payload.
  @_lifetime(copy packet)
  func payload(in packet: Span<UInt8>) -> Span<UInt8> {
    let end = payloadOffset + payloadLength
    return end <= packet.count ? packet.extracting(payloadOffset..<end) : packet.extracting(0..<0)
  }
}
