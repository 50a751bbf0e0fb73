public import PacketParsing
public import Values

/// Counts of what was read, and of all that was not. Nothing is passed over without a count.
public struct ObservationHealth: Sendable {
  /// Packets seen.
  public var packets: UInt64 = 0

  /// Bytes of them that the capture holds.
  public var capturedBytes: UInt64 = 0

  /// TCP segments.
  public var tcpSegments: UInt64 = 0

  /// UDP datagrams.
  public var udpDatagrams: UInt64 = 0

  /// UDP datagrams that begin like a long header of QUIC, in a version that is read.
  public var quicDatagrams: UInt64 = 0

  /// UDP datagrams that begin like a long header of QUIC, in a version that is not read.
  public var quicOfOtherVersions: UInt64 = 0

  /// The same by version, of the first `maximumQUICVersions` versions.
  public private(set) var quicVersionsNotRead: [UInt32: UInt64] = [:]

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
  public var quicCutPackets: UInt64 = 0

  /// Connections of QUIC that showed no hello: their first packet is not in the capture, or could not be opened.
  public var quicWithoutHello: UInt64 = 0

  /// UDP datagrams of port 443 that may be of QUIC connections that began before the capture.
  public var quicOfUnknownConnections: UInt64 = 0

  /// Handshakes of DTLS.
  public var dtlsHellos: UInt64 = 0

  /// Datagrams of DTLS connections of which the capture shows no hello.
  public var dtlsOfUnknownConnections: UInt64 = 0

  /// UDP datagrams that begin a connection of OpenVPN, whose TLS is not read.
  public var openVPNBeginnings: UInt64 = 0

  /// Packets that were not read down to TCP or UDP, by reason.
  public var unread: [UnreadReason: UInt64] = [:]

  /// Packets of link types that are not known, by the number of the link type.
  public var unknownLinkTypes: [UInt16: UInt64] = [:]

  /// Packets that the snapshot length cut.
  public var truncatedPackets: UInt64 = 0

  /// Packets whose time is before 1995 or after 2100, or earlier than the packet before by more than a day.
  public var implausibleTimes: UInt64 = 0

  /// Earliest time of a packet.
  public var firstTime: Timestamp?

  /// Latest time of a packet.
  public var lastTime: Timestamp?

  /// Fragments of IP packets.
  public var fragments: UInt64 = 0

  /// Packets put together from fragments.
  public var reassembledPackets: UInt64 = 0

  /// Packets of which a fragment never came in time.
  public var incompletePackets: UInt64 = 0

  /// Packets in fragments that gave way to others, or had too many.
  public var fragmentsGivenUp: UInt64 = 0

  /// Bytes of fragments that came again with another content; the first copy was kept.
  public var disagreeingFragmentBytes: UInt64 = 0

  /// Fragments that contradict others on the length of their packet; they were left out.
  public var contradictingFragments: UInt64 = 0

  /// Connections that gave way to others.
  public var evictedConnections: UInt64 = 0

  /// Gaps given up because too much was held behind them.
  public var gapsGivenUp: UInt64 = 0

  /// Handshake messages that were longer than is read.
  public var oversizedMessages: UInt64 = 0

  /// Chains with more certificates than are read.
  public var longChains: UInt64 = 0

  /// Hellos with more extensions than are read.
  public var longHellos: UInt64 = 0

  /// Sessions with Encrypted ClientHello for which not every secret was tried.
  public var unfinishedSecretSearches: UInt64 = 0

  /// Signatures of servers over their handshakes that were not verified, since there are more than are (`HandshakeSignatures`).
  public var signaturesNotVerified: UInt64 = 0

  /// Connections with cleartext requests for more hosts than are told apart.
  public var hostsBeyondLimit: UInt64 = 0

  /// Connections with a head of HTTP that was longer than is read.
  public var connectionsWithLongHeads: UInt64 = 0

  /// Addresses whose names were forgotten because too many had names.
  public var forgottenNames: UInt64 = 0

  /// Ports that FTP announced for data connections and that were forgotten because too many were announced.
  public var forgottenDataConnections: UInt64 = 0

  /// Connections between the ends of others that were open at the same time.
  public var connectionsWithSameEnds: UInt64 = 0

  /// Segments that fit none of the connections between their ends, or more than one alike; they were left out.
  public var strayedSegments: UInt64 = 0

  /// Bytes that came again with another content; the first copy was kept.
  public var disagreeingBytes: UInt64 = 0

  /// Connections that showed no handshake and no request, by server.
  public var withoutHandshake: [Endpoint: UInt64] = [:]

  /// Those of servers beyond the limit of servers counted one by one.
  public var withoutHandshakeElsewhere: UInt64 = 0

  /// Connections that were over and are not remembered any more: what they go on to say counts as a connection without a handshake.
  public var forgottenConnections: UInt64 = 0

  /// Creates empty counts.
  public init() {}
}
