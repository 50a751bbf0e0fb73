import ByteParsing

/// Ports of tunnels over UDP (IANA "Service Name and Transport Protocol Port Number Registry").
private enum TunnelPort {
  static let l2tp: UInt16 = 1701
  static let gtpU: UInt16 = 2152
  static let teredo: UInt16 = 3544
  static let lisp: UInt16 = 4341
  static let ipsec: UInt16 = 4500
  static let gre: UInt16 = 4754
  static let capwapData: UInt16 = 5247
  /// The port of FOU in Linux's examples; none is registered.
  static let fou: UInt16 = 5555
  static let gue: UInt16 = 6080
  static let vxlan: UInt16 = 4789
  static let vxlanGPE: UInt16 = 4790
  static let geneve: UInt16 = 6081
  static let mpls: UInt16 = 6635
  /// The port that Linux used for VXLAN before one was registered.
  static let oldVXLAN: UInt16 = 8472
  static let tzsp: UInt16 = 37008
}

extension PacketHeaders {
  /// Whether a datagram may contain a tunnel, by its ports or because it begins like an IPv6 packet.
  @inline(__always)
  func mayCarryTunnel(_ bytes: RawSpan) -> Bool {
    switch destinationPort {
    case TunnelPort.l2tp, TunnelPort.gtpU, TunnelPort.ipsec, TunnelPort.gre, TunnelPort.vxlan,
      TunnelPort.vxlanGPE, TunnelPort.geneve, TunnelPort.mpls, TunnelPort.oldVXLAN, TunnelPort.teredo,
      TunnelPort.capwapData, TunnelPort.tzsp, TunnelPort.lisp, TunnelPort.fou, TunnelPort.gue:
      return true
    default: break
    }
    switch sourcePort {
    // Tunnels in which both endpoints use the registered port.
    case TunnelPort.l2tp, TunnelPort.gtpU, TunnelPort.ipsec, TunnelPort.teredo, TunnelPort.capwapData:
      return true
    default: return payloadLength >= 40 && bytes.byte(payloadOffset) & 0xF0 == 0x60
    }
  }

  /// Decodes the tunnel in a datagram; nil if there is none.
  @inline(never)
  mutating func decodeUDPTunnel(_ bytes: RawSpan) -> Kind? {
    switch destinationPort {
    case TunnelPort.vxlan, TunnelPort.oldVXLAN: return decodeVXLAN(bytes, isGeneric: false)
    case TunnelPort.vxlanGPE: return decodeVXLAN(bytes, isGeneric: true)
    case TunnelPort.geneve: return decodeGeneve(bytes)
    case TunnelPort.gre: return payloadLength >= 4 ? decodeGRE(bytes, at: payloadOffset) : nil
    case TunnelPort.mpls: return payloadLength >= 4 ? decodeMPLS(bytes, at: payloadOffset) : nil
    case TunnelPort.tzsp: return decodeTZSP(bytes)
    case TunnelPort.lisp: if let kind = decodeLISP(bytes) { return kind }
    case TunnelPort.fou: if let kind = decodePacketInUDP(.fou, bytes, at: payloadOffset) { return kind }
    case TunnelPort.gue: if let kind = decodeGUE(bytes) { return kind }
    default: break
    }
    // In these tunnels, both endpoints use the registered port.
    if isBetween(TunnelPort.gtpU), let kind = decodeGTPU(bytes) { return kind }
    if isBetween(TunnelPort.l2tp), let kind = decodeL2TP(bytes) { return kind }
    if isBetween(TunnelPort.capwapData) { return decodeCAPWAP(bytes) }
    if isBetween(TunnelPort.ipsec), payloadLength >= 8 {
      // Four zero bytes precede IKE (RFC 3948 §2.2); any other value is the SPI of an ESP packet.
      return bytes.big32(payloadOffset) == 0 ? nil : .unread(.encryptedESP)
    }
    return decodeTeredo(bytes, isPort: isBetween(TunnelPort.teredo))
  }

  private func isBetween(_ port: UInt16) -> Bool { sourcePort == port || destinationPort == port }

  /// Decodes VXLAN (RFC 7348 §5): flags (1), reserved (3), network (3), reserved (1), Ethernet. The generic protocol extension
  /// (draft-ietf-nvo3-vxlan-gpe) may state another protocol before the network.
  private mutating func decodeVXLAN(_ bytes: RawSpan, isGeneric: Bool) -> Kind? {
    guard payloadLength >= 8, bytes.byte(payloadOffset) & 0x08 != 0 else { return nil }
    // Reserved bits: QUIC sets the first, and its client may use the port of a tunnel.
    guard isGeneric ? bytes.byte(payloadOffset) & 0x40 == 0 : bytes.byte(payloadOffset + 7) == 0 else { return nil }
    let offset = payloadOffset
    let hasNext = isGeneric && bytes.byte(offset) & 0x04 != 0
    guard tunnels.append(.vxlan, bytes.big32(offset + 4) >> 8) else { return .unread(.tooManyTunnels) }
    return decodeNextProtocol(hasNext ? bytes.byte(offset + 3) : 3, bytes, at: offset + 8)
  }

