import ATScope
import Foundation
import PacketFiltering
import SessionModel
import SessionRecords
import TLSParsing
import Testing

/// One session in captures that lose or reorder parts of it.
@Suite struct RobustnessTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var file: String
    var certificates = 2
    var incomplete: Evidence.Incomplete?
    var missingBytes = 0
    var name: String? = "api.example.com"
    var version: UInt16? = 0x0303
    var outcome = TLSFacts.Outcome.established
    var serverKeyExchange = Evidence.State.complete
    var notes: [EvidenceNote] = []
    /// The required counts of the input's health.
    var health: [String: UInt64] = [:]

    var testDescription: String { file }
  }

  /// Captures with reordered, repeated or encapsulated packets that contain the whole session.
  static let whole: [Case] = [
    "stream/swapped-segments.pcap", "stream/no-syn.pcap", "stream/overlap.pcap",
    "stream/sequence-wrap.pcap", "stream/tiny-segments.pcap", "stream/duplicates.pcap",
    "tunnel/qinq.pcap", "link/raw-ip.pcap", "link/linux-cooked-v2.pcap", "link/wrong-ethertype.pcap",
    "process/pktap.pcap", "process/pktap-old-number.pcap", "process/process-blocks.pcapng",
    "stream/fast-open.pcap", "stream/simultaneous-open.pcap", "stream/keep-alives.pcap",
    "stream/late-reset.pcap", "stream/early-fin.pcap", "stream/offloaded.pcap",
    "stream/wrong-checksums.pcap", "format/section-break.pcapng", "format/resolutions.pcapng",
    "link/wlan-aggregates.pcap", "packed/trace.pcap.gz", "packed/trace.pcap.zst", "packed/trace.pcap.lz4",
    "packed/trace.pcap.xz", "packed/trace.pcap.bz2", "packed/bundle.zip", "packed/bundle.tgz",
  ].map { Case(file: $0) }

  static let other: [Case] = [
    Case(file: "link/mixed-link-types.pcapng", health: ["unknownLinkType.147": 2]),
    Case(file: "ip/ip-fragments.pcap", health: ["fragments": 4, "reassembledPackets": 1]),
    Case(
      file: "ip/fragments-overlap.pcap", notes: [.ipFragmentsDisagree],
      health: ["fragments": 5, "reassembledPackets": 1, "disagreeingFragmentBytes": 160]),
    Case(file: "ip/fragment-lost.pcap", health: ["fragments": 2, "incompletePackets": 1]),
    Case(
      file: "stream/overlap-disagrees.pcap", notes: [.tcpRetransmissionDisagrees],
      health: ["disagreeingBytes": 400]),
    Case(
      file: "ip/fragments-never-whole.pcap", certificates: 0, incomplete: .loss, missingBytes: 400,
      health: ["fragments": 3, "incompletePackets": 1]),
    Case(
      file: "stream/lost-certificate.pcap", certificates: 1, incomplete: .loss, missingBytes: 706,
      serverKeyExchange: .missing),
    Case(
      file: "stream/lost-server-hello.pcap", certificates: 0, incomplete: .loss, missingBytes: 1448,
      version: nil, serverKeyExchange: .missing),
    Case(
      file: "stream/snaplen.pcap", certificates: 0, incomplete: .snaplen, missingBytes: 1826,
      serverKeyExchange: .missing, health: ["truncatedBySnaplen": 3]),
    Case(file: "stream/after-client-hello.pcap", incomplete: .startedLate, name: nil),
    Case(
      file: "stream/client-only.pcap", certificates: 0, incomplete: .oneDirection, version: nil,
      outcome: .incomplete,
      serverKeyExchange: .missing),
    Case(file: "stream/server-only.pcap", incomplete: .oneDirection, name: nil, outcome: .incomplete),
    Case(
      file: "stream/cut-in-handshake.pcap", certificates: 1, incomplete: .stillOpen, outcome: .incomplete,
      serverKeyExchange: .missing),
  ]

  @Test(arguments: [
    "link/frame-relay", "link/llc-snap", "link/null-big-endian", "link/null-version-6",
    "process/pktap-ethernet", "link/ppp", "link/ppp-direction", "link/slip", "link/token-ring-route",
    "link/wlan-radiotap", "link/wrong-ethertype", "link/erf", "link/nflog", "link/raw-ip",
    "link/linux-cooked-v2",
  ])
  func `a filter matches the packets of each link type, without a warning about it`(name: String) throws {
    try #require(Goldens.captures.count > 100)
    var options = AuditOptions(paths: ["captures/variants/\(name).pcap"])
    for (text, count) in [("tcp port 443", 1), ("tcp port 444", 0)] {
      options.reading.filter = try PacketFilter(text)
      let audited = Audit(options).run()
      #expect(audited.sessions.count == count)
      // With no session left, that is the only warning.
      let warnings = audited.outcome.warnings.filter { !$0.contains("no session was judged") }
      #expect(warnings.isEmpty && audited.outcome.warnings.count == 1 - count)
    }
  }

  @Test(arguments: whole + other)
  func `everything captured is read, and an incomplete session has a reason`(_ item: Case) throws {
    let audited = try Goldens.audited("variants/\(item.file)")
    #expect(audited.sessions.count == 1)
    let session = try #require(audited.sessions.first?.session)
    #expect(session.serverName == item.name)
    #expect(session.sharedTLS?.sharedServerHello?.version?.rawValue == item.version)
    #expect(session.sharedTLS?.outcome == item.outcome)
    #expect((session.sharedTLS?.chain?.certificates.count ?? 0) == item.certificates)
    #expect(session.evidence.incomplete == item.incomplete)
    #expect(session.evidence.missingBytes == item.missingBytes)
    #expect(session.evidence.serverKeyExchange == item.serverKeyExchange)
    #expect(session.evidence.notes == item.notes)
    for (name, count) in item.health {
      let counts = audited.outcome.summary.inputs.flatMap(\.health).filter { $0.name == name }.map(\.count)
      #expect(counts == [count], "\(name)")
    }
  }

  @Test func `the evidence lists the packet whose bytes disagree`() throws {
    let audited = try Goldens.audited("variants/stream/overlap-disagrees.pcap")
    #expect(audited.sessions.first?.session.evidence.disagreements.numbers == [8])
  }

  @Test(arguments: ["tunnel/ipsec-esp.pcap", "link/wlan-encrypted.pcap", "link/unknown-link-type.pcap"])
  func `a capture with no packet that can be decoded is a fault with a reason`(file: String) throws {
    let audited = try Goldens.audited("variants/\(file)")
    #expect(audited.outcome.faults.count == 1)
    #expect(audited.outcome.faults.first?.reason.hasPrefix("none of its packets could be decoded: ") == true)
  }
}
