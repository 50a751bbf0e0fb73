import ByteParsing

extension PacketHeaders {
  /// Decodes a stack of MPLS labels (RFC 3032 §2.1): label (20 bits), traffic class (3), bottom of stack (1), time to live (8).
  mutating func decodeMPLS(_ bytes: RawSpan, at start: Int) -> Kind {
    var offset = start
    var isBottom = false
    while !isBottom {
      guard bytes.byteCount - offset >= 4 else { return .unread(.tunnelHeaderTruncated) }
      let entry = bytes.big32(offset)
      guard tunnels.append(.mpls, entry >> 12) else { return .unread(.tooManyTunnels) }
      isBottom = entry & 0x100 != 0
      offset += 4
    }
    guard bytes.byteCount > offset else { return .unread(.tunnelHeaderTruncated) }
    // The payload type is implicit: IP is recognized by its version, unless that is the first digit of a MAC address.
    switch bytes.byte(offset) >> 4 {
    case 4 where looksLikeIPv4(bytes, at: offset), 6 where looksLikeIPv6(bytes, at: offset):
      return decodeIP(bytes, at: offset)
    case 0 where looksLikeEthernet(bytes, at: offset + 4):
      // A control word (RFC 4385 §3).
      guard tunnels.append(.pseudowire) else { return .unread(.tooManyTunnels) }
      return decodeEthernet(bytes, at: offset + 4)
    default:
      guard looksLikeEthernet(bytes, at: offset) else { return decodeIP(bytes, at: offset) }
      guard tunnels.append(.pseudowire) else { return .unread(.tooManyTunnels) }
      return decodeEthernet(bytes, at: offset)
    }
  }

  /// Whether bytes that begin with 4 are an IPv4 packet rather than an Ethernet frame.
  func looksLikeIPv4(_ bytes: RawSpan, at offset: Int) -> Bool {
    guard bytes.byteCount - offset >= 20 else { return true }
    let length = Int(bytes.big16(offset + 2))
    // Other bytes have this value only by chance, but an address may contain what looks like an EtherType.
    if length == bytes.byteCount - offset { return true }
    return bytes.byte(offset) & 0x0F >= 5 && (length >= 20 || length == 0) && !looksLikeEthernet(bytes, at: offset, withIP: true)
  }

  /// Whether bytes that begin with 6 are an IPv6 packet rather than an Ethernet frame.
  func looksLikeIPv6(_ bytes: RawSpan, at offset: Int) -> Bool {
    if bytes.byteCount - offset >= 40, Int(bytes.big16(offset + 4)) == bytes.byteCount - offset - 40 { return true }
    return !looksLikeEthernet(bytes, at: offset, withIP: true)
  }

  /// Whether there is an Ethernet frame with a plausible EtherType at `offset`. If `withIP`, an IP header of the right version must follow,
  /// perhaps after VLAN tags or PPPoE.
  func looksLikeEthernet(_ bytes: RawSpan, at offset: Int, withIP: Bool = false) -> Bool {
    guard bytes.byteCount - offset >= 15 else { return false }
    var type = bytes.big16(offset + 12)
    guard withIP else {
      switch type {
      case EtherType.ipv4, EtherType.ipv6, EtherType.vlan, EtherType.serviceVLAN, EtherType.arp, EtherType.pppoeSession, EtherType.mpls:
        return true
      default: return false
      }
    }
    var payload = offset + 14
    // The tags of a provider and of its customer.
    for _ in 0..<2 where type == EtherType.vlan || type == EtherType.serviceVLAN {
      guard bytes.byteCount - payload >= 5 else { return false }
      type = bytes.big16(payload + 2)
      payload += 4
    }
    switch type {
    case EtherType.ipv4: return bytes.byte(payload) & 0xF0 == 0x40
    case EtherType.ipv6: return bytes.byte(payload) & 0xF0 == 0x60
    case EtherType.pppoeSession:
      // Version and type (1), code (1), session (2), length (2), the protocol of PPP (2): IPv4 or IPv6.
      guard bytes.byteCount - payload >= 9, bytes.big16(payload) == 0x1100 else { return false }
      switch bytes.big16(payload + 6) {
      case 0x0021: return bytes.byte(payload + 8) & 0xF0 == 0x40
      case 0x0057: return bytes.byte(payload + 8) & 0xF0 == 0x60
      default: return false
      }
    default: return false
    }
  }

  /// Decodes a network service header (RFC 8300 §2): version, flags, hops and length in words (2), metadata type (1), next (1).
  mutating func decodeNSH(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.tunnelHeaderTruncated) }
    let length = Int(bytes.big16(offset) & 0x3F) * 4
    guard length >= 8 else { return .unread(.tunnelHeaderInvalid) }
    guard bytes.byteCount - offset >= length else { return .unread(.tunnelHeaderTruncated) }
    // The 24-bit service path follows the first word.
    guard tunnels.append(.nsh, bytes.big32(offset + 4) >> 8) else { return .unread(.tooManyTunnels) }
    return decodeNextProtocol(bytes.byte(offset + 3), bytes, at: offset + length)
  }

  /// Decodes the next protocol of NSH or VXLAN-GPE (RFC 8300 §6.3); the tunnel has been added to `tunnels`.
  mutating func decodeNextProtocol(_ number: UInt8, _ bytes: RawSpan, at offset: Int) -> Kind {
    switch number {
    case 1, 2: return decodeIP(bytes, at: offset)
    case 3: return decodeEthernet(bytes, at: offset)
    case 4: return decodeNSH(bytes, at: offset)
    case 5: return decodeMPLS(bytes, at: offset)
    default: return .unread(.notIP)
    }
  }
}