  /// Decodes Geneve (RFC 8926 §3.4): version and length of options in words (1), flags (1), protocol (2), network (3), reserved (1).
  private mutating func decodeGeneve(_ bytes: RawSpan) -> Kind? {
    // Version 0, and no reserved flag: DTLS sets some.
    guard payloadLength >= 8, bytes.byte(payloadOffset) >> 6 == 0, bytes.byte(payloadOffset + 1) & 0x3F == 0 else { return nil }
    let offset = payloadOffset
    let start = offset + 8 + Int(bytes.byte(offset) & 0x3F) * 4
    guard tunnels.append(.geneve, bytes.big32(offset + 4) >> 8) else { return .unread(.tooManyTunnels) }
    guard bytes.byteCount >= start else { return .unread(.tunnelHeaderTruncated) }
    return decodeTunneled(bytes.big16(offset + 2), bytes, at: start)
  }

  /// Decodes GTP-U (3GPP TS 29.281 §5): flags (1), message type (1), length (2), endpoint (4), options and extensions.
  private mutating func decodeGTPU(_ bytes: RawSpan) -> Kind? {
    // GTP version 1, and a G-PDU: other messages are about the tunnel itself.
    guard payloadLength >= 8, bytes.byte(payloadOffset) & 0xF0 == 0x30, bytes.byte(payloadOffset + 1) == 0xFF else { return nil }
    var offset = payloadOffset
    let flags = bytes.byte(offset)
    guard tunnels.append(.gtpU, bytes.big32(offset + 4)) else { return .unread(.tooManyTunnels) }
    offset += 8
    if flags & 0x07 != 0 {
      guard bytes.byteCount - offset >= 4 else { return .unread(.tunnelHeaderTruncated) }
      var next = flags & 0x04 != 0 ? bytes.byte(offset + 3) : 0
      offset += 4
      while next != 0 {
        guard bytes.byteCount > offset else { return .unread(.tunnelHeaderTruncated) }
        let length = Int(bytes.byte(offset)) * 4
        guard length > 0 else { return .unread(.tunnelHeaderInvalid) }
        guard bytes.byteCount - offset >= length else { return .unread(.tunnelHeaderTruncated) }
        next = bytes.byte(offset + length - 1)
        offset += length
      }
    }
    guard bytes.byteCount > offset else { return .unread(.tunnelHeaderTruncated) }
    // 5G sessions may carry Ethernet, whose first MAC address may begin as IP does.
    switch bytes.byte(offset) >> 4 {
    case 4 where looksLikeIPv4(bytes, at: offset), 6 where looksLikeIPv6(bytes, at: offset):
      return decodeIP(bytes, at: offset)
    default:
      return looksLikeEthernet(bytes, at: offset) ? decodeEthernet(bytes, at: offset) : decodeIP(bytes, at: offset)
    }
  }

  /// Decodes CAPWAP's data channel (RFC 5415 §4.3): version and kind (1), length in words (5 bits), radio (5), binding (5), flags (9),
  /// fragment position (4), more; then an 802.11 or Ethernet frame.
  private mutating func decodeCAPWAP(_ bytes: RawSpan) -> Kind? {
    guard payloadLength >= 8 else { return nil }
    let offset = payloadOffset
    // Kind 1: a record of DTLS follows, in which the frames are encrypted.
    if bytes.big32(offset) == 0x0100_0000, bytes.byte(offset + 4) == 23, bytes.byte(offset + 5) == 0xFE { return .unread(.encryptedWLAN) }
    // Version 0.
    guard bytes.byte(offset) == 0 else { return nil }
    let header = bytes.big32(offset)
    let start = offset + Int(header >> 19 & 0x1F) * 4
    // The flag for keep-alives, which carry no frame.
    guard start >= offset + 8, header & 0x08 == 0 else { return nil }
    guard tunnels.append(.capwap) else { return .unread(.tooManyTunnels) }
    guard bytes.byteCount >= start else { return .unread(.tunnelHeaderTruncated) }
    // Only the first fragment of a frame contains its headers.
    guard header & 0x80 == 0 || bytes.big16(offset + 6) >> 3 == 0 else { return .unread(.linkFragment) }
    guard header & 0x0100 != 0 else { return decodeEthernet(bytes, at: start) }
    return decodeIEEE80211(bytes, at: start, mayBeSwapped: true)
  }

