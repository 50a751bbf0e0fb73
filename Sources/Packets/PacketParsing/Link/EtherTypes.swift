import ByteParsing

/// EtherTypes (IEEE 802 numbers).
@usableFromInline enum EtherType {
  /// The largest value that is a length, followed by LLC, instead of an EtherType (IEEE 802.3).
  static let greatestLength: UInt16 = 1500
  @inlinable
  static var ipv4: UInt16 { 0x0800 }
  @inlinable
  static var ipv6: UInt16 { 0x86DD }
  static let arp: UInt16 = 0x0806
  /// A whole Ethernet frame (in GRE and similar tunnels).
  static let transparentEthernet: UInt16 = 0x6558
  static let vlan: UInt16 = 0x8100
  static let mpls: UInt16 = 0x8847
  static let mplsUpstream: UInt16 = 0x8848
  static let pppoeSession: UInt16 = 0x8864
  /// IEEE 802.1ad (QinQ), the outer tag.
  static let serviceVLAN: UInt16 = 0x88A8
  static let macsec: UInt16 = 0x88E5
  /// IEEE 802.1ah, MAC in MAC.
  static let backboneService: UInt16 = 0x88E7
  /// Cisco MetaData, which carries security group tags.
  static let ciscoMetaData: UInt16 = 0x8909
  /// Cisco's virtual interface tag.
  static let virtualInterface: UInt16 = 0x8926
  /// IEEE 802.1BR port extender tag.
  static let portExtender: UInt16 = 0x893F
  /// Network service header.
  static let nsh: UInt16 = 0x894F
  /// The outer tag of older equipment.
  static let oldServiceVLAN: UInt16 = 0x9100
  static let olderServiceVLAN: UInt16 = 0x9200
}

extension PacketHeaders {
  /// Decodes the protocol that an EtherType identifies, at `start`.
  @inline(never)
  mutating func decodeEtherType(_ first: UInt16, _ bytes: RawSpan, at start: Int) -> Kind {
    var type = first
    var offset = start
    while true {
      let room = bytes.byteCount - offset
      // The bytes before the next EtherType. Each iteration advances by at least the two bytes of an EtherType, so the loop terminates.
      let tagLength: Int
      switch type {
      case EtherType.ipv4, EtherType.ipv6: return decodeIP(bytes, at: offset)
      case EtherType.vlan, EtherType.serviceVLAN, EtherType.oldServiceVLAN, EtherType.olderServiceVLAN:
        guard room >= 4 else { return .unread(.linkHeaderTruncated) }
        guard tunnels.append(.vlan, UInt32(bytes.big16(offset) & 0x0FFF)) else { return .unread(.tooManyTunnels) }
        tagLength = 2
      case EtherType.ciscoMetaData:
        // Version, number of options, options of four bytes.
        guard room >= 2 else { return .unread(.linkHeaderTruncated) }
        tagLength = 2 + 4 * Int(bytes.byte(offset + 1))
      case EtherType.virtualInterface: tagLength = 4
      case EtherType.portExtender: tagLength = 6
      case EtherType.macsec:
        guard room >= 6 else { return .unread(.linkHeaderTruncated) }
        let control = bytes.byte(offset)
        // Bits 0x0C: encrypted, changed. Without them the frame is only authenticated.
        guard control & 0x0C == 0 else { return .unread(.encryptedMACsec) }
        guard tunnels.append(.macsec) else { return .unread(.tooManyTunnels) }
        tagLength = control & 0x20 != 0 ? 14 : 6
      case EtherType.pppoeSession: return decodePPPoE(bytes, at: offset)
      case EtherType.mpls, EtherType.mplsUpstream: return decodeMPLS(bytes, at: offset)
      case EtherType.nsh: return decodeNSH(bytes, at: offset)
      case EtherType.backboneService:
        guard room >= 4 else { return .unread(.linkHeaderTruncated) }
        guard tunnels.append(.pbb, bytes.big32(offset) & 0xFF_FFFF) else { return .unread(.tooManyTunnels) }
        return decodeEthernet(bytes, at: offset + 4)
      case 0...EtherType.greatestLength:
        guard room >= 3 else { return .unread(.linkHeaderTruncated) }
        let access = bytes.big16(offset)
        if access == 0x0606, bytes.byte(offset + 2) == 3 { return decodeIP(bytes, at: offset + 3) }
        guard access == 0xAAAA else { return .unread(.notIP) }
        guard room >= 8 else { return .unread(.linkHeaderTruncated) }
        // SNAP: control (1), organization (3), EtherType (2). The organizations are those of RFC 1042 and IEEE 802.1H.
        let organization = bytes.big32(offset + 2) & 0xFF_FFFF
        guard organization == 0x00_0000 || organization == 0x00_00F8,
          bytes.big16(offset + 6) > EtherType.greatestLength
        else { return .unread(.notIP) }
        tagLength = 6
      default: return .unread(.notIP)
      }
      guard room >= tagLength + 2 else { return .unread(.linkHeaderTruncated) }
      type = bytes.big16(offset + tagLength)
      offset += tagLength + 2
    }
  }
}
