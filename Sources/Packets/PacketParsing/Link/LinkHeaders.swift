import ByteParsing

extension PacketHeaders {
  /// Ethernet: destination (6), source (6), EtherType (2); tags may come before the type.
  @inline(never)
  mutating func decodeEthernet(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 14 else { return .unread(.linkHeaderCut) }
    let type = bytes.big16(offset + 12)
    // Some writers set the EtherType of IPv4 for everything: the version field decides between the two.
    if type == EtherType.ipv4 || type == EtherType.ipv6 { return decodeIP(bytes, at: offset + 14) }
    return decodeEtherType(type, bytes, at: offset + 14)
  }

  /// IEEE 802.2 LLC, in which 802.11, ATM and old Ethernet carry IP: announced by a length instead of an EtherType.
  mutating func decodeLLC(_ bytes: RawSpan, at offset: Int) -> Kind { decodeEtherType(0, bytes, at: offset) }

  /// BSD null and loop: the address family in four bytes, in the byte order of the machine that captured.
  mutating func decodeFamily(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderCut) }
    let family = bytes.big32(offset)
    switch family > 0xFFFF ? family.byteSwapped : family {
    // AF_INET, and AF_INET6 of Linux, Windows, the BSDs and macOS.
    case 2, 10, 23, 24, 28, 30: return decodeIP(bytes, at: offset + 4)
    default: return .unread(.notIP)
    }
  }

  /// LINKTYPE_LINUX_SLL: 14 bytes, then the protocol (2).
  mutating func decodeLinuxCooked(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 16 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(offset + 14), bytes, at: offset + 16)
  }

  /// LINKTYPE_LINUX_SLL2: the protocol (2), then 18 bytes.
  mutating func decodeLinuxCooked2(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 20 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(offset), bytes, at: offset + 20)
  }

  /// Apple's IP over Firewire: receiver (8), sender (8), EtherType (2).
  mutating func decodeFirewire(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 18 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(offset + 16), bytes, at: offset + 18)
  }

  /// Token Ring: access control (1), frame control (1), receiver (6), sender (6), a route if the sender's first bit is set.
  mutating func decodeTokenRing(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 16 else { return .unread(.linkHeaderCut) }
    let hasRoute = bytes.byte(offset + 8) & 0x80 != 0
    return decodeLLC(bytes, at: offset + 14 + (hasRoute ? Int(bytes.byte(offset + 14) & 0x1F) : 0))
  }

  /// ERF: time (8), type (1), flags (1), lengths and a counter (6); then, if the type's first bit is set, extension headers of
  /// eight bytes, each of whose first bits shows whether another one follows. Ethernet has two bytes of padding before it.
  mutating func decodeERF(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 16 else { return .unread(.linkHeaderCut) }
    let type = bytes.byte(offset + 8)
    var position = offset + 16
    var hasExtension = type & 0x80 != 0
    while hasExtension {
      guard bytes.byteCount - position >= 8 else { return .unread(.linkHeaderCut) }
      hasExtension = bytes.byte(position) & 0x80 != 0
      position += 8
    }
    switch type & 0x7F {
    // Ethernet, with colors and counters instead of the drops.
    case 2, 11, 16, 20: return decodeEthernet(bytes, at: position + 2)
    case 22, 23: return decodeIP(bytes, at: position)
    default: return .unread(.notIP)
    }
  }

  /// SunATM: flags (1) with the kind of traffic in its lower half, path (1) and circuit (2), then LLC.
  mutating func decodeSunATM(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderCut) }
    guard bytes.byte(offset) & 0x0F == 2 else { return .unread(.notIP) }
    return decodeLLC(bytes, at: offset + 4)
  }
}
