package import CaptureFormats
import PacketFiltering
import PacketParsing
import Values

/// Selects the packets to read by time and filter.
package struct PacketChoice {
  private let from: Timestamp?
  private let to: Timestamp?
  private var matcher: PacketMatcher?

  /// Whether the filter may test ports.
  private let mayTestPorts: Bool

  private var headers = PacketHeaders()

  /// The link types of packets whose IP headers could not be matched either; `refusals` lists those that the filter does not support.
  private var unseenLinkTypes: Set<UInt16> = []

  private(set) var leftOut: UInt64 = 0

  /// The number of omitted packets that have tags, labels or tunnels, which the filter does not examine.
  private(set) var leftOutInTunnels: UInt64 = 0

  /// The number of fragments of TCP that were omitted because the filter finds no ports in them: all of IPv6, and of IPv4 all but the first
  /// of each packet. 0 if the filter cannot test ports.
  private(set) var leftOutFragments: UInt64 = 0

  /// Creates a selection; nil if every packet is read, which then costs nothing per packet.
  package init?(_ options: ReadingOptions) {
    if options.from == nil, options.to == nil, options.filter == nil { return nil }
    from = options.from
    to = options.to
    matcher = options.filter.map { PacketMatcher($0) }
    mayTestPorts = options.filter?.mayTestPorts == true
  }

  /// The link types that the filter does not support, with the reasons; their packets are omitted.
  var refusals: [(linkType: UInt16, reason: String)] {
    (matcher?.refusals ?? [:]).filter { unseenLinkTypes.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.description) }
  }

  /// Whether a packet is selected. With a limit of time, a packet without a time is not.
  @inline(never)
  package mutating func takes(_ record: PacketRecord, _ bytes: Span<UInt8>) -> Bool {
    let isTaken = isInSpan(record) && match(record, bytes)
    if !isTaken { leftOut += 1 }
    return isTaken
  }

  private func isInSpan(_ record: PacketRecord) -> Bool {
    guard from != nil || to != nil else { return true }
    guard record.hasTimestamp else { return false }
    if let from, record.timestamp < from { return false }
    if let to, to < record.timestamp { return false }
    return true
  }

  private mutating func match(_ record: PacketRecord, _ bytes: Span<UInt8>) -> Bool {
    guard matcher != nil else { return true }
    let linkType = record.linkType.rawValue
    if matcher?.matches(bytes, linkType: linkType, originalLength: record.originalLength) == true { return true }
    headers.networkOffset = 0
    var kind: PacketHeaders.Kind? = headers.decode(bytes, linkType: linkType)
    let isAggregate = kind == .unread(.aggregate)
    var (isTunneled, lacksPorts) = (false, false)
    while let current = isAggregate ? headers.decodeSubframe(bytes) : kind {
      kind = nil
      switch current {
      case .tcp, .udp, .unread(.fragment):
        if !headers.tunnels.isEmpty { isTunneled = true } else if matchNetworkPacket(record, bytes) { return true }
        if mayTestPorts, current == .unread(.fragment), headers.fragment.protocolNumber == 6, headers.tunnels.isEmpty {
          lacksPorts = lacksPorts || headers.fragment.offset > 0 || headers.source.isIPv6
        }
      case .unread: unseenLinkTypes.insert(linkType)
      }
    }
    if isTunneled { leftOutInTunnels += 1 }
    if lacksPorts { leftOutFragments += 1 }
    return false
  }

  /// Whether an IP packet matches after its link header, of which libpcap supports fewer kinds.
  private mutating func matchNetworkPacket(_ record: PacketRecord, _ bytes: Span<UInt8>) -> Bool {
    // The next packet of an aggregate may follow.
    let (start, end) = (headers.networkOffset, headers.payloadOffset + headers.payloadLength)
    guard start > 0, start < end, end <= bytes.count else { return false }
    let isMatch = matcher?.matches(networkPacket: bytes.extracting(start..<end), originalLength: record.originalLength)
    if isMatch == nil { unseenLinkTypes.insert(record.linkType.rawValue) }
    return isMatch ?? false
  }
}
