import ByteParsing

/// The tags, labels and tunnels around a packet, besides its link and IP headers, outermost first.
///
/// Stored inline without allocation, since one is filled for each packet.
@usableFromInline package struct TunnelPath: Hashable, Sendable {
  /// The maximum number of tags and tunnels read around a packet. Networks stack four or five; each may make decoding recurse once more, so
  /// a crafted packet must not have more.
  package static let maximumCount = 8

  /// The number of layers.
  @usableFromInline package private(set) var count = 0

  /// Kind, whether there is an identifier, and the identifier: 8, 8 and 32 bits from the top of the lower 48; 0 beyond the layers.
  private var codes = SIMD8<UInt64>(repeating: 0)

  package init() {}

  @inlinable
  package var isEmpty: Bool { count == 0 }

  /// The layer at an index, 0 being the outermost.
  package subscript(index: Int) -> TunnelLayer {
    guard index >= 0, index < count else { return TunnelLayer(kind: .unknown, identifier: nil) }
    let code = codes[index]
    return TunnelLayer(
      kind: TunnelKind(rawValue: UInt8(truncatingIfNeeded: code >> 40)) ?? .unknown,
      identifier: code >> 32 & 1 == 1 ? UInt32(truncatingIfNeeded: code) : nil)
  }

  /// All layers as in the session record: `vlan 12`.
  package var descriptions: [String] { (0..<count).map { self[$0].description } }

  mutating func removeAll() { self = TunnelPath() }

  /// Keeps the outer layers.
  mutating func keep(first count: Int) {
    while self.count > max(0, count) {
      self.count -= 1
      codes[self.count] = 0
    }
  }

  /// Adds the innermost layer; returns false if the maximum is reached.
  mutating func append(_ kind: TunnelKind, _ identifier: UInt32? = nil) -> Bool {
    guard count < TunnelPath.maximumCount else { return false }
    codes[count] = UInt64(kind.rawValue) << 40 | (identifier.map { 1 << 32 | UInt64($0) } ?? 0)
    count += 1
    return true
  }

  /// A 32-bit hash of the path, the same in each run; 0 for an empty one.
  package var code: UInt32 {
    var value: UInt64 = 0
    for index in 0..<count {
      value = folded(value ^ codes[index] ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
    }
    return UInt32(truncatingIfNeeded: value ^ value >> 32)
  }
}

/// One tag, label or tunnel around a packet.
package struct TunnelLayer: Hashable, Sendable, CustomStringConvertible {
  package var kind: TunnelKind

  /// The identifier, if there is one: VLAN, VXLAN network, GRE key, MPLS label, GTP-U tunnel endpoint, session.
  package var identifier: UInt32?

  /// The layer as in the session record: `vlan 12`, `gre`.
  package var description: String {
    identifier.map { "\(kind.name) \($0)" } ?? kind.name
  }
}

/// The kind of a tag, label or tunnel.
package enum TunnelKind: UInt8, Hashable, Sendable, CaseIterable {
  case unknown
  /// An IEEE 802.1Q or 802.1ad tag.
  case vlan
  /// The service instance of provider backbone bridging (IEEE 802.1ah).
  case pbb
  /// MACsec without encryption (IEEE 802.1AE).
  case macsec
  /// An MPLS label (RFC 3032).
  case mpls
  /// An Ethernet pseudo-wire over MPLS (RFC 4448).
  case pseudowire
  /// PPP over Ethernet (RFC 2516).
  case pppoe
  /// A network service header (RFC 8300).
  case nsh
  /// IPv4 in IPv4 (RFC 2003).
  case ipv4InIPv4
  /// IPv6 in IPv4 (RFC 4213).
  case ipv6InIPv4
  /// IPv4 in IPv6 (RFC 2473).
  case ipv4InIPv6
  /// IPv6 in IPv6 (RFC 2473).
  case ipv6InIPv6
  /// Ethernet in IP (RFC 3378, RFC 8986).
  case ethernetInIP
  /// GRE (RFC 2784), including NVGRE (RFC 7637) and MikroTik's EoIP.
  case gre
  /// The GRE of PPTP (RFC 2637).
  case pptp
  /// A port mirrored by a switch.
  case erspan
  /// IPsec's authentication header (RFC 4302).
  case authenticationHeader
  /// L2TP, version 2 or 3 (RFC 2661, RFC 3931).
  case l2tp
  /// Teredo (RFC 4380).
  case teredo
  /// VXLAN (RFC 7348), including its generic protocol extension.
  case vxlan
  /// Geneve (RFC 8926).
  case geneve
  /// Frames between a wireless access point and its controller (CAPWAP, RFC 5415).
  case capwap
  /// The user plane of GTP (3GPP TS 29.281).
  case gtpU
  /// Frames that a router or access point mirrors (TaZmen Sniffer Protocol).
  case tzsp
  /// LISP (RFC 9300).
  case lisp
  /// IP directly in UDP, as Linux sends it (FOU).
  case fou
  /// Generic UDP encapsulation (draft-ietf-intarea-gue).
  case gue

  package var name: String { TunnelKind.names[Int(rawValue)] }

  /// The names in the order of the cases.
  private static let names = [
    "unknown", "vlan", "pbb", "macsec", "mpls", "pseudowire", "pppoe", "nsh", "ip-in-ip", "6in4", "4in6", "6in6", "etherip", "gre", "pptp",
    "erspan", "ah", "l2tp", "teredo", "vxlan", "geneve", "capwap", "gtp-u", "tzsp",
    "lisp", "fou", "gue",
  ]
}
