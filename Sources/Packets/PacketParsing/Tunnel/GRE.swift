import ByteParsing

/// GRE protocol types that are not EtherTypes.
private enum GREPayload {
  static let ppp: UInt16 = 0x880B
  /// Web Cache Communication Protocol: a four-byte redirect header may precede IP.
  static let webCache: UInt16 = 0x883E
  static let erspan: UInt16 = 0x88BE
  static let erspan3: UInt16 = 0x22EB
  /// MikroTik's Ethernet over IP.
  static let eoip: UInt16 = 0x6400
}

extension PacketHeaders {
  /// Decodes GRE (RFC 2784 §2, RFC 2890): flags and version (2), protocol (2), then the fields that the flags announce.
  ///
  ///     |C|R|K|S|s|recursion|A| flags |version| protocol type |
  mutating func decodeGRE(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.tunnelHeaderTruncated) }
    let flags = bytes.big16(offset)
    let type = bytes.big16(offset + 2)
    let hasKey = flags & 0x2000 != 0
    let hasSequence = flags & 0x1000 != 0
    if flags & 7 == 1, type == GREPayload.ppp { return decodePPTP(flags, bytes, at: offset) }
    if flags & 7 == 1, type == GREPayload.eoip { return decodeEoIP(bytes, at: offset) }
    // RFC 2784 withdrew routing, and no other version was assigned.
    guard flags & 7 == 0, flags & 0x4000 == 0 else { return .unread(.tunnelHeaderInvalid) }
    let keyOffset = offset + (flags & 0x8000 != 0 ? 8 : 4)
    let start = keyOffset + (hasKey ? 4 : 0) + (hasSequence ? 4 : 0)
    guard bytes.byteCount >= start else { return .unread(.tunnelHeaderTruncated) }
    if type == GREPayload.erspan || type == GREPayload.erspan3 {
      return decodeERSPAN(bytes, at: start, hasHeader: hasSequence, isVersion3: type == GREPayload.erspan3)
    }
    guard tunnels.append(.gre, hasKey ? bytes.big32(keyOffset) : nil) else { return .unread(.tooManyTunnels) }
    switch type {
    case GREPayload.ppp: return decodePPP(bytes, at: start)
    case GREPayload.webCache:
      guard bytes.byteCount > start else { return .unread(.tunnelHeaderTruncated) }
      // WCCP 2 inserts flags and buckets. The flag 0x40 shows another bucket, and looks like IPv4 with a header length of 0.
      return decodeIP(bytes, at: (0x45...0x4F).contains(bytes.byte(start)) ? start : start + 4)
    default: return decodeTunneled(type, bytes, at: start)
    }
  }

  /// Decodes the protocol that the EtherType in a tunnel header identifies; the tunnel has been added to `tunnels`.
  mutating func decodeTunneled(_ type: UInt16, _ bytes: RawSpan, at offset: Int) -> Kind {
    if type == EtherType.transparentEthernet { return decodeEthernet(bytes, at: offset) }
    guard type > EtherType.greatestLength else { return .unread(.notIP) }
    return decodeEtherType(type, bytes, at: offset)
  }

  /// Decodes PPTP's GRE (RFC 2637 §4.1): payload length (2), call (2), sequence and acknowledgment (4 each), PPP.
  private mutating func decodePPTP(_ flags: UInt16, _ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.tunnelHeaderTruncated) }
    guard tunnels.append(.pptp, UInt32(bytes.big16(offset + 6))) else { return .unread(.tooManyTunnels) }
    // A packet without a sequence number only acknowledges.
    guard flags & 0x1000 != 0 else { return .unread(.notIP) }
    return decodePPP(bytes, at: offset + 12 + (flags & 0x0080 != 0 ? 4 : 0))
  }

  /// Decodes EoIP: length of the frame (2), tunnel (2, little-endian), Ethernet.
  private mutating func decodeEoIP(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.tunnelHeaderTruncated) }
    guard tunnels.append(.gre, UInt32(bytes.little16(offset + 6))) else { return .unread(.tooManyTunnels) }
    // A keep-alive contains no frame.
    guard bytes.big16(offset + 4) > 0 else { return .unread(.notIP) }
    return decodeEthernet(bytes, at: offset + 8)
  }

  /// Decodes ERSPAN (draft-foschiano-erspan): no header, one of 8 bytes, or one of 12 and optionally 8 more.
  private mutating func decodeERSPAN(_ bytes: RawSpan, at offset: Int, hasHeader: Bool, isVersion3: Bool) -> Kind {
    guard hasHeader || isVersion3 else {
      guard tunnels.append(.erspan) else { return .unread(.tooManyTunnels) }
      return decodeEthernet(bytes, at: offset)
    }
    var length = isVersion3 ? 12 : 8
    guard bytes.byteCount - offset >= length else { return .unread(.tunnelHeaderTruncated) }
    if isVersion3, bytes.byte(offset + 11) & 1 != 0 { length += 8 }
    let session = UInt32(bytes.big16(offset + 2) & 0x03FF)
    guard tunnels.append(.erspan, session) else { return .unread(.tooManyTunnels) }
    return decodeEthernet(bytes, at: offset + length)
  }
}
