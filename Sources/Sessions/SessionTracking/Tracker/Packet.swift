import PacketParsing
import Reassembly
import SessionModel
import Values

/// A packet whose headers are read, and what is known of it besides its bytes.
struct Packet: ~Escapable {
  /// The bytes in which the headers are: those of the capture, or of a datagram put together from fragments.
  let bytes: Span<UInt8>
  let headers: PacketHeaders
  let reference: PacketReference

  /// The process that it belongs to; nil where the capture does not say.
  let process: CapturedProcess?

  /// The first packet with a fragment that disagrees with others of this one; 0 for none.
  let disputedFragment: UInt64

  /// Whether no checksum decides between those fragments.
  let isContested: Bool

  @_lifetime(copy bytes)
  init(
    _ bytes: Span<UInt8>, _ headers: PacketHeaders, at reference: PacketReference, of process: CapturedProcess?,
    disputedFragment: UInt64 = 0, isContested: Bool = false
  ) {
    self.bytes = bytes
    self.headers = headers
    self.reference = reference
    self.process = process
    self.disputedFragment = disputedFragment
    self.isContested = isContested
  }

  /// The payload, as far as the capture holds it.
  var payload: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength)) }
  }

  /// The verdict on its checksum.
  var verdict: SegmentChecksum.Verdict { headers.checksum(of: bytes).verdict(adding: payload) }

  /// The packet as the origin of its bytes.
  var origin: RecentBytes.Origin {
    RecentBytes.Origin(frame: reference.frame, time: reference.time, checksum: headers.checksum(of: bytes))
  }
}
