/// Reads the headers of packets, from the link layer inwards.
///
/// Made for millions of packets: no allocation, no errors thrown, wide loads at checked offsets.
extension PacketHeaders {
  /// Reads the headers of one packet whose link type has the number `linkType` (a LINKTYPE_ value as in files).
  public mutating func decode(_ packet: Span<UInt8>, linkType: UInt16) -> Kind {
    let bytes = packet.raw
    outerVLAN = nil
    innerVLAN = nil
    switch linkType {
    case LinkNumber.ethernet: return decodeEthernet(bytes)
    case LinkNumber.raw, LinkNumber.rawBSD, LinkNumber.rawOpenBSD, LinkNumber.ipv4, LinkNumber.ipv6:
      return decodeIP(bytes, at: 0)
    case LinkNumber.null, LinkNumber.loop: return decodeFamily(bytes)
    case LinkNumber.linuxSLL: return decodeLinuxCooked(bytes)
    case LinkNumber.linuxSLL2: return decodeLinuxCooked2(bytes)
    default: return .unread(.unknownLinkType)
    }
  }
}

/// The link types that are read (the registry of tcpdump.org).
enum LinkNumber {
  static let null: UInt16 = 0
  static let ethernet: UInt16 = 1
  /// DLT_RAW of most systems, which some writers put into files.
  static let rawBSD: UInt16 = 12
  /// DLT_RAW of OpenBSD.
  static let rawOpenBSD: UInt16 = 14
  static let raw: UInt16 = 101
  static let loop: UInt16 = 108
  static let linuxSLL: UInt16 = 113
  static let ipv4: UInt16 = 228
  static let ipv6: UInt16 = 229
  static let linuxSLL2: UInt16 = 276
}
