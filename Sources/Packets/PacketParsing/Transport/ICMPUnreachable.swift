import ByteParsing
package import Values

/// An ICMP report that a destination is unreachable (RFC 792, RFC 4443 §3.1), with the quoted headers.
package struct ICMPUnreachable: Sendable {
  package private(set) var source = Endpoint(address: IPAddress(v4: 0), port: 0)
  /// The receiver of the quoted packet, which is unreachable.
  package private(set) var destination = Endpoint(address: IPAddress(v4: 0), port: 0)
  /// Whether the quoted packet is a TCP segment; if not, it is a UDP datagram.
  package private(set) var isTCP = false
  /// The sequence number of a quoted TCP segment.
  package private(set) var sequence: UInt32 = 0
  /// The offset of the quoted packet's addresses in the message.
  package private(set) var addresses = 0..<0
  /// The range of the quoted bytes in the message after the first eight bytes of the transport header: the payload of a UDP datagram, or
  /// the rest of a TCP segment.
  package private(set) var payload = 0..<0

  /// The minimum quoted length of a transport header (RFC 792): the ports, and the sequence number of TCP.
  private static let leastTransport = 8

  private static let maximumExtensionHeaderCount = 16

  /// Parses an ICMP message, of ICMPv6 if `isIPv6`; nil for other messages, and if too little is quoted to identify the connection.
  ///
  /// "Fragmentation needed" does not make a destination unreachable: the sender continues with smaller packets.
  package init?(_ message: Span<UInt8>, isIPv6: Bool) {
    guard message.count >= 8 else { return nil }
    if isIPv6 {
      guard message[0] == 1 else { return nil }
    } else {
      guard message[0] == 3, message[1] != 4 else { return nil }
    }
    let bytes = message.raw
    guard let (number, offset) = isIPv6 ? readIPv6(bytes, at: 8) : readIPv4(bytes, at: 8),
      bytes.byteCount - offset >= ICMPUnreachable.leastTransport
    else { return nil }
    guard number == IPProtocol.tcp || number == IPProtocol.udp else { return nil }
    isTCP = number == IPProtocol.tcp
    if isTCP { sequence = bytes.big32(offset + 4) }
    payload = (offset + ICMPUnreachable.leastTransport)..<bytes.byteCount
    addresses = isIPv6 ? 16..<48 : 20..<28
    source = Endpoint(address: source.address, port: bytes.big16(offset))
    destination = Endpoint(address: destination.address, port: bytes.big16(offset + 2))
  }

  /// Parses a quoted IPv4 header; returns the protocol and the offset of its header.
  private mutating func readIPv4(_ bytes: RawSpan, at start: Int) -> (UInt8, Int)? {
    guard bytes.byteCount - start >= 20, bytes.byte(start) >> 4 == 4 else { return nil }
    let length = Int(bytes.byte(start) & 0x0F) * 4
    // Only the first fragment contains the ports.
    guard length >= 20, bytes.big16(start + 6) & 0x1FFF == 0 else { return nil }
    source = Endpoint(address: IPAddress(v4: bytes.big32(start + 12)), port: source.port)
    destination = Endpoint(address: IPAddress(v4: bytes.big32(start + 16)), port: destination.port)
    return (bytes.byte(start + 9), start + length)
  }

  /// Parses a quoted IPv6 header with extension headers; returns the protocol and the offset of its header.
  private mutating func readIPv6(_ bytes: RawSpan, at start: Int) -> (UInt8, Int)? {
    guard bytes.byteCount - start >= 40, bytes.byte(start) >> 4 == 6 else { return nil }
    source = Endpoint(address: IPAddress(v6: bytes.big64(start + 8), bytes.big64(start + 16)), port: source.port)
    destination = Endpoint(address: IPAddress(v6: bytes.big64(start + 24), bytes.big64(start + 32)), port: destination.port)
    var next = bytes.byte(start + 6)
    var position = start + 40
    for _ in 0..<ICMPUnreachable.maximumExtensionHeaderCount {
      switch next {
      case IPProtocol.hopByHop, IPProtocol.routing, IPProtocol.destinationOptions:
        guard bytes.byteCount - position >= 8 else { return nil }
        next = bytes.byte(position)
        position += (Int(bytes.byte(position + 1)) + 1) * 8
      case IPProtocol.fragment:
        guard bytes.byteCount - position >= 8, bytes.big16(position + 2) & 0xFFF8 == 0 else { return nil }
        next = bytes.byte(position)
        position += 8
      default: return (next, position)
      }
    }
    return nil
  }
}

extension PacketHeaders {
  /// Whether a packet of this kind is an ICMP message, which is then the payload.
  package func isICMP(_ kind: Kind) -> Bool { kind == .unread(.otherTransport) && holdsICMP }
}
