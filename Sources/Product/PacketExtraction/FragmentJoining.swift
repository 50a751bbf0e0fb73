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
    /// Whether all of its fragments were captured and agree.
    var isWhole: Bool
  }

  private var fragments = FragmentReassembly()

  /// Adds a fragment and returns the packet that it completes. `takeInner` receives the frames of a packet that is itself a fragment.
  func add(
    _ fragment: PacketHeaders, _ packet: Span<UInt8>, at reference: PacketReference, takeInner: ([UInt64]) -> Void = { _ in }
  ) -> Joined? {
    var headers = fragment
    var (isTunneled, isDisputed) = (false, false)
    var whole = fragments.add(headers, headers.payload(in: packet), seconds: reference.time?.seconds, frame: reference.frame)
    // A reassembled packet may be a tunnel's and contain a fragment itself.
    while let datagram = whole {
      let bytes = datagram.payload
      let layers = headers.tunnels.count
      let kind = headers.decode(reassembled: bytes.span, protocolNumber: datagram.protocolNumber, lengthOnWire: datagram.lengthOnWire)
      isTunneled = isTunneled || headers.tunnels.count > layers
      isDisputed = isDisputed || datagram.disputeFrame > 0
      // A last fragment may only repeat known bytes.
      let frames = datagram.frames.contains(reference.frame) ? datagram.frames : datagram.frames + [reference.frame]
      guard kind == .unread(.fragment) else {
        return Joined(
          headers: headers, kind: kind, bytes: bytes, frame: reference.frame, frames: frames, isTunneled: isTunneled,
          isWhole: !isDisputed)
      }
      takeInner(frames)
      whole = fragments.add(headers, headers.payload(in: bytes.span), seconds: reference.time?.seconds, frame: reference.frame)
    }
    return nil
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
        isTunneled: headers.tunnels.count > layers, isWhole: false)
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
