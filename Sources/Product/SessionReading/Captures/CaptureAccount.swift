import CaptureFormats
import PacketParsing
import QUICParsing
import SessionModel
import SessionRecords
import Values

/// Summarizes what was read of a capture, and what was not.
struct CaptureAccount {
  /// The metadata of each part; a capture in one file has one part.
  let metadata: [CaptureMetadata]

  let health: ObservationHealth

  /// The number of packets of all parts, selected or not.
  let packets: UInt64

  /// The selection of packets; nil for all.
  let choice: PacketChoice?

  func complete(_ summary: inout InputSummary) {
    summary.format = metadata.first?.format.rawValue
    summary.packets = packets
    summary.firstTime = health.firstTime
    summary.lastTime = health.lastTime
    // Some writers record the system only with the interface (if_os).
    summary.os =
      metadata.lazy.compactMap(\.operatingSystem).first ?? metadata.lazy.flatMap(\.interfaces).compactMap(\.operatingSystem).first
    summary.hardware = metadata.lazy.compactMap(\.hardware).first
    summary.application = metadata.lazy.compactMap(\.application).first
    let comments = metadata.flatMap(\.sections).flatMap(\.comments)
    // Each part of a rotated capture repeats the comments.
    summary.comments = metadata.count > 1 ? comments.distinct() : comments
    summary.interfaces = interfaces
    summary.health = counts.filter { $0.count > 0 }
    summary.limits = limits.filter { $0.count > 0 }
  }

  /// Whether there are packets and none of them could be decoded.
  var nothingDecodable: Bool {
    // Packets that were not selected might be decodable.
    guard health.packets > 0 || packets == 0 && packetsWithoutInterface.count > 0 else { return false }
    let lost = health.unread.filter { CaptureAccount.isUndecodable($0.key) }
      .reduce(UInt64(0)) { $0 + $1.value }
    return lost == health.packets
  }

  private static func isUndecodable(_ reason: UnreadReason) -> Bool {
    reason == .unknownLinkType || reason.isDamage || reason.isEncrypted
  }

  /// The maximum number of unknown link types in a clause.
  private static let maximumNamedTypeCount = 8

  /// The reason that nothing could be decoded, as a clause.
  var undecodableReason: String {
    var reasons: [String] = []
    let types = health.unknownLinkTypes.keys.sorted()
    if !types.isEmpty {
      var names = types.prefix(CaptureAccount.maximumNamedTypeCount).map(CaptureAccount.name(ofLinkType:))
      if types.count > names.count { names.append("and \(types.count - names.count) more") }
      reasons.append("unknown link type \(names.joined(separator: ", "))")
    }
    for reason in UnreadReason.allCases where reason != .unknownLinkType {
      let packets = count(of: reason)
      if packets.count > 0 { reasons.append("\(packets.count) \(packets.text)") }
    }
    if packetsWithoutInterface.count > 0 {
      reasons.append("\(packetsWithoutInterface.count) \(packetsWithoutInterface.text)")
    }
    return "none of its packets could be decoded: " + reasons.joined(separator: ", ")
  }

  /// Returns a link type by number, with its name in the registry if it has one.
  private static func name(ofLinkType number: UInt16) -> String {
    LinkType(rawValue: number).name.map { "\(number) (\($0))" } ?? "\(number)"
  }

  /// The interfaces; for several parts, interfaces with the same properties are merged.
  private var interfaces: [InputSummary.Interface] {
    var list = (metadata.first?.interfaces ?? []).map(CaptureAccount.interface)
    // The interfaces in PKTAP headers: the file contains one interface for all of them.
    list += metadata.flatMap(\.packetInterfaces).distinct().map { name in
      InputSummary.Interface(name: name, linkType: Int(LinkType.pktap.rawValue), linkTypeName: LinkType.pktap.name)
    }
    guard metadata.count > 1 else { return list }
    func key(_ interface: InputSummary.Interface) -> [String?] {
      [interface.name, "\(interface.linkType)", interface.snapshotLength.map(String.init)]
    }
    var indices: [[String?]: Int] = [:]
    for (index, interface) in list.enumerated() where indices[key(interface)] == nil {
      indices[key(interface)] = index
    }
    for interface in metadata.dropFirst().lazy.flatMap(\.interfaces).map(CaptureAccount.interface) {
      if let known = indices[key(interface)] {
        list[known].received = CaptureAccount.sum(list[known].received, interface.received)
        list[known].dropped = CaptureAccount.sum(list[known].dropped, interface.dropped)
      } else {
        indices[key(interface)] = list.count
        list.append(interface)
      }
    }
    return list
  }

  /// Returns the sum of two counts; if one is not known, the other.
  private static func sum(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
    guard let a, let b else { return a ?? b }
    return a.clampedSum(b)
  }

