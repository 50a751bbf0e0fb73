import PacketParsing
import Reassembly
import Values

/// An open connection: both streams, and what is spoken on it once something has been said.
struct Connection {
  /// Bytes from the lesser end.
  var lower = SegmentStream()

  /// Bytes from the greater end.
  var upper = SegmentStream()

  /// What is spoken; nil before the first byte. Boxed, so that a connection of which only the SYN has been seen is small.
  var conversation: ConversationBox?

  /// Whether the lesser end sent a SYN without ACK, or the greater one did; nil where neither was seen.
  var isOpenedByLower: Bool?

  /// Time of the last packet, in seconds.
  var lastSeen: Int64

  /// Packets that the snapshot length cut.
  var truncatedPackets = 0

  /// Whether packets of each direction have been seen.
  var sawLower = false
  var sawUpper = false

  /// Identifiers of the VLANs that the first packet was tagged with.
  var outerVLAN: UInt16?
  var innerVLAN: UInt16?

  /// What was known of the connection before it was opened; nil for nothing.
  var priorMark: UInt16?

  /// The session's place in the order of first packets; drawn with the first byte.
  var ticket: Int?

  /// Whether the place in the pool is in use.
  var isInUse = true

  init(lastSeen: Int64) { self.lastSeen = lastSeen }

  /// The bytes from one end.
  subscript(fromLower: Bool) -> SegmentStream {
    get { fromLower ? lower : upper }
    _modify {
      if fromLower { yield &lower } else { yield &upper }
    }
  }
}

/// A conversation on the heap.
final class ConversationBox {
  /// The conversation, changed in place.
  var value = Conversation()

  init() {}
}
