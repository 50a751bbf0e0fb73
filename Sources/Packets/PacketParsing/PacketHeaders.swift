public import Values

/// The headers of one packet, down to TCP or UDP, and where its payload lies.
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

  /// The sender's address.
  public var source = IPAddress(v4: 0)
  /// The receiver's address.
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
  /// Bytes of payload that the sender sent; more than `payloadLength` where the snapshot length cut the packet.
  public var payloadLengthOnWire = 0
  /// The outer and the inner VLAN identifier (IEEE 802.1Q), 0 to 4095 each; nil where there is no such tag.
  public var outerVLAN: UInt16?
  /// The inner VLAN identifier of a packet with two tags.
  public var innerVLAN: UInt16?

  /// Creates empty headers.
  public init() {}
}

/// The flags of a TCP header (RFC 9293 §3.1).
public struct TCPFlags: OptionSet, Hashable, Sendable {
  /// The byte as it stands in the header.
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
}

/// Why a packet was not read down to TCP or UDP. The raw values are stable names of the summary.
public enum UnreadReason: String, Hashable, Sendable, CaseIterable {
  /// The link type is not known to this program.
  case unknownLinkType = "link-type-unknown"
  /// The link header is cut off.
  case linkHeaderCut = "link-header-cut"
  /// Neither IPv4 nor IPv6.
  case notIP = "not-ip"
  /// The IP header is cut off.
  case ipHeaderCut = "ip-header-cut"
  /// The IP header contradicts itself.
  case ipHeaderInvalid = "ip-header-invalid"
  /// More IPv6 extension headers than are read.
  case tooManyExtensionHeaders = "ipv6-extension-headers-limit"
  /// A fragment of an IP packet.
  case fragment = "ip-fragment"
  /// IP, but neither TCP nor UDP.
  case otherTransport = "other-transport"
  /// The TCP or UDP header is cut off.
  case transportHeaderCut = "transport-header-cut"
  /// The TCP or UDP header contradicts itself.
  case transportHeaderInvalid = "transport-header-invalid"

  /// Whether the packet is damaged or cut, and not just of another kind.
  public var isDamage: Bool {
    switch self {
    case .unknownLinkType, .notIP, .fragment, .otherTransport: false
    default: true
    }
  }
}
