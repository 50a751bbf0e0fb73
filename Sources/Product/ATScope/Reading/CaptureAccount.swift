import CaptureFormats
import PacketParsing
import SessionObservation
import SessionRecords

/// Says what was read of a capture and what was not.
struct CaptureAccount {
  let metadata: CaptureMetadata
  let health: ObservationHealth

  /// Writes the account into the input's summary.
  func complete(_ summary: inout InputSummary) {
    summary.format = metadata.format.rawValue
    summary.packets = health.packets
    summary.firstTime = health.firstTime
    summary.lastTime = health.lastTime
    summary.os = metadata.operatingSystem
    summary.hardware = metadata.hardware
    summary.application = metadata.application
    summary.comments = metadata.sections.flatMap(\.comments)
    summary.interfaces = metadata.interfaces.map(CaptureAccount.interface)
    summary.health = counts
    summary.limits = limits
  }

  /// Whether there are packets and not one of them could be decoded.
  var nothingDecodable: Bool {
    guard health.packets > 0 else { return false }
    let lost = health.unread.filter { $0.key == .unknownLinkType || $0.key.isDamage }
      .reduce(UInt64(0)) { $0 + $1.value }
    return lost == health.packets
  }

  /// Why nothing could be decoded, as a clause.
  var undecodableReason: String {
    let types = health.unknownLinkTypes.keys.sorted()
    if types.isEmpty { return "none of its packets could be decoded" }
    return "none of its packets could be decoded: link type "
      + types.map { "\($0)" }.joined(separator: ", ") + " is not known"
  }

  /// Whether a limit may have cost a session.
  var hitLimit: Bool { limits.contains { $0.count > 0 } }

  private static func interface(_ interface: CaptureInterface) -> InputSummary.Interface {
    var record = InputSummary.Interface(
      name: interface.name, linkType: Int(interface.linkType.rawValue),
      linkTypeName: interface.linkType.name)
    if interface.snapshotLength > 0 { record.snapshotLength = UInt64(interface.snapshotLength) }
    if let statistics = interface.statistics {
      record.received = statistics.received
      let drops = [statistics.droppedByInterface, statistics.droppedBySystem].compactMap { $0 }
      if !drops.isEmpty {
        record.dropped = drops.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
      }
    }
    return record
  }

  private var counts: [NamedCount] {
    var list: [NamedCount] = []
    func add(_ name: String, _ text: String, _ count: UInt64, _ meaning: NamedCount.Meaning) {
      if count > 0 { list.append(NamedCount(name, text, count: count, meaning: meaning)) }
    }
    add(
      "truncatedBySnaplen", "packets cut by the snapshot length", health.truncatedPackets, .remark)
    for (type, count) in health.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
      add("unknownLinkType.\(type)", "packets of unknown link type \(type)", count, .notRead)
    }
    for reason in UnreadReason.allCases where reason != .unknownLinkType {
      let isLoss = reason.hidesSomething
      add(
        "\(isLoss ? "undecodable" : "other").\(reason.rawValue)", reason.packetsText,
        health.unread[reason] ?? 0, isLoss ? .notRead : .remark)
    }
    func add(_ name: String, _ text: String, _ count: Int, _ meaning: NamedCount.Meaning = .remark)
    {
      add(name, text, UInt64(max(0, count)), meaning)
    }
    add("quicDatagrams", "QUIC datagrams", health.quicDatagrams, .notRead)
    add("dtlsHellos", "DTLS hellos", health.dtlsHellos, .notRead)
    add("implausibleTimes", "packets with an implausible time", health.implausibleTimes, .remark)
    add("fragments", "IP fragments", health.fragments, .remark)
    add(
      "reassembledPackets", "packets put together from fragments", health.reassembledPackets,
      .remark)
    add("incompletePackets", "packets with missing fragments", health.incompletePackets, .notRead)
    add(
      "disagreeingFragmentBytes", "bytes of fragments sent again with another content",
      health.disagreeingFragmentBytes, .remark)
    add(
      "contradictingFragments", "fragments that contradict others", health.contradictingFragments,
      .notRead)
    add(
      "disagreeingBytes", "bytes sent again with another content", health.disagreeingBytes, .remark)
    let odd = metadata.anomalies
    add(
      "packetsWithoutInterface", "packets of undescribed interfaces", odd.packetsWithoutInterface,
      .notRead)
    add("unreadableSections", "sections in an unknown version", odd.unreadableSections, .notRead)
    add("shortSimplePackets", "simple packets shorter than their length", odd.shortSimplePackets)
    add("malformedOptions", "malformed option lists", odd.malformedOptions)
    add(
      "processesWithoutBlock", "packets that name a process without a block",
      odd.processesWithoutBlock)
    add("malformedBlocks", "malformed blocks", odd.malformedBlocks)
    add("unknownBlocks", "blocks of unknown types", metadata.unknownBlockCount)
    return list
  }

  private var limits: [NamedCount] {
    var list: [NamedCount] = []
    func add(_ name: String, _ text: String, _ count: UInt64) {
      if count > 0 { list.append(NamedCount(name, text, count: count, meaning: .notRead)) }
    }
    add("openConnections", "connections given up for others", health.evictedConnections)
    add("heldBytes", "gaps given up because too much was held behind them", health.gapsGivenUp)
    add("fragments", "packets in fragments given up for others", health.fragmentsGivenUp)
    add("handshakeLength", "handshake messages longer than is read", health.oversizedMessages)
    add(
      "httpHosts", "connections with more HTTP hosts than are told apart", health.hostsBeyondLimit)
    add(
      "captureDescriptions", "descriptions left out",
      UInt64(max(0, metadata.anomalies.leftOut)))
    return list
  }
}
