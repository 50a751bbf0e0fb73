/// The link-layer header type of packets (the LINKTYPE_ values of the tcpdump group's registry).
@usableFromInline package struct LinkType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16

  /// Creates a link type from any number, known or not.
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// BSD loopback: a four-byte address family in the byte order of the capturing machine.
  package static let null = LinkType(rawValue: 0)
  @inlinable
  package static var ethernet: LinkType { LinkType(rawValue: 1) }
  package static let tokenRing = LinkType(rawValue: 6)
  package static let slip = LinkType(rawValue: 8)
  /// PPP, with or without HDLC framing.
  package static let ppp = LinkType(rawValue: 9)
  package static let fddi = LinkType(rawValue: 10)
  /// Raw IP, with the number that some systems use internally (`DLT_RAW`).
  package static let rawDLT12 = LinkType(rawValue: 12)
  /// Raw IP, with OpenBSD's number.
  package static let rawDLT14 = LinkType(rawValue: 14)
  /// OpenBSD's packet filter log before its header contained a length.
  package static let oldPflog = LinkType(rawValue: 17)
  /// PPP in HDLC-like framing (RFC 1662).
  package static let pppHDLC = LinkType(rawValue: 50)
  /// PPPoE session packets (RFC 2516).
  package static let pppEthernet = LinkType(rawValue: 51)
  /// LLC in ATM (`LINKTYPE_ATM_RFC1483`).
  package static let atmRFC1483 = LinkType(rawValue: 100)
  /// Raw IP; the version field distinguishes IPv4 from IPv6.
  package static let raw = LinkType(rawValue: 101)
  package static let ciscoHDLC = LinkType(rawValue: 104)
  /// IEEE 802.11.
  package static let ieee80211 = LinkType(rawValue: 105)
  package static let frameRelay = LinkType(rawValue: 107)
  /// OpenBSD loopback: a four-byte, big-endian address family.
  package static let loop = LinkType(rawValue: 108)
  /// IPsec packets of OpenBSD's enc interface.
  package static let enc = LinkType(rawValue: 109)
  /// Linux "cooked" capture, version 1.
  package static let linuxSLL = LinkType(rawValue: 113)
  /// The log of OpenBSD's packet filter.
  package static let pflog = LinkType(rawValue: 117)
  /// IEEE 802.11 after a Prism monitor header.
  package static let ieee80211Prism = LinkType(rawValue: 119)
  /// IP over Fibre Channel (RFC 4338).
  package static let fibreChannel = LinkType(rawValue: 122)
  package static let sunATM = LinkType(rawValue: 123)
  /// IEEE 802.11 after a radiotap header.
  package static let ieee80211Radiotap = LinkType(rawValue: 127)
  /// IP over IEEE 1394, as Apple's systems capture it.
  package static let firewire = LinkType(rawValue: 138)
  /// A user-defined number, which Apple's older systems used for PKTAP.
  package static let user2 = LinkType(rawValue: 149)
  /// IEEE 802.11 after an AVS header.
  package static let ieee80211AVS = LinkType(rawValue: 163)
  /// PPP as captured by pppd: with the direction in place of the address.
  package static let pppPPPD = LinkType(rawValue: 166)
  /// Any link type after a per-packet information header.
  package static let ppi = LinkType(rawValue: 192)
  /// The record format of Endace's cards.
  package static let erf = LinkType(rawValue: 197)
  package static let pppWithDirection = LinkType(rawValue: 204)
  package static let ciscoHDLCWithDirection = LinkType(rawValue: 205)
  package static let frameRelayWithDirection = LinkType(rawValue: 206)
  /// IP after the header of Solaris's ipnet device.
  package static let ipnet = LinkType(rawValue: 226)
  /// Raw IPv4.
  package static let ipv4 = LinkType(rawValue: 228)
  /// Raw IPv6.
  package static let ipv6 = LinkType(rawValue: 229)
  /// Linux netfilter log.
  package static let nflog = LinkType(rawValue: 239)
  /// Any link type after Apple's header with process information.
  package static let pktap = LinkType(rawValue: 258)
  /// Linux "cooked" capture, version 2.
  package static let linuxSLL2 = LinkType(rawValue: 276)
}