  /// Decodes TZSP: version (1), type (1), link type (2), fields of a tag (1), a length (1) and a value, up to tag 1; then a frame.
  private mutating func decodeTZSP(_ bytes: RawSpan) -> Kind? {
    // Version 1. Types 0 and 1 contain a frame: received, or to be sent.
    guard payloadLength >= 4, bytes.byte(payloadOffset) == 1, bytes.byte(payloadOffset + 1) <= 1 else { return nil }
    let linkType = bytes.big16(payloadOffset + 2)
    // Ethernet, 802.11.
    guard linkType == 1 || linkType == 18 else { return nil }
    var offset = payloadOffset + 4
    guard tunnels.append(.tzsp) else { return .unread(.tooManyTunnels) }
    while bytes.byteCount - offset >= 2, bytes.byte(offset) != 1 {
      // Tag 0 is padding without a length.
      offset += bytes.byte(offset) == 0 ? 1 : 2 + Int(bytes.byte(offset + 1))
    }
    guard bytes.byteCount - offset >= 2 else { return .unread(.tunnelHeaderTruncated) }
    return linkType == 1 ? decodeEthernet(bytes, at: offset + 1) : decodeIEEE80211(bytes, at: offset + 1)
  }

  /// Decodes LISP (RFC 9300 §5.3): flags (1), nonce or versions (3), instance (3) and more (1), IP.
  private mutating func decodeLISP(_ bytes: RawSpan) -> Kind? {
    guard payloadLength >= 8 else { return nil }
    let instance: UInt32? = bytes.byte(payloadOffset) & 0x08 != 0 ? bytes.big32(payloadOffset + 4) >> 8 : nil
    return decodePacketInUDP(.lisp, bytes, at: payloadOffset + 8, identifier: instance)
  }

  /// Decodes GUE (draft-ietf-intarea-gue-09 §3): version (2 bits), control (1), length of options in words (5), protocol (1), flags (2),
  /// options, IP; or IP alone, whose first bits are version 1 of GUE.
  private mutating func decodeGUE(_ bytes: RawSpan) -> Kind? {
    guard payloadLength >= 4 else { return nil }
    let first = bytes.byte(payloadOffset)
    if first >> 6 == 1 { return decodePacketInUDP(.gue, bytes, at: payloadOffset) }
    let number = bytes.byte(payloadOffset + 1)
    guard first >> 5 == 0, number == IPProtocol.ipv4 || number == IPProtocol.ipv6 else { return nil }
    return decodePacketInUDP(.gue, bytes, at: payloadOffset + 4 + Int(first & 0x1F) * 4)
  }

  /// Decodes an IP packet that ends with the datagram; nil if there is none, because other protocols may use the port.
  private mutating func decodePacketInUDP(_ kind: TunnelKind, _ bytes: RawSpan, at offset: Int, identifier: UInt32? = nil) -> Kind? {
    let length = payloadOffset + payloadLengthOnWire - offset
    guard payloadOffset + payloadLength - offset >= 20 else { return nil }
    switch bytes.byte(offset) >> 4 {
    case 4: guard bytes.byte(offset) & 0x0F >= 5, Int(bytes.big16(offset + 2)) == length else { return nil }
    case 6: guard Int(bytes.big16(offset + 4)) + 40 == length else { return nil }
    default: return nil
    }
    guard tunnels.append(kind, identifier) else { return .unread(.tooManyTunnels) }
    return decodeIP(bytes, at: offset)
  }

  /// Decodes Teredo (RFC 4380 §5.1.1): an authentication (13 bytes or more) and an origin (8) may precede IPv6.
  ///
  /// Between clients, any port is used; the length must then be right, and one address must be Teredo's.
  private mutating func decodeTeredo(_ bytes: RawSpan, isPort: Bool) -> Kind? {
    var offset = payloadOffset
    let end = payloadOffset + payloadLength
    if isPort, end - offset >= 13, bytes.big16(offset) == 0x0001 {
      offset += 13 + Int(bytes.byte(offset + 2)) + Int(bytes.byte(offset + 3))
    }
    if isPort, end - offset >= 8, bytes.big16(offset) == 0x0000 { offset += 8 }
    guard end - offset >= 40, bytes.byte(offset) & 0xF0 == 0x60 else { return nil }
    let missing = payloadLengthOnWire - payloadLength
    guard Int(bytes.big16(offset + 4)) + 40 == end - offset + missing else { return nil }
    // 2001::/32
    guard isPort || bytes.big32(offset + 8) == 0x2001_0000 || bytes.big32(offset + 24) == 0x2001_0000 else { return nil }
    guard tunnels.append(.teredo) else { return .unread(.tooManyTunnels) }
    return decodeIP(bytes, at: offset)
  }
}
