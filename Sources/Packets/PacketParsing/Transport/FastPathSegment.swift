public import ByteParsing
public import Values

/// The packet that most captures mainly consist of: TCP with complete headers in untagged Ethernet, over IPv4 without options or IPv6
/// without extension headers.
///
/// Addresses and numbers are read in place on demand: most packets need only a hash of their endpoints.
@usableFromInline package struct FastPathSegment: ~Escapable {
  /// The packet, which contains at least the addresses, ports and fixed fields.
  @usableFromInline let packet: Span<UInt8>
  /// The offset of the TCP header, after an IPv4 or an IPv6 header.
  @usableFromInline let transport: Int
  /// The offset of the payload from the start of the packet.
  @usableFromInline package let payloadOffset: Int
  /// The captured length of the payload in bytes.
  @usableFromInline package let payloadLength: Int
  /// The original length of the payload in bytes.
  @usableFromInline package let payloadLengthOnWire: Int

  /// The link type of these packets: Ethernet.
  @inlinable
  package static var linkType: UInt16 { LinkType.ethernet.rawValue }

  /// Reads an IPv4 segment from an Ethernet frame; nil for any other packet, whose faults the general path finds.
  @inlinable
  @inline(__always)
  @_lifetime(copy packet)
  package init?(ethernetV4 packet: Span<UInt8>) {
    let bytes = packet.raw
    guard bytes.byteCount >= 54 else { return nil }
    // EtherType, version and header length; flags, fragment offset, time to live and protocol.
    guard bytes.little32(12) & 0xFF_FFFF == 0x45_0008, bytes.little32(20) & 0xFF00_FF3F == 0x0600_0000 else { return nil }
    self.init(packet, transport: 34, lengthOnWire: Int(bytes.big16(16)) &- 20)
  }

  /// Reads an IPv6 segment from an Ethernet frame; nil for any other packet.
  @inlinable
  @inline(__always)
  @_lifetime(copy packet)
  package init?(ethernetV6 packet: Span<UInt8>) {
    let bytes = packet.raw
    guard bytes.byteCount >= 74 else { return nil }
    // EtherType and version; next header.
    guard bytes.little32(12) & 0xF0_FFFF == 0x60_DD86, bytes.byte(20) == IPProtocol.tcp else { return nil }
    self.init(packet, transport: 54, lengthOnWire: Int(bytes.big16(18)))
  }

  /// Reads the length of a TCP header. The packet must have at least twenty bytes from `transport` on.
  @inlinable
  @inline(__always)
  @_lifetime(copy packet)
  init?(_ packet: Span<UInt8>, transport: Int, lengthOnWire: Int) {
    let headerLength = Int(packet.raw.byte(transport &+ 12) >> 2 & 0x3C)
    let lengthOnWire = lengthOnWire &- headerLength
    let captured = packet.count &- transport &- headerLength
    guard headerLength >= 20, lengthOnWire >= 0, captured >= 0 else { return nil }
    self.packet = packet
    self.transport = transport
    payloadOffset = transport &+ headerLength
    payloadLength = min(captured, lengthOnWire)
    payloadLengthOnWire = lengthOnWire
  }

  /// The first four bytes of the payload, the first in the lowest bits; nil if fewer were captured.
  @inlinable
  package var beginning: UInt32? {
    @inline(__always)
    get { payloadLength >= 4 ? packet.raw.little32(payloadOffset) : nil }
  }

  @inlinable
  var isIPv6: Bool { transport == 54 }

  @inlinable
  package var flags: TCPFlags {
    @inline(__always)
    get { TCPFlags(rawValue: packet.raw.byte(transport &+ 13)) }
  }

  @inlinable
  package var sender: Endpoint {
    @inline(__always)
    get { end(0) }
  }

  @inlinable
  package var receiver: Endpoint {
    @inline(__always)
    get { end(1) }
  }

  /// The sender (0) or the receiver (1), whose addresses are adjacent.
  @inlinable
  @inline(__always)
  func end(_ number: Int) -> Endpoint {
    let bytes = packet.raw
    let address =
      isIPv6
      ? IPAddress(v6: bytes.big64(22 &+ 16 &* number), bytes.big64(30 &+ 16 &* number)) : IPAddress(v4: bytes.big32(26 &+ 4 &* number))
    return Endpoint(address: address, port: bytes.big16(transport &+ 2 &* number))
  }
}
