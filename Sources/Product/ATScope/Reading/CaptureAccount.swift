import CaptureFormats
import PacketParsing
import QUICParsing
import SessionModel
import SessionRecords
import SessionTracking

/// Says what was read of a capture and what was not.
struct CaptureAccount {
  /// The metadata of each part; one for a capture in one part.
  let metadata: [CaptureMetadata]

  let health: ObservationHealth

  /// Packets of all parts, whether they were chosen or not.
  let packets: UInt64

  /// Which packets were chosen; nil for all.
  let choice: PacketChoice?

  /// Writes the account into the input's summary.
  func complete(_ summary: inout InputSummary) {
    summary.format = metadata.first?.format.rawValue
    summary.packets = packets
    summary.firstTime = health.firstTime
    summary.lastTime = health.lastTime
    // Some writers name the system with the interface alone (if_os).
    summary.os =
      metadata.lazy.compactMap(\.operatingSystem).first
      ?? metadata.lazy.flatMap(\.interfaces).compactMap(\.operatingSystem).first
    summary.hardware = metadata.lazy.compactMap(\.hardware).first
    summary.application = metadata.lazy.compactMap(\.application).first
    summary.comments = distinct(metadata.flatMap(\.sections).flatMap(\.comments))
    summary.interfaces = interfaces
    summary.health = counts
    summary.limits = limits
  }

  /// Whether there are packets and not one of them could be decoded.
  var nothingDecodable: Bool {
    guard health.packets > 0 else { return false }
    let lost = health.unread.filter { CaptureAccount.isUndecodable($0.key) }
      .reduce(UInt64(0)) { $0 + $1.value }
    return lost == health.packets
  }

  private static func isUndecodable(_ reason: UnreadReason) -> Bool {
    reason == .unknownLinkType || reason.isDamage || reason.isEncrypted
  }

  /// How many unknown link types a clause names.
  private static let namedTypes = 8

  /// Why nothing could be decoded, as a clause.
  var undecodableReason: String {
    var reasons: [String] = []
    let types = health.unknownLinkTypes.keys.sorted()
    if !types.isEmpty {
      var names = types.prefix(CaptureAccount.namedTypes).map(CaptureAccount.name(ofLinkType:))
      if types.count > names.count { names.append("and \(types.count - names.count) more") }
      reasons.append("unknown link type \(names.joined(separator: ", "))")
    }
    for reason in UnreadReason.allCases where reason != .unknownLinkType {
      if let count = health.unread[reason], count > 0 { reasons.append("\(count) \(reason.packetsText)") }
    }
    return "none of its packets could be decoded: " + reasons.joined(separator: ", ")
  }

  /// A link type by its number, and by its name in the registry where it has one.
  private static func name(ofLinkType number: UInt16) -> String {
    LinkType(rawValue: number).name.map { "\(number) (\($0))" } ?? "\(number)"
  }

  /// Whether a limit may have cost a session.
  var hitLimit: Bool { limits.contains { $0.count > 0 } }

  /// The comments of a capture; those that every part repeats, once.
  private func distinct(_ comments: [String]) -> [String] {
    guard metadata.count > 1 else { return comments }
    var seen = Set<String>()
    return comments.filter { seen.insert($0).inserted }
  }

  /// The interfaces; those of later parts are added to those of the first that are called and read alike.
  private var interfaces: [InputSummary.Interface] {
    var list = (metadata.first?.interfaces ?? []).map(CaptureAccount.interface)
    // Those that PKTAP headers name: the file itself knows one interface for all of them.
    var named = Set<String>()
    for name in metadata.flatMap(\.packetInterfaces) where named.insert(name).inserted {
      list.append(
        InputSummary.Interface(
          name: name, linkType: Int(LinkType.pktap.rawValue), linkTypeName: LinkType.pktap.name))
    }
    guard metadata.count > 1 else { return list }
    func key(_ interface: InputSummary.Interface) -> [String?] {
      [interface.name, "\(interface.linkType)", interface.snapshotLength.map(String.init)]
    }
    var places: [[String?]: Int] = [:]
    for (place, interface) in list.enumerated() where places[key(interface)] == nil {
      places[key(interface)] = place
    }
    for interface in metadata.dropFirst().lazy.flatMap(\.interfaces).map(CaptureAccount.interface) {
      if let known = places[key(interface)] {
        list[known].received = CaptureAccount.sum(list[known].received, interface.received)
        list[known].dropped = CaptureAccount.sum(list[known].dropped, interface.dropped)
      } else {
        places[key(interface)] = list.count
        list.append(interface)
      }
    }
    return list
  }

  /// The sum of two counts, of which one or both may not be known.
  private static func sum(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
    guard let a, let b else { return a ?? b }
    return a.addingReportingOverflow(b).partialValue
  }

