package import PacketParsing
package import Values

/// Counts of what was read and of what was not. Nothing is skipped without a count.
package struct ObservationHealth: Sendable {
  /// Packets read.
  package var packets: UInt64 = 0

  /// UDP datagrams that begin like a QUIC long header of a supported version.
  package var quicDatagrams: UInt64 = 0

  /// UDP datagrams that begin like a QUIC long header of an unsupported version.
  package var quicOfOtherVersions: UInt64 = 0

  /// UDP datagrams of unsupported QUIC versions, by version, for the first `maximumQUICVersions` versions.
  package private(set) var quicVersionsNotRead: [UInt32: UInt64] = [:]

  /// The maximum number of QUIC versions counted separately; other protocols may look like any number of them.
  private static let maximumQUICVersions = 16

  /// Counts a datagram of an unsupported version.
  package mutating func count(quicOfOtherVersion version: UInt32) {
    quicOfOtherVersions += 1
    guard
      quicVersionsNotRead[version] != nil || quicVersionsNotRead.count < ObservationHealth.maximumQUICVersions
    else { return }
    quicVersionsNotRead[version, default: 0] += 1
  }

  /// Datagrams of supported versions that were truncated to the snapshot length and could not be decrypted.
  package var truncatedQUICPackets: UInt64 = 0

  /// QUIC connections without a hello: their first packet was not captured, or could not be decrypted.
  package var quicWithoutHello: UInt64 = 0

  /// UDP datagrams on port 443 that may belong to QUIC connections which began before the capture.
  package var quicOfUnknownConnections: UInt64 = 0

  /// UDP datagrams in which SOCKS relays QUIC handshakes, which are not read.
  package var quicInSOCKS: UInt64 = 0

  /// Datagrams of DTLS connections whose hello was not captured.
  package var dtlsOfUnknownConnections: UInt64 = 0

  /// UDP datagrams that begin an OpenVPN connection, whose TLS is not read.
  package var openVPNBeginnings: UInt64 = 0

  /// UDP datagrams that begin a handshake of WireGuard, whose tunnel is not read.
  package var wireGuardBeginnings: UInt64 = 0

  /// UDP datagrams in which TURN relays a ClientHello of DTLS, which is not read.
  package var dtlsInTURN: UInt64 = 0

  /// RADIUS requests that begin TLS in EAP, which is not read.
  package var eapBeginnings: UInt64 = 0

  /// HTTP connections that became another protocol, which is not read, except TLS.
  package var upgradedConnections: UInt64 = 0

  /// Connections whose last HTTP CONNECT the proxy refused.
  package var connectionsWithRefusedConnects: UInt64 = 0

  /// Connections of cleartext HTTP/2 with a CONNECT that was not refused; its tunnel is not read.
  package var connectionsWithHTTP2Tunnels: UInt64 = 0

  /// Packets that could not be read down to TCP or UDP, by reason.
  package var unread: [UnreadReason: UInt64] = [:]

  /// Packets of unknown link types, by link type number.
  package var unknownLinkTypes: [UInt16: UInt64] = [:]

  /// Packets truncated to the snapshot length.
  package var truncatedPackets: UInt64 = 0

  /// Packets with a time before 1995 or after 2100, or more than a day before the previous packet.
  package var implausibleTimes: UInt64 = 0

  /// The earliest packet time; nil if no packet has one.
  package var firstTime: Timestamp?

  /// The latest packet time; nil if no packet has one.
  package var lastTime: Timestamp?

  /// Fragments of IP packets.
  package var fragments: UInt64 = 0

  /// Packets reassembled from fragments.
  package var reassembledPackets: UInt64 = 0

  /// Packets with fragments that were not captured in time.
  package var incompletePackets: UInt64 = 0

  /// Fragmented packets that were evicted, or had too many fragments.
  package var abandonedFragments: UInt64 = 0

  /// Fragment bytes that were sent again with different content; the first copy was kept.
  package var disagreeingFragmentBytes: UInt64 = 0

  /// Fragments that contradict others about the length of their packet; they were dropped.
  package var contradictingFragments: UInt64 = 0

  package var evictedConnections: UInt64 = 0

  /// Gaps that were skipped because too much was held after them.
  package var abandonedGaps: UInt64 = 0

  /// Handshake messages longer than the limit.
  package var oversizedMessages: UInt64 = 0

  /// Chains with more certificates than the limit.
  package var longChains: UInt64 = 0

  /// Hellos with more extensions than the limit.
  package var longHellos: UInt64 = 0

  /// Sessions with Encrypted ClientHello for which not every secret was tried.
  package var unfinishedSecretSearches: UInt64 = 0

  /// Server signatures that were not verified, because there are more than the limit (`HandshakeSignatures`).
  package var signaturesNotVerified: UInt64 = 0

  /// Connections with cleartext requests for more hosts than the limit.
  package var hostsBeyondLimit: UInt64 = 0

  /// Connections with an HTTP head longer than the limit.
  package var connectionsWithLongHeads: UInt64 = 0

  /// Addresses whose names were evicted.
  package var forgottenNames: UInt64 = 0

  /// Announced FTP data ports that were evicted.
  package var forgottenDataConnections: UInt64 = 0

  /// Connections that were open at the same time as another one with the same endpoints.
  package var connectionsWithSameEndpoints: UInt64 = 0

  /// Segments that fit none of the connections with their endpoints, or several equally well; they were dropped.
  package var unassignedSegments: UInt64 = 0

  /// Cleartext requests with sequence numbers near the end of an earlier connection between the same endpoints, whose SYN was not captured;
  /// they were not read.
  package var requestsAfterEnd: UInt64 = 0

  /// Bytes that were sent again with different content.
  package var disagreeingBytes: UInt64 = 0

  /// Connections without a handshake or request, by server.
  package var withoutHandshake: [Endpoint: UInt64] = [:]

  /// Connections without a handshake or request, of servers beyond the limit on servers counted separately.
  package var withoutHandshakeElsewhere: UInt64 = 0

  /// Connections without a handshake or request that a RST ended before any data; only those captured from their SYN.
  package var connectionsReset: UInt64 = 0

  /// Connections without a handshake or request that carried no data and were not reset; only those captured from their SYN.
  package var connectionsWithoutData: UInt64 = 0

  /// Connections whose data is neither a TLS handshake nor an HTTP request; only those captured from their SYN.
  package var connectionsWithOtherData: UInt64 = 0

  /// Closed connections that were evicted; later segments of theirs count as connections without a handshake.
  package var forgottenConnections: UInt64 = 0

  package init() {}
}
