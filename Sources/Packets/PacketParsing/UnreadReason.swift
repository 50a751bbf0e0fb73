/// The reason why a packet was not decoded down to TCP or UDP. The raw values are stable names in the summary.
package enum UnreadReason: String, Hashable, Sendable, CaseIterable {
  /// The link type is unknown to atscope.
  case unknownLinkType = "link-type-unknown"
  case linkHeaderTruncated = "link-header-cut"
  case linkHeaderInvalid = "link-header-invalid"
  /// A link-layer fragment other than the first.
  case linkFragment = "link-fragment"
  /// An aggregate frame, whose packets are decoded one by one; counted if none of them is complete enough.
  case aggregate = "wlan-aggregate"
  /// An encrypted wireless frame.
  case encryptedWLAN = "encrypted-wlan"
  /// An Ethernet frame encrypted by MACsec.
  case encryptedMACsec = "encrypted-macsec"
  /// Neither IPv4 nor IPv6.
  case notIP = "not-ip"
  case ipHeaderTruncated = "ip-header-cut"
  case ipHeaderInvalid = "ip-header-invalid"
  /// More IPv6 extension headers than the limit.
  case tooManyExtensionHeaders = "ipv6-extension-headers-limit"
  case fragment = "ip-fragment"
  case tunnelHeaderTruncated = "tunnel-header-cut"
  case tunnelHeaderInvalid = "tunnel-header-invalid"
  /// More tags and tunnels around the packet than the limit.
  case tooManyTunnels = "tunnels-limit"
  /// A packet encrypted by IPsec (ESP).
  case encryptedESP = "encrypted-esp"
  /// IP, but neither TCP nor UDP.
  case otherTransport = "other-transport"
  case transportHeaderTruncated = "transport-header-cut"
  case transportHeaderInvalid = "transport-header-invalid"

  /// Whether the packet is damaged or truncated, and not merely of another kind.
  package var isDamage: Bool {
    switch self {
    case .unknownLinkType, .notIP, .fragment, .otherTransport, .encryptedWLAN, .encryptedMACsec,
      .encryptedESP:
      false
    default: true
    }
  }

  /// Whether the packet is encrypted below TCP and UDP.
  package var isEncrypted: Bool {
    switch self {
    case .encryptedWLAN, .encryptedMACsec, .encryptedESP: true
    default: false
    }
  }

  /// Whether the packet may have contained a session: it is encrypted, damaged or truncated.
  package var hidesSomething: Bool {
    switch self {
    case .notIP, .otherTransport: false
    default: true
    }
  }

  /// The words after a count, in the notation of `form(of:)`.
  package var words: String {
    switch self {
    case .unknownLinkType: "packet{s} of an unknown link type"
    case .linkHeaderTruncated: "packet{s} truncated in the link header"
    case .linkHeaderInvalid: "packet{s} with an invalid link header"
    case .linkFragment: "non-initial 802.11 fragment{s}"
    case .aggregate: "802.11 frame{s} with {an |}unreadable aggregate{s}"
    case .encryptedWLAN: "encrypted 802.11 frame{s}"
    case .encryptedMACsec: "frame{s} encrypted by MACsec"
    case .notIP: "packet{s} that {is|are} not IP"
    case .ipHeaderTruncated: "packet{s} truncated in the IP header"
    case .ipHeaderInvalid: "packet{s} with an invalid IP header"
    case .tooManyExtensionHeaders: "packet{s} with too many IPv6 extension headers"
    case .fragment: "IP fragment{s}"
    case .tunnelHeaderTruncated: "packet{s} truncated in a tunnel header"
    case .tunnelHeaderInvalid: "packet{s} with an invalid tunnel header"
    case .tooManyTunnels: "packet{s} in too many tunnels"
    case .encryptedESP: "packet{s} encrypted by IPsec"
    case .otherTransport: "packet{s} that {is|are} neither TCP nor UDP"
    case .transportHeaderTruncated: "packet{s} truncated in the TCP or UDP header"
    case .transportHeaderInvalid: "packet{s} with an invalid TCP or UDP header"
    }
  }
}