  private static func interface(_ interface: CaptureInterface) -> InputSummary.Interface {
    var record = InputSummary.Interface(
      name: interface.name, linkType: Int(interface.linkType.rawValue), linkTypeName: interface.linkType.name)
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
    let dropped = interfaces.reduce(UInt64(0)) { $0.addingReportingOverflow($1.dropped ?? 0).partialValue }
    add("droppedWhileCapturing", "packets dropped while capturing", dropped, .remark)
    add("truncatedBySnaplen", "packets truncated by the snapshot length", health.truncatedPackets, .remark)
    for (type, count) in health.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
      add(
        "unknownLinkType.\(type)", "packets of unknown link type \(CaptureAccount.name(ofLinkType: type))",
        count, .notRead)
    }
    for reason in UnreadReason.allCases where reason != .unknownLinkType {
      let isLoss = reason.hidesSomething
      add(
        "\(isLoss ? "undecodable" : "other").\(reason.rawValue)", reason.packetsText,
        health.unread[reason] ?? 0, isLoss ? .notRead : .remark)
    }
    func add(_ name: String, _ text: String, _ count: Int, _ meaning: NamedCount.Meaning = .remark) {
      add(name, text, UInt64(max(0, count)), meaning)
    }
    add("quicDatagrams", "QUIC handshake datagrams", health.quicDatagrams, .remark)
    let versions = health.quicVersionsNotRead.keys.sorted().map { number in
      let version = QUICVersion(rawValue: number)
      return version.name ?? version.hexadecimal
    }
    add(
      "quicOtherVersions",
      "QUIC datagrams of versions that are not read (\(versions.joined(separator: ", ")))",
      health.quicOfOtherVersions, .notRead)
    add("quicCutPackets", "QUIC packets truncated by the snapshot length", health.quicCutPackets, .notRead)
    add("quicWithoutHello", "QUIC connections without a readable hello", health.quicWithoutHello, .notRead)
    add(
      "quicUnknownConnections", "UDP datagrams on port 443 that may be QUIC from before the capture",
      health.quicOfUnknownConnections, .notRead)
    add(
      "dtlsUnknownConnections", "DTLS datagrams of connections that showed no hello",
      health.dtlsOfUnknownConnections, .notRead)
    add(
      "openVPN", "OpenVPN handshakes over UDP, which are not read", health.openVPNBeginnings,
      .notRead)
    add("implausibleTimes", "packets with an implausible time", health.implausibleTimes, .remark)
    add("fragments", "IP fragments", health.fragments, .remark)
    add("reassembledPackets", "packets reassembled from fragments", health.reassembledPackets, .remark)
    add("incompletePackets", "packets with missing fragments", health.incompletePackets, .notRead)
    add(
      "disagreeingFragmentBytes", "bytes in fragments repeated with different content",
      health.disagreeingFragmentBytes, .remark)
    add(
      "contradictingFragments", "fragments that contradict others", health.contradictingFragments, .notRead)
    add(
      "connectionsWithSameEnds", "connections between the same endpoints at the same time",
      health.connectionsWithSameEnds, .remark)
    add(
      "strayedSegments", "TCP segments that match no connection between their endpoints",
      health.strayedSegments, .notRead)
    add("disagreeingBytes", "bytes repeated with different content", health.disagreeingBytes, .remark)
    func addOdd(
      _ name: String, _ text: String, _ count: KeyPath<CaptureAnomalies, Int>,
      _ meaning: NamedCount.Meaning = .remark
    ) {
      add(name, text, metadata.reduce(0) { $0 &+ $1.anomalies[keyPath: count] }, meaning)
    }
    addOdd(
      "packetsWithoutInterface", "packets of undescribed interfaces", \.packetsWithoutInterface, .notRead)
    addOdd("unreadableSections", "sections of an unknown version", \.unreadableSections, .notRead)
    addOdd("shortSimplePackets", "simple packets shorter than their length", \.shortSimplePackets)
    addOdd("malformedOptions", "malformed option lists", \.malformedOptions)
    addOdd("processesWithoutBlock", "packets that refer to an undescribed process", \.processesWithoutBlock)
    addOdd("malformedBlocks", "malformed blocks", \.malformedBlocks)
    add("unknownBlocks", "blocks of unknown types", metadata.reduce(0) { $0 &+ $1.unknownBlockCount })
    add(
      "forgottenNames", "addresses whose names were evicted because too many have names",
      health.forgottenNames, .remark)
    add(
      "forgottenDataConnections", "FTP data ports that were evicted because too many were announced",
      health.forgottenDataConnections, .remark)
    add(
      "signaturesNotVerified",
      "handshake signatures not verified: beyond 1,024 per capture, only the first with each leaf is",
      health.signaturesNotVerified, .remark)
    if !health.withoutHandshake.isEmpty {
      add(
        "forgottenConnections",
        "finished connections that were evicted: later packets of them count as connections without a handshake",
        health.forgottenConnections, .remark)
    }
    add("notChosen", "packets excluded by options", choice?.leftOut ?? 0, .remark)
    return list
  }

  private var limits: [NamedCount] {
    var list: [NamedCount] = []
    func add(_ name: String, _ text: String, _ count: UInt64) {
      if count > 0 { list.append(NamedCount(name, text, count: count, meaning: .notRead)) }
    }
    add("openConnections", "connections evicted", health.evictedConnections)
    add("heldBytes", "gaps skipped because too much data was buffered after them", health.gapsGivenUp)
    add("fragments", "fragmented packets evicted", health.fragmentsGivenUp)
    add("handshakeLength", "handshake messages beyond the length limit", health.oversizedMessages)
    add("certificates", "chains with too many certificates", health.longChains)
    add("extensions", "hellos with too many extensions", health.longHellos)
    add(
      "secretSearch", "sessions with Encrypted ClientHello for which not every secret was tried",
      health.unfinishedSecretSearches)
    add("httpHosts", "connections with too many HTTP hosts", health.hostsBeyondLimit)
    add(
      "httpHeadLength", "connections with an HTTP head beyond the length limit", health.connectionsWithLongHeads)
    add(
      "captureDescriptions", "descriptions omitted",
      UInt64(max(0, metadata.reduce(0) { $0 &+ $1.anomalies.leftOut })))
    return list
  }
}
