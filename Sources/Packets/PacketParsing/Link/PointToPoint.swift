import ByteParsing

/// PPP protocol numbers (IANA "Point-to-Point (PPP) Protocol Field Assignments").
private enum PPPProtocol {
  static let ipv4: UInt16 = 0x0021
  static let ipv6: UInt16 = 0x0057
  static let mpls: UInt16 = 0x0281
  static let mplsMulticast: UInt16 = 0x0283
}

extension PacketHeaders {
  /// Decodes PPP with or without address and control fields, or Cisco's HDLC, which has the same link type.
  mutating func decodePPPOrHDLC(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount > offset else { return .unread(.linkHeaderTruncated) }
    switch bytes.byte(offset) {
    case 0x0F, 0x8F: return decodeCiscoHDLC(bytes, at: offset)
    default: return decodePPP(bytes, at: offset)
    }
  }

  /// Decodes PPP (RFC 1661 §2): the protocol in two bytes, or in one if that is odd, after `FF 03` in HDLC-like framing.
  mutating func decodePPP(_ bytes: RawSpan, at offset: Int) -> Kind {
    var position = offset
    guard bytes.byteCount - position >= 2 else { return .unread(.linkHeaderTruncated) }
    if bytes.big16(position) == 0xFF03 { position += 2 }
    guard bytes.byteCount - position >= 2 else { return .unread(.linkHeaderTruncated) }
    var number = UInt16(bytes.byte(position))
    if number & 1 == 0 {
      number = bytes.big16(position)
      position += 1
    }
    position += 1
    switch number {
    case PPPProtocol.ipv4, PPPProtocol.ipv6: return decodeIP(bytes, at: position)
    case PPPProtocol.mpls, PPPProtocol.mplsMulticast: return decodeMPLS(bytes, at: position)
    default: return .unread(.notIP)
    }
  }

  /// Decodes LINKTYPE_PPP_PPPD: PPP with a direction instead of the address.
  mutating func decodePPPD(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 2 else { return .unread(.linkHeaderTruncated) }
    return decodePPP(bytes, at: bytes.byte(offset + 1) == 0x03 ? offset + 2 : offset)
  }

  /// Decodes PPPoE's session stage (RFC 2516 §4): version and type (1), code (1), session (2), length (2), PPP.
  mutating func decodePPPoE(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 6 else { return .unread(.linkHeaderTruncated) }
    // Discovery uses other codes.
    guard bytes.byte(offset) == 0x11, bytes.byte(offset + 1) == 0 else { return .unread(.notIP) }
    guard tunnels.append(.pppoe, UInt32(bytes.big16(offset + 2))) else { return .unread(.tooManyTunnels) }
    // Bytes beyond this length are padding, even if an inner packet's length includes them. Segmentation offloading leaves 0.
    let length = Int(bytes.big16(offset + 4))
    if length > 0, bytes.byteCount - offset - 6 >= length { end = min(end, offset + 6 + length) }
    return decodePPP(bytes, at: offset + 6)
  }

  /// Decodes Cisco's HDLC: address (1), control (1), EtherType (2).
  mutating func decodeCiscoHDLC(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.linkHeaderTruncated) }
    let type = bytes.big16(offset + 2)
    guard type > EtherType.greatestLength else { return .unread(.notIP) }
    return decodeEtherType(type, bytes, at: offset + 4)
  }

  /// Decodes Frame Relay (Q.922, RFC 2427): an address of two to four bytes, then control and NLPID, or an EtherType.
  mutating func decodeFrameRelay(_ bytes: RawSpan, at offset: Int) -> Kind {
    var position = offset
    // The last byte of the address has its lowest bit set.
    repeat {
      guard position - offset < 4 else { return .unread(.linkHeaderInvalid) }
      guard bytes.byteCount > position else { return .unread(.linkHeaderTruncated) }
      position += 1
    } while bytes.byte(position - 1) & 1 == 0
    guard bytes.byteCount - position >= 2 else { return .unread(.linkHeaderTruncated) }
    guard bytes.byte(position) == 0x03 else {
      // Cisco's encapsulation.
      let type = bytes.big16(position)
      guard type > EtherType.greatestLength else { return .unread(.notIP) }
      return decodeEtherType(type, bytes, at: position + 2)
    }
    position += bytes.byte(position + 1) == 0 ? 2 : 1
    guard bytes.byteCount > position else { return .unread(.linkHeaderTruncated) }
    switch bytes.byte(position) {
    case 0xCC, 0x8E: return decodeIP(bytes, at: position + 1)
    case 0x80:
      // SNAP: organization (3), type (2).
      guard bytes.byteCount - position >= 6 else { return .unread(.linkHeaderTruncated) }
      let type = bytes.big16(position + 4)
      guard bytes.big32(position) & 0xFF_FFFF == 0, type > EtherType.greatestLength else { return .unread(.notIP) }
      return decodeEtherType(type, bytes, at: position + 6)
    default: return .unread(.notIP)
    }
  }
}
