public import Values

/// The headers of one packet, down to TCP or UDP, and the range of its payload.
///
/// One value is filled again and again: fields that a packet does not have keep the value of an earlier one.
@usableFromInline package struct PacketHeaders: Sendable {
  /// What a packet turned out to be.
  package enum Kind: Hashable, Sendable {
    /// A TCP segment: every field is set.
    case tcp
    /// A UDP datagram: addresses, ports and payload are set.
    case udp
    /// Something that holds neither, or that could not be read this far.
    case unread(UnreadReason)
  }

  /// The sender's address; of the innermost IP header where there are several.
  @usableFromInline package var source = IPAddress(v4: 0)
  /// The receiver's address; of the innermost IP header where there are several.
  @usableFromInline package var destination = IPAddress(v4: 0)
  @usableFromInline package var sourcePort: UInt16 = 0
  @usableFromInline package var destinationPort: UInt16 = 0
  /// TCP sequence number of the first byte, or of the SYN.
  @usableFromInline package var sequence: UInt32 = 0
  /// TCP acknowledgment number; meaningful with `TCPFlags.ack`.
  @usableFromInline package var acknowledgment: UInt32 = 0
  @usableFromInline package var flags = TCPFlags(rawValue: 0)
  /// Where the payload begins, in bytes from the start of the packet.
  @usableFromInline package var payloadOffset = 0
  /// Bytes of payload that the capture holds.
  @usableFromInline package var payloadLength = 0
  /// Bytes of payload that the sender sent; more than `payloadLength` if the snapshot length truncated the packet.
  @usableFromInline package var payloadLengthOnWire = 0
  /// What the packet traveled in besides its link and its IP header, from the outside to the inside.
  @usableFromInline package var tunnels = TunnelPath()
  /// Where the packet belongs, if it is a fragment (`UnreadReason.fragment`); its payload is set then, too.
  package var fragment = FragmentHeader()
  /// The end of the packet according to an outer header; beyond all bytes if none has a length.
  var end = Int.max
  /// Where the next packet of a frame with several begins (`UnreadReason.aggregate`).
  var nextSubframe = 0
  /// The tags and tunnels around such a frame.
  var tunnelsAroundFrame = 0
  /// The offset of the innermost IP header. The fast path does not set it.
  package var networkOffset = 0
  /// Whether what was not read (`UnreadReason.otherTransport`) is a message of ICMP; its payload is set then.
  var holdsICMP = false
  /// The offset of the TCP header; nil if a part of the segment is missing, so that its checksum is unknown.
  @usableFromInline
  var transportOffset: Int?
  /// The offset of the IPv4 header; nil if what follows it was reassembled from fragments.
  @usableFromInline
  var ipv4Offset: Int?
  /// The link type that is not known, if that is why the packet was not read.
  package var unknownLinkType: UInt16 = 0

  package init() {}

  package var sender: Endpoint {
    @inlinable
    @inline(__always)
    get { Endpoint(address: source, port: sourcePort) }
  }

  package var receiver: Endpoint {
    @inlinable
    @inline(__always)
    get { Endpoint(address: destination, port: destinationPort) }
  }
}

/// Where a fragment belongs in its datagram (RFC 791 §3.2, RFC 8200 §4.5).
package struct FragmentHeader: Hashable, Sendable {
  /// What fragments of one datagram have in common, besides the addresses.
  package var identification: UInt32 = 0
  /// The offset of its first byte in the datagram.
  package var offset = 0
  package var isLast = false
  /// What the datagram carries: the protocol, or the next header after IPv6's fragment header.
  package var protocolNumber: UInt8 = 0

  package init() {}
}

/// The flags of a TCP header (RFC 9293 §3.1).
@usableFromInline package struct TCPFlags: OptionSet, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No more data from the sender.
  @inlinable
  package static var fin: TCPFlags { TCPFlags(rawValue: 0x01) }
  @inlinable
  package static var syn: TCPFlags { TCPFlags(rawValue: 0x02) }
  @inlinable
  package static var rst: TCPFlags { TCPFlags(rawValue: 0x04) }
  /// The acknowledgment field is significant.
  @inlinable
  package static var ack: TCPFlags { TCPFlags(rawValue: 0x10) }

  /// Whether a segment with these flags opens, ends or resets its connection: FIN, SYN or RST.
  @inlinable
  package var changeConnection: Bool { rawValue & 0x07 != 0 }
}
