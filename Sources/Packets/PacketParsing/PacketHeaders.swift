public import Values

/// The headers of one packet, down to TCP or UDP, and the range of its payload.
///
/// One value is filled again and again: fields that a packet does not have keep the value of an earlier one.
public struct PacketHeaders: Sendable {
  /// What a packet turned out to be.
  public enum Kind: Hashable, Sendable {
    /// A TCP segment: every field is set.
    case tcp
    /// A UDP datagram: addresses, ports and payload are set.
    case udp
    /// Something that holds neither, or that could not be read this far.
    case unread(UnreadReason)
  }

  /// The sender's address; of the innermost IP header where there are several.
  public var source = IPAddress(v4: 0)
  /// The receiver's address; of the innermost IP header where there are several.
  public var destination = IPAddress(v4: 0)
  /// The sender's port.
  public var sourcePort: UInt16 = 0
  /// The receiver's port.
  public var destinationPort: UInt16 = 0
  /// TCP sequence number of the first byte, or of the SYN.
  public var sequence: UInt32 = 0
  /// TCP acknowledgment number; meaningful with `TCPFlags.ack`.
  public var acknowledgment: UInt32 = 0
  /// TCP flags.
  public var flags = TCPFlags(rawValue: 0)
  /// Where the payload begins, in bytes from the start of the packet.
  public var payloadOffset = 0
  /// Bytes of payload that the capture holds.
  public var payloadLength = 0
  /// Bytes of payload that the sender sent; more than `payloadLength` if the snapshot length truncated the packet.
  public var payloadLengthOnWire = 0
  /// What the packet travelled in besides its link and its IP header, from the outside to the inside.
  public var tunnels = TunnelPath()
  /// Where the packet belongs, if it is a fragment (`UnreadReason.fragment`); its payload is set then, too.
  public var fragment = FragmentHeader()
  /// The end of the packet according to an outer header; beyond all bytes if none has a length.
  var end = Int.max
  /// Where the next packet of a frame with several begins (`UnreadReason.aggregate`).
  var nextSubframe = 0
  /// The tags and tunnels around such a frame.
  var tunnelsAroundFrame = 0
  /// The offset of the innermost IP header. The fast path does not set it.
  public var networkOffset = 0
  /// Whether what was not read (`UnreadReason.otherTransport`) is a message of ICMP; its payload is set then.
  var holdsICMP = false
  /// Where the TCP header begins.
  @usableFromInline
  var transportOffset = 0
  /// Where the IPv4 header of the packet begins; -1 where what follows it was put together from fragments.
  @usableFromInline
  var ipv4Offset = -1
  /// The link type that is not known, if that is why the packet was not read.
  public var unknownLinkType: UInt16 = 0

  /// Creates empty headers.
  public init() {}

  /// Address and port of the sender.
  public var sender: Endpoint {
    @inlinable
    @inline(__always)
    get { Endpoint(address: source, port: sourcePort) }
  }

  /// Address and port of the receiver.
  public var receiver: Endpoint {
    @inlinable
    @inline(__always)
    get { Endpoint(address: destination, port: destinationPort) }
  }

  /// The outermost VLAN identifier (IEEE 802.1Q), 0 to 4095; nil without a tag.
  public var outerVLAN: UInt16? { vlan(0) }

  /// The second VLAN identifier of a packet with two tags.
  public var innerVLAN: UInt16? { vlan(1) }

  private func vlan(_ index: Int) -> UInt16? {
    guard index < tunnels.count, tunnels[index].kind == .vlan else { return nil }
    return tunnels[index].identifier.map { UInt16(truncatingIfNeeded: $0) }
  }
}

/// Where a fragment belongs in its datagram (RFC 791 §3.2, RFC 8200 §4.5).
public struct FragmentHeader: Hashable, Sendable {
  /// What fragments of one datagram have in common, besides the addresses.
  public var identification: UInt32 = 0
  /// The offset of its first byte in the datagram.
  public var offset = 0
  /// Whether it is the last fragment of the datagram.
  public var isLast = false
  /// What the datagram carries: the protocol, or the next header after IPv6's fragment header.
  public var protocolNumber: UInt8 = 0

  /// Creates an empty header.
  public init() {}
}

/// The flags of a TCP header (RFC 9293 §3.1).
public struct TCPFlags: OptionSet, Hashable, Sendable {
  /// The byte as in the header.
  public var rawValue: UInt8

  /// Takes the byte.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No more data from the sender.
  @inlinable
  public static var fin: TCPFlags { TCPFlags(rawValue: 0x01) }
  /// Synchronize sequence numbers.
  @inlinable
  public static var syn: TCPFlags { TCPFlags(rawValue: 0x02) }
  /// Reset the connection.
  @inlinable
  public static var rst: TCPFlags { TCPFlags(rawValue: 0x04) }
  /// The acknowledgment field is significant.
  @inlinable
  public static var ack: TCPFlags { TCPFlags(rawValue: 0x10) }

  /// Whether a segment with these flags opens, ends or resets its connection: FIN, SYN or RST.
  @inlinable
  public var changeConnection: Bool { rawValue & 0x07 != 0 }
}