  private static func interface(_ interface: CaptureInterface) -> InputSummary.Interface {
    var record = InputSummary.Interface(
      name: interface.name, linkType: Int(interface.linkType.rawValue), linkTypeName: interface.linkType.name)
    if interface.snapshotLength > 0 { record.snapshotLength = UInt64(interface.snapshotLength) }
    if let statistics = interface.statistics {
      record.received = statistics.received
      record.dropped = sum(statistics.droppedByInterface, statistics.droppedBySystem)
    }
    return record
  }

  /// The counts, including those that are zero.
  var counts: [NamedCount] {
    packetCounts + connectionCounts + fileCounts + [
      NamedCount("notChosen", "packet{s} left out by --filter, --from or --to", count: choice?.leftOut ?? 0)
    ]
  }

  private var packetCounts: [NamedCount] {
    var list = [
      NamedCount(
        "droppedWhileCapturing", "packet{s} dropped while capturing",
        count: interfaces.map { $0.dropped ?? 0 }.clampedSum),
      NamedCount("truncatedBySnaplen", "packet{s} truncated to the snapshot length", count: health.truncatedPackets),
    ]
    for (type, count) in health.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
      list.append(CaptureAccount.count(ofLinkType: type, count))
    }
    return list + UnreadReason.allCases.filter { $0 != .unknownLinkType }.map(count(of:))
  }

  static func count(ofLinkType type: UInt16, _ count: UInt64) -> NamedCount {
    NamedCount("unknownLinkType.\(type)", "packet{s} of unknown link type \(name(ofLinkType: type))", count: count, meaning: .notRead)
  }

  private func count(of reason: UnreadReason) -> NamedCount {
    let isLoss = reason.hidesSomething
    return NamedCount(
      "\(isLoss ? "undecodable" : "other").\(reason.rawValue)", reason.words, count: health.unread[reason] ?? 0,
      meaning: isLoss ? .notRead : .remark)
  }

  /// The name of the only count with details.
  static let quicOtherVersions = "quicOtherVersions"

  private var connectionCounts: [NamedCount] {
    let versions = health.quicVersionsNotRead.keys.sorted().map { number in
      let version = QUICVersion(rawValue: number)
      return version.name ?? version.hexadecimal
    }
    var ofOtherVersions = count(
      CaptureAccount.quicOtherVersions, health.quicOfOtherVersions, "QUIC datagram{s} of {an |}unsupported version{s}", .notRead)
    ofOtherVersions.details = versions
    return [
      count("quicDatagrams", health.quicDatagrams, "QUIC handshake datagram{s}"), ofOtherVersions,
      count("quicCutPackets", health.truncatedQUICPackets, "QUIC packet{s} truncated to the snapshot length", .notRead),
      count("quicWithoutHello", health.quicWithoutHello, "QUIC connection{s} without a readable ClientHello", .notRead),
      count(
        "quicUnknownConnections", health.quicOfUnknownConnections,
        "UDP datagram{s} on port 443, possibly of {a |}QUIC connection{s} opened before the capture", .notRead),
      count("quicInSOCKS", health.quicInSOCKS, "QUIC handshake datagram{s} inside SOCKS, which {is|are} not read", .notRead),
      count(
        "dtlsUnknownConnections", health.dtlsOfUnknownConnections,
        "DTLS datagram{s} of {a |}connection{s} without a ClientHello", .notRead),
      count("connectionsReset", health.connectionsReset, "connection{s} reset before any data"),
      count("connectionsWithoutData", health.connectionsWithoutData, "connection{s} without data"),
      count(
        "connectionsWithOtherData", health.connectionsWithOtherData,
        "connection{s} with neither {a TLS handshake|TLS handshakes} nor {an HTTP request|HTTP requests} (CONNECT does not count)"),
      count(
        "refusedConnects", health.connectionsWithRefusedConnects, "connection{s} whose HTTP CONNECT {a proxy|proxies} refused"),
      count(
        "upgradedConnections", health.upgradedConnections, "connection{s} upgraded from HTTP, as to WebSocket, whose content is not read"),
      count("openVPN", health.openVPNBeginnings, "OpenVPN connection{s}, whose TLS is not read", .notRead),
      count("wireGuard", health.wireGuardBeginnings, "WireGuard handshake{s}, whose tunnel{s} {is|are} not read", .notRead),
      count("dtlsInTURN", health.dtlsInTURN, "DTLS hello{s} that TURN relays, whose connection{s} {is|are} not read", .notRead),
      count("eap", health.eapBeginnings, "network login{s} by EAP in RADIUS, whose TLS is not read", .notRead),
      count(
        "http2Tunnels", health.connectionsWithHTTP2Tunnels,
        "cleartext HTTP/2 connection{s} with {a |}CONNECT tunnel{s}, whose contents are not read", .notRead),
      count("implausibleTimes", health.implausibleTimes, "packet{s} with {an |}implausible time{s}"),
      count("fragments", health.fragments, "IP fragment{s}"),
      count("reassembledPackets", health.reassembledPackets, "packet{s} reassembled from fragments"),
      count("incompletePackets", health.incompletePackets, "packet{s} with missing fragments", .notRead),
      count("disagreeingFragmentBytes", health.disagreeingFragmentBytes, "byte{s} that overlapping fragments contradict"),
      count("contradictingFragments", health.contradictingFragments, "fragment{s} that contradict{s|} others", .notRead),
      count(
        "connectionsWithSameEnds", health.connectionsWithSameEndpoints,
        "connection{s} with the same endpoints as {another|others} at the same time"),
      count("strayedSegments", health.unassignedSegments, "TCP segment{s} that fit{s|} no connection of {its|their} endpoints", .notRead),
      count(
        "requestsAfterEnd", health.requestsAfterEnd,
        "cleartext request{s} that repeat{s|} {an earlier one or begins a new connection|earlier ones or begin new connections}", .notRead),
      count("disagreeingBytes", health.disagreeingBytes, "byte{s} retransmitted with different content"),
    ]
  }

  private func anomalies(_ key: KeyPath<CaptureAnomalies, Int>) -> Int {
    metadata.reduce(0) { $0 &+ $1.anomalies[keyPath: key] }
  }

  private var packetsWithoutInterface: NamedCount {
    count("packetsWithoutInterface", anomalies(\.packetsWithoutInterface), "packet{s} of {an |}undescribed interface{s}", .notRead)
  }

  private var fileCounts: [NamedCount] {
    [
      packetsWithoutInterface,
      count("unreadableSections", anomalies(\.unreadableSections), "section{s} of {an |}unknown version{s}", .notRead),
      count("shortSimplePackets", anomalies(\.shortSimplePackets), "simple packet{s} shorter than {its|their} length{s}"),
      count("malformedOptions", anomalies(\.malformedOptions), "malformed option list{s}"),
      count("processesWithoutBlock", anomalies(\.processesWithoutBlock), "packet{s} that name{s|} a process without a block"),
      count("malformedBlocks", anomalies(\.malformedBlocks), "malformed block{s}"),
      count("unknownBlocks", metadata.reduce(0) { $0 &+ $1.unknownBlockCount }, "block{s} of {an |}unknown type{s}"),
      count("forgottenNames", health.forgottenNames, "address{es} whose name{s} {was|were} evicted, because too many have names"),
      count(
        "forgottenDataConnections", health.forgottenDataConnections,
        "FTP data port{s} that {was|were} evicted, because too many were announced"),
      count(
        "signaturesNotVerified", health.signaturesNotVerified,
        "handshake signature{s} not verified: after 1,024 only the first with each server certificate is"),
      count(
        "forgottenConnections", health.withoutHandshake.isEmpty ? 0 : health.forgottenConnections,
        "closed connection{s} evicted; {its|their} later packets count as {a |}connection{s} without a handshake"),
    ]
  }

  private func count(_ name: String, _ number: some BinaryInteger, _ words: String, _ meaning: NamedCount.Meaning = .remark) -> NamedCount {
    NamedCount(name, words, count: UInt64(clamping: number), meaning: meaning)
  }

  /// The limits, including those that were not reached.
  var limits: [NamedCount] {
    [
      count("openConnections", health.evictedConnections, "connection{s} evicted for {another|others}", .notRead),
      count("heldBytes", health.abandonedGaps, "gap{s} abandoned, because too much was held after {it|them}", .notRead),
      count("fragments", health.abandonedFragments, "fragmented packet{s} evicted for {another|others}", .notRead),
      count("handshakeLength", health.oversizedMessages, "handshake{s} with a message or held packets above the limit", .notRead),
      count("certificates", health.longChains, "chain{s} with more certificates than are read", .notRead),
      count("extensions", health.longHellos, "hello{s} with more extensions than are read", .notRead),
      count(
        "secretSearch", health.unfinishedSecretSearches, "session{s} with Encrypted ClientHello for which not every secret was tried",
        .notRead), count("httpHosts", health.hostsBeyondLimit, "connection{s} with more HTTP hosts than are reported", .notRead),
      count("httpHeadLength", health.connectionsWithLongHeads, "connection{s} with an HTTP header above the length limit", .notRead),
      count("captureDescriptions", metadata.reduce(0) { $0 &+ $1.anomalies.leftOut }, "capture description{s} left out", .notRead),
    ]
  }
}
