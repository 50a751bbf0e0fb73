import ByteParsing

extension PacketHeaders {
  /// Decodes L2TP over UDP, version 2 (RFC 2661 §3.1) or 3 (RFC 3931 §4.1.2): flags and version (2), then fields according to the flags.
  ///
  /// Nil for control messages, which carry no packets, and if a reserved bit is set, as in QUIC, whose client may use the same port.
  mutating func decodeL2TP(_ bytes: RawSpan) -> Kind? {
    guard payloadLength >= 6 else { return nil }
    var offset = payloadOffset
    let flags = bytes.big16(offset)
    guard flags & 0x8000 == 0 else { return nil }
    switch flags & 0x000F {
    case 3: return payloadLength >= 8 && flags == 3 ? decodeL2TPSession(bytes, at: offset + 4) : nil
    case 2 where flags & 0x34F0 == 0: break
    default: return nil
    }
    // Length (2)?, tunnel (2), session (2), sequence numbers (4)?, size of an offset (2)? and the offset.
    offset += flags & 0x4000 != 0 ? 4 : 2
    guard bytes.byteCount - offset >= 4 else { return .unread(.tunnelHeaderTruncated) }
    guard tunnels.append(.l2tp, UInt32(bytes.big16(offset + 2))) else { return .unread(.tooManyTunnels) }
    offset += flags & 0x0800 != 0 ? 8 : 4
    if flags & 0x0200 != 0 {
      guard bytes.byteCount - offset >= 2 else { return .unread(.tunnelHeaderTruncated) }
      offset += 2 + Int(bytes.big16(offset))
    }
    return decodePPP(bytes, at: offset)
  }

  /// Decodes a session of L2TP version 3: its number (4), a cookie of 0, 4 or 8 bytes, an optional sublayer (4), the frame.
  ///
  /// Cookie and sublayer are negotiated elsewhere, so the first offset at which a frame is plausible is used.
  mutating func decodeL2TPSession(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 4 else { return .unread(.tunnelHeaderTruncated) }
    let session = bytes.big32(offset)
    // Session 0 is for control messages.
    guard session != 0 else {
      holdsICMP = false
      return .unread(.otherTransport)
    }
    guard tunnels.append(.l2tp, session) else { return .unread(.tooManyTunnels) }
    for skipped in [4, 8, 12, 16] where looksLikeEthernet(bytes, at: offset + skipped, withIP: true) {
      return decodeEthernet(bytes, at: offset + skipped)
    }
    return .unread(.notIP)
  }
}
