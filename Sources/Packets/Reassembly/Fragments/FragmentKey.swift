import PacketParsing
import Values

/// The fields that fragments of one datagram have in common (RFC 791 §3.2, RFC 8200 §4.5).
struct FragmentKey: Hashable {
  var source: IPAddress
  var destination: IPAddress
  var identification: UInt32
  /// The protocol for IPv4; 0 for IPv6, where it does not count.
  var protocolNumber: UInt8
  /// The tunnels, since networks in different tunnels may use the same addresses.
  var tunnels: TunnelPath

  init(_ headers: PacketHeaders) {
    source = headers.source
    destination = headers.destination
    identification = headers.fragment.identification
    protocolNumber = headers.source.isIPv6 ? 0 : headers.fragment.protocolNumber
    tunnels = headers.tunnels
  }
}
