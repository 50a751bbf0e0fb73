import ByteParsing
import Values

/// Decodes the headers of packets, from the link layer inward.
///
/// Designed for millions of packets: no allocation, no thrown errors, wide loads at checked offsets.
extension PacketHeaders {
  /// Decodes the headers of one packet. `linkType` is a LINKTYPE_ value as in files.
  package mutating func decode(_ packet: Span<UInt8>, linkType: UInt16) -> Kind {
    tunnels.removeAll()
    end = .max
    return decodeLink(packet.raw, at: 0, linkType: linkType, isOutermost: true)
  }

  /// Decodes the protocol that a link type identifies. Link types that only wrap another one are allowed only as the outermost.
  @inline(never)
  mutating func decodeLink(_ bytes: RawSpan, at offset: Int, linkType: UInt16, isOutermost: Bool) -> Kind {
    switch LinkType(rawValue: linkType) {
    case .ethernet: return decodeEthernet(bytes, at: offset)
    case .raw, .rawDLT12, .rawDLT14, .ipv4, .ipv6:
      return decodeIP(bytes, at: offset)
    case .null, .loop: return decodeFamily(bytes, at: offset)
    case .linuxSLL: return decodeTyped(bytes, at: offset, typeOffset: 14, length: 16)
    case .linuxSLL2: return decodeTyped(bytes, at: offset, typeOffset: 0, length: 20)
    case .ieee80211: return decodeIEEE80211(bytes, at: offset)
    case .ieee80211Radiotap: return decodeRadiotap(bytes, at: offset)
    case .ieee80211Prism: return decodePrism(bytes, at: offset)
    case .ieee80211AVS: return decodeAVS(bytes, at: offset)
    case .slip: return decodeIP(bytes, at: offset + 16)
    case .ppp, .pppHDLC: return decodePPPOrHDLC(bytes, at: offset)
    case .pppEthernet: return decodePPPoE(bytes, at: offset)
    case .pppPPPD: return decodePPPD(bytes, at: offset)
    case .pppWithDirection: return decodePPPOrHDLC(bytes, at: offset + 1)
    case .ciscoHDLC: return decodeCiscoHDLC(bytes, at: offset)
    case .ciscoHDLCWithDirection: return decodeCiscoHDLC(bytes, at: offset + 1)
    case .frameRelay: return decodeFrameRelay(bytes, at: offset)
    case .frameRelayWithDirection: return decodeFrameRelay(bytes, at: offset + 1)
    case .atmRFC1483: return decodeLLC(bytes, at: offset)
    case .sunATM: return decodeSunATM(bytes, at: offset)
    case .firewire: return decodeTyped(bytes, at: offset, typeOffset: 16, length: 18)
    case .tokenRing: return decodeTokenRing(bytes, at: offset)
    // Frame control (1), receiver (6), sender (6).
    case .fddi: return decodeLLC(bytes, at: offset + 13)
    // The network header of RFC 4338: receiver (8), sender (8).
    case .fibreChannel: return decodeLLC(bytes, at: offset + 16)
    case .erf: return decodeERF(bytes, at: offset)
    case .oldPflog: return decodeIP(bytes, at: offset + 28)
    case .pflog: return decodePflog(bytes, at: offset)
    case .nflog: return decodeNFLOG(bytes, at: offset)
    case .enc: return decodeIP(bytes, at: offset + 12)
    case .ipnet: return decodeIP(bytes, at: offset + 24)
    case .pktap, .user2:
      if isOutermost, let kind = decodePKTAP(bytes, at: offset) { return kind }
    case .ppi:
      if isOutermost { return decodePPI(bytes, at: offset) }
    default: break
    }
    unknownLinkType = linkType
    return .unread(.unknownLinkType)
  }
}
