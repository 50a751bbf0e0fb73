/// EtherTypes (IEEE 802 numbers).
enum EtherType {
  static let ipv4: UInt16 = 0x0800
  static let ipv6: UInt16 = 0x86DD
  static let vlan: UInt16 = 0x8100
  /// IEEE 802.1ad (QinQ), the outer tag.
  static let serviceVLAN: UInt16 = 0x88A8
  /// The outer tag of older equipment.
  static let oldServiceVLAN: UInt16 = 0x9100
  /// Cisco MetaData, which carries security group tags.
  static let ciscoMetaData: UInt16 = 0x8909
}

extension PacketHeaders {
  /// Ethernet: destination (6), source (6), EtherType (2); VLAN tags of four bytes may come before the type.
  @inline(__always)
  mutating func decodeEthernet(_ bytes: RawSpan) -> Kind {
    guard bytes.byteCount >= 14 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(12), bytes, at: 14)
  }

  /// What an EtherType announces, from `offset` on.
  @inline(__always)
  mutating func decodeEtherType(_ type: UInt16, _ bytes: RawSpan, at offset: Int) -> Kind {
    var type = type
    var offset = offset
    while type == EtherType.vlan || type == EtherType.serviceVLAN || type == EtherType.oldServiceVLAN {
      guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderCut) }
      let identifier = bytes.big16(offset) & 0x0FFF
      if outerVLAN == nil {
        outerVLAN = identifier
      } else if innerVLAN == nil {
        innerVLAN = identifier
      } else {
        return .unread(.notIP)
      }
      type = bytes.big16(offset + 2)
      offset += 4
    }
    if type == EtherType.ciscoMetaData {
      // Version, number of options, options of four bytes, then the type of what follows.
      guard bytes.byteCount - offset >= 2 else { return .unread(.linkHeaderCut) }
      let next = offset + 2 + 4 * Int(bytes.byte(offset + 1))
      guard bytes.byteCount - next >= 2 else { return .unread(.linkHeaderCut) }
      type = bytes.big16(next)
      offset = next + 2
    }
    // Some writers say IPv4 for whatever they captured: the version field decides between the two.
    guard type == EtherType.ipv4 || type == EtherType.ipv6 else { return .unread(.notIP) }
    return decodeIP(bytes, at: offset)
  }

  /// BSD null and loop: the address family in four bytes, in the byte order of the machine that captured.
  mutating func decodeFamily(_ bytes: RawSpan) -> Kind {
    guard bytes.byteCount >= 4 else { return .unread(.linkHeaderCut) }
    let family = bytes.big32(0)
    switch family > 0xFFFF ? family.byteSwapped : family {
    // AF_INET, and AF_INET6 of Linux, the BSDs and macOS.
    case 2, 10, 24, 28, 30: return decodeIP(bytes, at: 4)
    default: return .unread(.notIP)
    }
  }

  /// LINKTYPE_LINUX_SLL: 14 bytes, then the protocol (2).
  mutating func decodeLinuxCooked(_ bytes: RawSpan) -> Kind {
    guard bytes.byteCount >= 16 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(14), bytes, at: 16)
  }

  /// LINKTYPE_LINUX_SLL2: the protocol (2), then 18 bytes.
  mutating func decodeLinuxCooked2(_ bytes: RawSpan) -> Kind {
    guard bytes.byteCount >= 20 else { return .unread(.linkHeaderCut) }
    return decodeEtherType(bytes.big16(0), bytes, at: 20)
  }
}
