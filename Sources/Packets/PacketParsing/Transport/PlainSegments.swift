public import Values

/// The packet that nearly all of a capture consists of: Ethernet without tags, IPv4 without options or IPv6 without
/// extension headers, TCP, whole headers.
public struct PlainSegment {
  /// The sender's address.
  public var source: IPAddress
  /// The receiver's address.
  public var destination: IPAddress
  /// The sender's port.
  public var sourcePort: UInt16
  /// The receiver's port.
  public var destinationPort: UInt16
  /// TCP sequence number of the first byte, or of the SYN.
  public var sequence: UInt32
  /// TCP acknowledgment number; meaningful with `TCPFlags.ack`.
  public var acknowledgment: UInt32
  /// TCP flags.
  public var flags: TCPFlags
  /// Where the payload begins, in bytes from the start of the packet.
  public var payloadOffset: Int
  /// Bytes of payload that the capture holds.
  public var payloadLength: Int
  /// Bytes of payload that the sender sent.
  public var payloadLengthOnWire: Int

  /// The link type of the frames that hold them: Ethernet.
  @inlinable
  public static var linkType: UInt16 { LinkNumber.ethernet }

  /// Reads one in a straight line; nil for any other packet, and whoever reads those says what is wrong with them.
  @inlinable
  @inline(__always)
  public init?(_ packet: Span<UInt8>, linkType: UInt16) {
    guard linkType == LinkNumber.ethernet else { return nil }
    self.init(ethernet: packet)
  }

  /// Reads one from a frame of Ethernet; nil for any other packet.
  @inlinable
  @inline(__always)
  public init?(ethernet packet: Span<UInt8>) {
    let bytes = packet.raw
    guard bytes.byteCount >= 54 else { return nil }
    let type = bytes.big16(12)
    let transport: Int
    var lengthOnWire: Int
    // Source port, destination port, sequence number; and acknowledgment number, data offset, reserved bits, flags, window. They are
    // loaded where their place is a constant, so that asking for the packet's length once is enough.
    let (ports, numbers): (UInt64, UInt64)
    if type == EtherType.ipv4 {
      // Version, header length, type of service, total length, identification, flags and fragment offset.
      let start = bytes.big64(14)
      // Time to live, protocol, checksum, source.
      let second = bytes.big64(22)
      guard start & 0xFF00_0000_0000_3FFF == 0x45 << 56, second >> 48 & 0xFF == UInt64(IPProtocol.tcp)
      else { return nil }
      lengthOnWire = Int(truncatingIfNeeded: start >> 32 & 0xFFFF) &- 20
      source = IPAddress(v4: UInt32(truncatingIfNeeded: second))
      destination = IPAddress(v4: bytes.big32(30))
      transport = 34
      (ports, numbers) = (bytes.big64(34), bytes.big64(42))
    } else {
      guard type == EtherType.ipv6, bytes.byteCount >= 74 else { return nil }
      // Version, traffic class, flow label, payload length, next header, hop limit.
      let start = bytes.big64(14)
      guard start >> 60 == 6, start >> 8 & 0xFF == UInt64(IPProtocol.tcp) else { return nil }
      lengthOnWire = Int(truncatingIfNeeded: start >> 16 & 0xFFFF)
      transport = 54
      source = IPAddress(v6: bytes.big64(22), bytes.big64(30))
      destination = IPAddress(v6: bytes.big64(38), bytes.big64(46))
      (ports, numbers) = (bytes.big64(54), bytes.big64(62))
    }
    let headerLength = Int(truncatingIfNeeded: numbers >> 28 & 0xF) &* 4
    lengthOnWire &-= headerLength
    let payload = transport &+ headerLength
    let captured = bytes.byteCount &- payload
    guard headerLength >= 20, lengthOnWire >= 0, captured >= 0 else { return nil }
    sourcePort = UInt16(truncatingIfNeeded: ports >> 48)
    destinationPort = UInt16(truncatingIfNeeded: ports >> 32)
    sequence = UInt32(truncatingIfNeeded: ports)
    acknowledgment = UInt32(truncatingIfNeeded: numbers >> 32)
    flags = TCPFlags(rawValue: UInt8(truncatingIfNeeded: numbers >> 16))
    payloadOffset = payload
    payloadLength = min(captured, lengthOnWire)
    payloadLengthOnWire = lengthOnWire
  }

  /// Its payload, as far as the capture holds it, in the packet that it was read from.
  @_lifetime(copy packet)
  @inlinable
  @inline(__always)
  public func payload(_ packet: Span<UInt8>) -> Span<UInt8> {
    packet.extracting(payloadOffset..<(payloadOffset &+ payloadLength))
  }
}

extension PacketHeaders {
  /// Reads a plain segment. Returns false, with nothing of worth set, for any other packet.
  public mutating func decodePlainSegment(_ packet: Span<UInt8>, linkType: UInt16) -> Bool {
    guard let segment = PlainSegment(packet, linkType: linkType) else { return false }
    take(segment)
    return true
  }

  /// Takes over what a plain segment tells.
  @inlinable
  @inline(__always)
  public mutating func take(_ segment: PlainSegment) {
    tunnels.removeAll()
    source = segment.source
    destination = segment.destination
    sourcePort = segment.sourcePort
    destinationPort = segment.destinationPort
    sequence = segment.sequence
    acknowledgment = segment.acknowledgment
    flags = segment.flags
    payloadOffset = segment.payloadOffset
    payloadLength = segment.payloadLength
    payloadLengthOnWire = segment.payloadLengthOnWire
  }

  /// Reads what nearly all other packets are in the same way: Ethernet without tags, IPv4 without options, UDP, whole headers, and
  /// nothing that may be a tunnel. Returns false, with nothing of worth set, for any other.
  @inline(__always)
  mutating func decodePlainDatagram(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 42, bytes.big16(12) == EtherType.ipv4 else { return false }
    let start = bytes.big64(14)
    let second = bytes.big64(22)
    guard start & 0xFF00_0000_0000_3FFF == 0x45 << 56, second >> 48 & 0xFF == UInt64(IPProtocol.udp)
    else { return false }
    let totalLength = Int(truncatingIfNeeded: start >> 32 & 0xFFFF)
    let length = Int(bytes.big16(38))
    guard totalLength >= 28, length >= 8 else { return false }
    networkOffset = 14
    source = IPAddress(v4: UInt32(truncatingIfNeeded: second))
    destination = IPAddress(v4: bytes.big32(30))
    sourcePort = bytes.big16(34)
    destinationPort = bytes.big16(36)
    placePayload(42, bytes, lengthOnWire: min(length, totalLength &- 20) &- 8)
    return !mayCarryTunnel(bytes)
  }
}
