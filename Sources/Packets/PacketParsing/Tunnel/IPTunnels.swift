import ByteParsing
import Values

extension PacketHeaders {
  /// Decodes IP payload other than TCP or UDP: an inner packet, or a protocol that is not read.
  ///
  /// Each inner packet adds to `tunnels`, whose limit bounds the recursion.
  @inline(never)
  mutating func decodeCarried(_ number: UInt8, _ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    let isOuterIPv6 = source.isIPv6
    switch number {
    case IPProtocol.ipv4, IPProtocol.ipv6:
      guard bytes.byteCount > offset else { return .unread(.ipHeaderTruncated) }
      let isInnerIPv6 = bytes.byte(offset) >> 4 == 6
      let kind: TunnelKind = isOuterIPv6 ? (isInnerIPv6 ? .ipv6InIPv6 : .ipv4InIPv6) : (isInnerIPv6 ? .ipv6InIPv4 : .ipv4InIPv4)
      guard tunnels.append(kind) else { return .unread(.tooManyTunnels) }
      return decodeIP(bytes, at: offset)
    case IPProtocol.gre: return decodeGRE(bytes, at: offset)
    case IPProtocol.encapsulatingSecurity: return .unread(.encryptedESP)
    case IPProtocol.authentication:
      return decodeAuthentication(bytes, at: offset, lengthOnWire: lengthOnWire)
    case IPProtocol.etherIP:
      // Version 3 and reserved bits (RFC 3378 §3).
      guard bytes.byteCount - offset >= 2 else { return .unread(.tunnelHeaderTruncated) }
      guard bytes.big16(offset) == 0x3000 else { return .unread(.tunnelHeaderInvalid) }
      guard tunnels.append(.ethernetInIP) else { return .unread(.tooManyTunnels) }
      return decodeEthernet(bytes, at: offset + 2)
    case IPProtocol.ethernet:
      guard tunnels.append(.ethernetInIP) else { return .unread(.tooManyTunnels) }
      return decodeEthernet(bytes, at: offset)
    case IPProtocol.mpls: return decodeMPLS(bytes, at: offset)
    case IPProtocol.l2tp: return decodeL2TPSession(bytes, at: offset)
    default:
      holdsICMP = number == (isOuterIPv6 ? IPProtocol.icmpv6 : IPProtocol.icmp) && lengthOnWire >= 0
      if holdsICMP { setPayload(offset, bytes, lengthOnWire: lengthOnWire) }
      return .unread(.otherTransport)
    }
  }

  /// Decodes IPsec's authentication header (RFC 4302 §2): next header (1), length (1), reserved (2), parameters index (4), more.
  private mutating func decodeAuthentication(_ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.tunnelHeaderTruncated) }
    let length = (Int(bytes.byte(offset + 1)) + 2) * 4
    guard length >= 12, length <= lengthOnWire else { return .unread(.tunnelHeaderInvalid) }
    guard bytes.byteCount - offset >= length else { return .unread(.tunnelHeaderTruncated) }
    guard tunnels.append(.authenticationHeader) else { return .unread(.tooManyTunnels) }
    return decodePayload(of: bytes.byte(offset), bytes, at: offset + length, lengthOnWire: lengthOnWire - length)
  }
}
