import ByteParsing
import Values

/// IPv4 protocol numbers and IPv6 next headers (IANA "Assigned Internet Protocol Numbers").
@usableFromInline enum IPProtocol {
  static let hopByHop: UInt8 = 0
  static let icmp: UInt8 = 1
  static let ipv4: UInt8 = 4
  @inlinable
  static var tcp: UInt8 { 6 }
  static let udp: UInt8 = 17
  static let ipv6: UInt8 = 41
  static let routing: UInt8 = 43
  static let fragment: UInt8 = 44
  static let gre: UInt8 = 47
  static let encapsulatingSecurity: UInt8 = 50
  static let authentication: UInt8 = 51
  static let icmpv6: UInt8 = 58
  static let destinationOptions: UInt8 = 60
  static let etherIP: UInt8 = 97
  static let l2tp: UInt8 = 115
  static let mobility: UInt8 = 135
  static let mpls: UInt8 = 137
  static let hostIdentity: UInt8 = 139
  static let shim6: UInt8 = 140
  static let ethernet: UInt8 = 143
}

extension PacketHeaders {
  /// Decodes IPv4 or IPv6, according to the version field.
  @inline(never)
  mutating func decodeIP(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount > offset else { return .unread(.ipHeaderTruncated) }
    networkOffset = offset
    switch bytes.byte(offset) >> 4 {
    case 4: return decodeIPv4(bytes, at: offset)
    case 6: return decodeIPv6(bytes, at: offset)
    default: return .unread(.notIP)
    }
  }

  /// Decodes IPv4 (RFC 791 §3.1).
  @inline(__always)
  private mutating func decodeIPv4(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 20 else { return .unread(.ipHeaderTruncated) }
    let headerLength = Int(bytes.byte(offset) & 0x0F) * 4
    var totalLength = Int(bytes.big16(offset + 2))
    // Segmentation offloading leaves 0 if the length does not fit the field.
    if totalLength == 0 { totalLength = bytes.byteCount - offset }
    totalLength = min(totalLength, end - offset)
    guard headerLength >= 20, totalLength >= headerLength else { return .unread(.ipHeaderInvalid) }
    guard bytes.byteCount - offset >= headerLength else { return .unread(.ipHeaderTruncated) }
    ipv4Offset = offset
    source = IPAddress(v4: bytes.big32(offset + 12))
    destination = IPAddress(v4: bytes.big32(offset + 16))
    // More fragments, or an offset: the packet is a fragment. The "don't fragment" flag is ignored.
    let fragmentField = bytes.big16(offset + 6)
    if fragmentField & 0x3FFF != 0 {
      return noteFragment(
        identification: UInt32(bytes.big16(offset + 4)), fragmentOffset: Int(fragmentField & 0x1FFF) * 8,
        isLast: fragmentField & 0x2000 == 0, of: bytes.byte(offset + 9), bytes, at: offset + headerLength,
        lengthOnWire: totalLength - headerLength)
    }
    return decodeTransport(bytes.byte(offset + 9), bytes, at: offset + headerLength, lengthOnWire: totalLength - headerLength)
  }

  /// Decodes IPv6 (RFC 8200 §3).
  @inline(never)
  private mutating func decodeIPv6(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 40 else { return .unread(.ipHeaderTruncated) }
    var lengthOnWire = Int(bytes.big16(offset + 4))
    // A jumbogram (RFC 2675) or segmentation offloading.
    if lengthOnWire == 0 { lengthOnWire = bytes.byteCount - offset - 40 }
    lengthOnWire = min(lengthOnWire, end - offset - 40)
    guard lengthOnWire >= 0 else { return .unread(.ipHeaderInvalid) }
    source = IPAddress(v6: bytes.big64(offset + 8), bytes.big64(offset + 16))
    destination = IPAddress(v6: bytes.big64(offset + 24), bytes.big64(offset + 32))
    return decodeExtensionHeaders(bytes.byte(offset + 6), bytes, at: offset + 40, lengthOnWire: lengthOnWire)
  }

  /// The maximum number of IPv6 extension headers read.
  private static let maximumExtensionHeaderCount = 16

  /// Decodes the part after an IPv6 header, including extension headers of a known length (RFC 8200 §4).
  @inline(__always)
  mutating func decodeExtensionHeaders(_ first: UInt8, _ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    var next = first
    var position = offset
    var lengthOnWire = lengthOnWire
    for _ in 0..<PacketHeaders.maximumExtensionHeaderCount {
      let headerLength: Int
      switch next {
      case IPProtocol.hopByHop, IPProtocol.routing, IPProtocol.destinationOptions, IPProtocol.mobility,
        IPProtocol.hostIdentity, IPProtocol.shim6:
        guard bytes.byteCount - position >= 8 else { return .unread(.ipHeaderTruncated) }
        headerLength = (Int(bytes.byte(position + 1)) + 1) * 8
      case IPProtocol.fragment:
        guard bytes.byteCount - position >= 8 else { return .unread(.ipHeaderTruncated) }
        // An atomic fragment (RFC 6946) is the whole packet.
        let fragmentField = bytes.big16(position + 2)
        guard fragmentField & 0xFFF9 == 0 else {
          return noteFragment(
            identification: bytes.big32(position + 4), fragmentOffset: Int(fragmentField & 0xFFF8), isLast: fragmentField & 1 == 0,
            of: bytes.byte(position), bytes, at: position + 8, lengthOnWire: lengthOnWire - 8)
        }
        headerLength = 8
      default:
        return decodeTransport(next, bytes, at: position, lengthOnWire: lengthOnWire)
      }
      guard headerLength <= lengthOnWire else { return .unread(.ipHeaderInvalid) }
      guard bytes.byteCount - position >= headerLength else { return .unread(.ipHeaderTruncated) }
      next = bytes.byte(position)
      position += headerLength
      lengthOnWire -= headerLength
    }
    return .unread(.tooManyExtensionHeaders)
  }
}
