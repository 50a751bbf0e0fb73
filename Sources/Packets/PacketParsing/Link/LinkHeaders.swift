import ByteParsing

extension PacketHeaders {
  /// Decodes Ethernet: destination (6), source (6), EtherType (2); tags may precede the type.
  @inline(never)
  mutating func decodeEthernet(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 14 else { return .unread(.linkHeaderTruncated) }
    let type = bytes.big16(offset + 12)
    // Some writers set IPv4's EtherType for all packets; the version field decides.
    if type == EtherType.ipv4 || type == EtherType.ipv6 { return decodeIP(bytes, at: offset + 14) }
    return decodeEtherType(type, bytes, at: offset + 14)
  }

  /// Decodes IEEE 802.2 LLC, with which 802.11, ATM and old Ethernet carry IP. A length takes the place of the EtherType.
  mutating func decodeLLC(_ bytes: RawSpan, at offset: Int) -> Kind { decodeEtherType(0, bytes, at: offset) }

  /// Decodes BSD null and loop: the address family in four bytes, in the byte order of the capturing machine.
  mutating func decodeFamily(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderTruncated) }
    let family = bytes.big32(offset)
    switch family > 0xFFFF ? family.byteSwapped : family {
    // AF_INET, and AF_INET6 of Linux, Windows, the BSDs and macOS.
    case 2, 10, 23, 24, 28, 30: return decodeIP(bytes, at: offset + 4)
    default: return .unread(.notIP)
    }
  }

  /// Decodes a header of fixed length with an EtherType: LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2, Apple's IP over FireWire.
  mutating func decodeTyped(_ bytes: RawSpan, at offset: Int, typeOffset: Int, length: Int) -> Kind {
    guard bytes.byteCount - offset >= length else { return .unread(.linkHeaderTruncated) }
    return decodeEtherType(bytes.big16(offset + typeOffset), bytes, at: offset + length)
  }

  /// Decodes Token Ring: access control (1), frame control (1), receiver (6), sender (6), and a route if the sender's first bit is set.
  mutating func decodeTokenRing(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 16 else { return .unread(.linkHeaderTruncated) }
    let hasRoute = bytes.byte(offset + 8) & 0x80 != 0
    return decodeLLC(bytes, at: offset + 14 + (hasRoute ? Int(bytes.byte(offset + 14) & 0x1F) : 0))
  }

  /// Decodes ERF: time (8), type (1), flags (1), lengths and a counter (6). If the type's first bit is set, extension headers of eight
  /// bytes follow, and the first bit of each shows whether another one follows. Two bytes of padding precede Ethernet.
  mutating func decodeERF(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 16 else { return .unread(.linkHeaderTruncated) }
    let type = bytes.byte(offset + 8)
    var position = offset + 16
    var hasExtension = type & 0x80 != 0
    while hasExtension {
      guard bytes.byteCount - position >= 8 else { return .unread(.linkHeaderTruncated) }
      hasExtension = bytes.byte(position) & 0x80 != 0
      position += 8
    }
    switch type & 0x7F {
    // Ethernet, with colors and counters instead of the drop count.
    case 2, 11, 16, 20: return decodeEthernet(bytes, at: position + 2)
    case 22, 23: return decodeIP(bytes, at: position)
    default: return .unread(.notIP)
    }
  }

  /// Decodes SunATM: flags (1) with the traffic type in the lower half, path (1) and circuit (2), then LLC.
  mutating func decodeSunATM(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderTruncated) }
    guard bytes.byte(offset) & 0x0F == 2 else { return .unread(.notIP) }
    return decodeLLC(bytes, at: offset + 4)
  }
}
