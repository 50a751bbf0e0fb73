import CaptureFormats
import PacketFiltering
import PacketParsing
import Values

/// Says which packets are read: those of a time span, those that match a filter.
struct PacketChoice {
  private let from: Timestamp?
  private let to: Timestamp?
  private var matcher: PacketMatcher?

  private var headers = PacketHeaders()

  /// Packets that were left out.
  private(set) var leftOut: UInt64 = 0

  /// Those of them that did not match and travelled in something the filter does not look into: tags, labels, tunnels.
  private(set) var leftOutInTunnels: UInt64 = 0

  /// Nil where every packet is read, so that a packet then costs nothing more.
  init?(_ options: ReadingOptions) {
    if options.from == nil, options.to == nil, options.filter == nil { return nil }
    from = options.from
    to = options.to
    matcher = options.filter.map { PacketMatcher($0) }
  }

  /// Link types whose packets the filter cannot be put to, so that they are left out, each with the reason.
  var refusals: [(linkType: UInt16, reason: String)] {
    (matcher?.refusals ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
  }

  /// Whether a packet is to be read. One without a time is in no span.
  @inline(never)
  mutating func takes(_ record: PacketRecord, _ bytes: Span<UInt8>) -> Bool {
    let isTaken = isInSpan(record) && isMatch(record, bytes)
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

  private mutating func isMatch(_ record: PacketRecord, _ bytes: Span<UInt8>) -> Bool {
    guard matcher != nil else { return true }
    let linkType = record.linkType.rawValue
    if matcher?.matches(bytes, linkType: linkType, originalLength: record.originalLength) == true {
      return true
    }
    switch headers.decode(bytes, linkType: linkType) {
    case .tcp, .udp: if !headers.tunnels.isEmpty { leftOutInTunnels += 1 }
    case .unread: break
    }
    return false
  }
}
