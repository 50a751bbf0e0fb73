package import PacketParsing
package import Values

/// Counts of what was read, and of all that was not. Nothing is skipped without a count.
@usableFromInline package struct ObservationHealth: Sendable {
  /// Packets seen.
  @usableFromInline package var packets: UInt64 = 0

  /// Bytes of them that the capture holds.
  @usableFromInline package var capturedBytes: UInt64 = 0

  /// TCP segments.
  @usableFromInline package var tcpSegments: UInt64 = 0

  /// UDP datagrams.
  package var udpDatagrams: UInt64 = 0

  /// UDP datagrams that begin like a long header of QUIC, in a version that is read.
  package var quicDatagrams: UInt64 = 0

  /// UDP datagrams that begin like a long header of QUIC, in a version that is not read.
  package var quicOfOtherVersions: UInt64 = 0

  /// The same by version, of the first `maximumQUICVersions` versions.
  package private(set) var quicVersionsNotRead: [UInt32: UInt64] = [:]

  /// QUIC versions that are counted one by one: what is not QUIC may look like any number of them.
  private static let maximumQUICVersions = 16

  /// Counts a datagram of a version that is not read.
  package mutating func count(quicOfOtherVersion version: UInt32) {
    quicOfOtherVersions += 1
    guard
      quicVersionsNotRead[version] != nil || quicVersionsNotRead.count < ObservationHealth.maximumQUICVersions
    else { return }
    quicVersionsNotRead[version, default: 0] += 1
  }

  /// Such datagrams that the snapshot length cut, so that nothing of them could be opened.
  package var quicCutPackets: UInt64 = 0

  /// Connections of QUIC that showed no hello: their first packet is not in the capture, or could not be opened.
  package var quicWithoutHello: UInt64 = 0

  /// UDP datagrams of port 443 that may be of QUIC connections that began before the capture.
  package var quicOfUnknownConnections: UInt64 = 0

  /// Handshakes of DTLS.
  package var dtlsHellos: UInt64 = 0

  /// Datagrams of DTLS connections of which the capture shows no hello.
  package var dtlsOfUnknownConnections: UInt64 = 0

  /// UDP datagrams that begin a connection of OpenVPN, whose TLS is not read.
  package var openVPNBeginnings: UInt64 = 0

  /// Packets that were not read down to TCP or UDP, by reason.
  package var unread: [UnreadReason: UInt64] = [:]

  /// Packets of link types that are not known, by the number of the link type.
  package var unknownLinkTypes: [UInt16: UInt64] = [:]

  /// Packets that the snapshot length cut.
  @usableFromInline package var truncatedPackets: UInt64 = 0

  /// Packets whose time is before 1995 or after 2100, or earlier than the packet before by more than a day.
  package var implausibleTimes: UInt64 = 0

  /// Earliest time of a packet.
  package var firstTime: Timestamp?

  /// Latest time of a packet.
  package var lastTime: Timestamp?

  /// Fragments of IP packets.
  package var fragments: UInt64 = 0

  /// Packets put together from fragments.
  package var reassembledPackets: UInt64 = 0

  /// Packets of which a fragment never came in time.
  package var incompletePackets: UInt64 = 0

  /// Packets in fragments that gave way to others, or had too many.
  package var fragmentsGivenUp: UInt64 = 0

  /// Bytes of fragments that came again with another content; the first copy was kept.
  package var disagreeingFragmentBytes: UInt64 = 0

  /// Fragments that contradict others on the length of their packet; they were left out.
  package var contradictingFragments: UInt64 = 0

  /// Connections that gave way to others.
  package var evictedConnections: UInt64 = 0

  /// Gaps given up because too much was held after them.
  package var gapsGivenUp: UInt64 = 0

  /// Handshake messages that were longer than is read.
  package var oversizedMessages: UInt64 = 0

  /// Chains with more certificates than are read.
  package var longChains: UInt64 = 0

  /// Hellos with more extensions than are read.
  package var longHellos: UInt64 = 0

  /// Sessions with Encrypted ClientHello for which not every secret was tried.
  package var unfinishedSecretSearches: UInt64 = 0

  /// Signatures of servers over their handshakes that were not verified, since there are more than are (`HandshakeSignatures`).
  package var signaturesNotVerified: UInt64 = 0

  /// Connections with cleartext requests for more hosts than are distinguished.
  package var hostsBeyondLimit: UInt64 = 0

  /// Connections with a head of HTTP that was longer than is read.
  package var connectionsWithLongHeads: UInt64 = 0

  /// Addresses whose names were forgotten because too many had names.
  package var forgottenNames: UInt64 = 0

  /// Ports that FTP announced for data connections and that were forgotten because too many were announced.
  package var forgottenDataConnections: UInt64 = 0

  /// Connections between the ends of others that were open at the same time.
  package var connectionsWithSameEnds: UInt64 = 0

  /// Segments that fit none of the connections between their ends, or more than one alike; they were left out.
  package var strayedSegments: UInt64 = 0

  /// Bytes that came again with another content; the first copy was kept.
  package var disagreeingBytes: UInt64 = 0

  /// Connections that showed no handshake and no request, by server.
  package var withoutHandshake: [Endpoint: UInt64] = [:]

  /// Those of servers beyond the limit of servers counted one by one.
  package var withoutHandshakeElsewhere: UInt64 = 0

  /// Of those connections, seen from their SYN: those that a RST ended before any data.
  package var connectionsReset: UInt64 = 0

  /// The same: those that carried no data, and were not reset.
  package var connectionsWithoutData: UInt64 = 0

  /// The same: those whose data is neither a TLS handshake nor an HTTP request.
  package var connectionsWithOtherData: UInt64 = 0

  /// Connections that were over and are not remembered any more: what they go on to say counts as a connection without a handshake.
  package var forgottenConnections: UInt64 = 0

  /// Creates empty counts.
  package init() {}
}
