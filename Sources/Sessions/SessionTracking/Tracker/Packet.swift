import PacketParsing
import Reassembly
import SessionModel
import Values

/// A packet with its decoded headers and other facts about it.
struct Packet: ~Escapable {
  /// The bytes that the header offsets refer to: those of the capture, or of a reassembled datagram.
  let bytes: Span<UInt8>
  let headers: PacketHeaders
  let reference: PacketReference

  /// The process that it belongs to; nil if the capture does not name one.
  let process: CapturedProcess?

  /// The first frame with a fragment that disagrees with others of this packet; 0 if there is none.
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

  /// The captured part of the payload.
  var payload: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength)) }
  }

  /// The validity of its checksum.
  var validity: SegmentChecksum.Validity { headers.checksum(of: bytes).validity(adding: payload) }

  /// The packet, as the origin of its bytes.
  var origin: RecentBytes.Origin {
    RecentBytes.Origin(frame: reference.frame, time: reference.time, checksum: headers.checksum(of: bytes))
  }
}
