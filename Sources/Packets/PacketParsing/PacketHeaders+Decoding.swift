import ByteParsing

/// Reads the headers of packets, from the link layer inwards.
///
/// Made for millions of packets: no allocation, no errors thrown, wide loads at checked offsets. Ordinary segments on Ethernet
/// are read in one straight line; everything else is called from there and never inlined into it.
extension PacketHeaders {
  /// Reads the headers of one packet whose link type has the number `linkType` (a LINKTYPE_ value as in files).
  package mutating func decode(_ packet: Span<UInt8>, linkType: UInt16) -> Kind {
    if decodeFastPathSegment(packet, linkType: linkType) { return .tcp }
    return decodeOther(packet, linkType: linkType)
  }

  /// Reads a packet that `decodeFastPathSegment` left alone.
  package mutating func decodeOther(_ packet: Span<UInt8>, linkType: UInt16) -> Kind {
    tunnels.removeAll()
    end = .max
    if linkType == LinkNumber.ethernet, decodeFastPathDatagram(packet.raw) { return .udp }
    return decodeLink(packet.raw, at: 0, linkType: linkType, isOutermost: true)
  }

  /// What a link type announces. Types that only wrap another one are read as the outermost only.
  @inline(never)
  mutating func decodeLink(_ bytes: RawSpan, at offset: Int, linkType: UInt16, isOutermost: Bool) -> Kind {
    switch linkType {
    case LinkNumber.ethernet: return decodeEthernet(bytes, at: offset)
    case LinkNumber.raw, LinkNumber.rawBSD, LinkNumber.rawOpenBSD, LinkNumber.ipv4, LinkNumber.ipv6:
      return decodeIP(bytes, at: offset)
    case LinkNumber.null, LinkNumber.loop: return decodeFamily(bytes, at: offset)
    case LinkNumber.linuxSLL: return decodeLinuxCooked(bytes, at: offset)
    case LinkNumber.linuxSLL2: return decodeLinuxCooked2(bytes, at: offset)
    case LinkNumber.ieee80211: return decodeIEEE80211(bytes, at: offset, isPadded: false)
    case LinkNumber.radiotap: return decodeRadiotap(bytes, at: offset)
    case LinkNumber.prism: return decodePrism(bytes, at: offset)
    case LinkNumber.avs: return decodeAVS(bytes, at: offset)
    case LinkNumber.slip: return decodeIP(bytes, at: offset + 16)
    case LinkNumber.ppp, LinkNumber.pppHDLC: return decodePPPOrHDLC(bytes, at: offset)
    case LinkNumber.pppEthernet: return decodePPPoE(bytes, at: offset)
    case LinkNumber.pppPPPD: return decodePPPD(bytes, at: offset)
    case LinkNumber.pppWithDirection: return decodePPPOrHDLC(bytes, at: offset + 1)
    case LinkNumber.ciscoHDLC: return decodeCiscoHDLC(bytes, at: offset)
    case LinkNumber.ciscoHDLCWithDirection: return decodeCiscoHDLC(bytes, at: offset + 1)
    case LinkNumber.frameRelay: return decodeFrameRelay(bytes, at: offset)
    case LinkNumber.frameRelayWithDirection: return decodeFrameRelay(bytes, at: offset + 1)
    case LinkNumber.atmRFC1483: return decodeLLC(bytes, at: offset)
    case LinkNumber.sunATM: return decodeSunATM(bytes, at: offset)
    case LinkNumber.firewire: return decodeFirewire(bytes, at: offset)
    case LinkNumber.tokenRing: return decodeTokenRing(bytes, at: offset)
    // Frame control (1), receiver (6), sender (6).
    case LinkNumber.fddi: return decodeLLC(bytes, at: offset + 13)
    // The network header of RFC 4338: receiver (8), sender (8).
    case LinkNumber.fibreChannel: return decodeLLC(bytes, at: offset + 16)
    case LinkNumber.erf: return decodeERF(bytes, at: offset)
    case LinkNumber.oldPflog: return decodeIP(bytes, at: offset + 28)
    case LinkNumber.pflog: return decodePflog(bytes, at: offset)
    case LinkNumber.nflog: return decodeNFLOG(bytes, at: offset)
    case LinkNumber.enc: return decodeIP(bytes, at: offset + 12)
    case LinkNumber.pktap, LinkNumber.user2:
      if isOutermost, let kind = decodePKTAP(bytes, at: offset) { return kind }
    case LinkNumber.ppi:
      if isOutermost { return decodePPI(bytes, at: offset) }
    default: break
    }
    unknownLinkType = linkType
    return .unread(.unknownLinkType)
  }
}

/// The link types that are read (the registry of tcpdump.org).
@usableFromInline
enum LinkNumber {
  static let null: UInt16 = 0
  @inlinable
  static var ethernet: UInt16 { 1 }
  static let tokenRing: UInt16 = 6
  static let slip: UInt16 = 8
  static let ppp: UInt16 = 9
  static let fddi: UInt16 = 10
  /// DLT_RAW of most systems, which some writers put into files.
  static let rawBSD: UInt16 = 12
  /// DLT_RAW of OpenBSD.
  static let rawOpenBSD: UInt16 = 14
  /// The log of OpenBSD's packet filter before its header had a length.
  static let oldPflog: UInt16 = 17
  static let pppHDLC: UInt16 = 50
  static let pppEthernet: UInt16 = 51
  static let atmRFC1483: UInt16 = 100
  static let raw: UInt16 = 101
  static let ciscoHDLC: UInt16 = 104
  static let ieee80211: UInt16 = 105
  static let frameRelay: UInt16 = 107
  static let loop: UInt16 = 108
  static let enc: UInt16 = 109
  static let linuxSLL: UInt16 = 113
  static let pflog: UInt16 = 117
  static let prism: UInt16 = 119
  /// IP over Fibre Channel.
  static let fibreChannel: UInt16 = 122
  static let sunATM: UInt16 = 123
  static let radiotap: UInt16 = 127
  static let firewire: UInt16 = 138
  /// User-defined; PKTAP of Apple's older systems.
  static let user2: UInt16 = 149
  static let avs: UInt16 = 163
  static let pppPPPD: UInt16 = 166
  static let ppi: UInt16 = 192
  /// The record format of Endace's cards.
  static let erf: UInt16 = 197
  static let pppWithDirection: UInt16 = 204
  static let ciscoHDLCWithDirection: UInt16 = 205
  static let frameRelayWithDirection: UInt16 = 206
  static let ipv4: UInt16 = 228
  static let ipv6: UInt16 = 229
  static let nflog: UInt16 = 239
  static let pktap: UInt16 = 258
  static let linuxSLL2: UInt16 = 276
}
