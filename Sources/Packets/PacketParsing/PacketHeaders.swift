public import Values

/// The headers of one packet, down to TCP or UDP, and the range of its payload.
///
/// If a value is reused, fields that a packet lacks keep the value of an earlier one.
@usableFromInline package struct PacketHeaders: Sendable {
  /// The result of decoding a packet.
  package enum Kind: Hashable, Sendable {
    /// A TCP segment: every field is set.
    case tcp
    /// A UDP datagram: addresses, ports and payload are set.
    case udp
    /// A packet that contains neither, or that could not be decoded this far.
    case unread(UnreadReason)
  }

  /// The sender's address, from the innermost IP header.
  @usableFromInline package var source = IPAddress(v4: 0)
  /// The receiver's address, from the innermost IP header.
  @usableFromInline package var destination = IPAddress(v4: 0)
  @usableFromInline package var sourcePort: UInt16 = 0
  @usableFromInline package var destinationPort: UInt16 = 0
  /// The TCP sequence number of the first byte, or of the SYN.
  @usableFromInline package var sequence: UInt32 = 0
  /// The TCP acknowledgment number; meaningful with `TCPFlags.ack`.
  @usableFromInline package var acknowledgment: UInt32 = 0
  @usableFromInline package var flags = TCPFlags(rawValue: 0)
  /// The offset of the payload from the start of the packet.
  @usableFromInline package var payloadOffset = 0
  /// The captured length of the payload in bytes.
  @usableFromInline package var payloadLength = 0
  /// The original length of the payload in bytes; more than `payloadLength` if the packet was truncated to the snapshot length.
  @usableFromInline package var payloadLengthOnWire = 0
  /// The tags and tunnels around the innermost IP header, outermost first.
  @usableFromInline package var tunnels = TunnelPath()
  /// The position in its datagram, if the packet is a fragment (`UnreadReason.fragment`); its payload is then also set.
  package var fragment = FragmentHeader()
  /// The end of the packet according to an outer header; beyond all bytes if none has a length.
  var end = Int.max
  /// The offset of the next packet in an aggregate frame (`UnreadReason.aggregate`).
  var nextSubframe = 0
  /// The number of tags and tunnels around the aggregate frame.
  var tunnelsAroundFrame = 0
  /// The offset of the innermost IP header.
  package var networkOffset = 0
  /// Whether a packet with `UnreadReason.otherTransport` is an ICMP message; its payload is then set.
  var holdsICMP = false
  /// The offset of the TCP header; nil if part of the segment is missing, so that its checksum is unknown.
  @usableFromInline var transportOffset: Int?
  /// The offset of the IPv4 header; nil if its payload was reassembled from fragments.
  @usableFromInline var ipv4Offset: Int?
  /// The unknown link type, if that is why the packet was not decoded.
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

/// The position of a fragment in its datagram (RFC 791 §3.2, RFC 8200 §4.5).
package struct FragmentHeader: Hashable, Sendable {
  /// The identification that fragments of one datagram have in common.
  package var identification: UInt32 = 0
  /// The offset of its first byte in the datagram.
  package var offset = 0
  package var isLast = false
  /// The protocol of the datagram: IPv4's protocol, or the next header after IPv6's fragment header.
  package var protocolNumber: UInt8 = 0

  package init() {}
}

/// The flags of a TCP header (RFC 9293 §3.1).
@usableFromInline package struct TCPFlags: OptionSet, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The sender sends no more data.
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
