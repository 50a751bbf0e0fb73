/// What a packet begins with (the LINKTYPE_ values of the tcpdump group's registry).
@usableFromInline package struct LinkType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16

  /// Takes any number, known or not.
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// BSD loopback: four bytes of address family in the order of the capturing machine.
  package static let null = LinkType(rawValue: 0)
  package static let ethernet = LinkType(rawValue: 1)
  /// PPP, with or without its HDLC framing.
  package static let ppp = LinkType(rawValue: 9)
  /// Raw IP as some writers number it, after the number that their own system gave it (`DLT_RAW`).
  package static let rawDLT12 = LinkType(rawValue: 12)
  /// Raw IP by the number that OpenBSD gave it.
  package static let rawDLT14 = LinkType(rawValue: 14)
  /// PPP in HDLC-like framing (RFC 1662).
  package static let pppHDLC = LinkType(rawValue: 50)
  /// PPPoE session packets (RFC 2516).
  package static let pppEthernet = LinkType(rawValue: 51)
  /// Raw IP: the version in the first four bits distinguishes IPv4 from IPv6.
  package static let raw = LinkType(rawValue: 101)
  package static let ciscoHDLC = LinkType(rawValue: 104)
  /// IEEE 802.11.
  package static let ieee80211 = LinkType(rawValue: 105)
  /// OpenBSD loopback: four bytes of address family, the most significant first.
  package static let loop = LinkType(rawValue: 108)
  /// Linux "cooked" capture, version 1.
  package static let linuxSLL = LinkType(rawValue: 113)
  /// IEEE 802.11 after a Prism monitor header.
  package static let ieee80211Prism = LinkType(rawValue: 119)
  /// IEEE 802.11 after a radiotap header.
  package static let ieee80211Radiotap = LinkType(rawValue: 127)
  /// A user-defined number, which Apple's older systems took for PKTAP.
  package static let user2 = LinkType(rawValue: 149)
  /// Any link type after a per-packet information header.
  package static let ppi = LinkType(rawValue: 192)
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
