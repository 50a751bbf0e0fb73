import ATScope
import ByteParsing
import Foundation
import SessionModel
import TestBytes
import TestFiles
import Testing

/// The results of an audit.
final class Shown {
  /// The judged sessions; none if only a report in a certain format is requested.
  private(set) var sessions: [JudgedSession] = []
  private(set) var faults: [String] = []
  private(set) var warnings: [String] = []
  private let audit: Audit
  private let format: ReportOptions.Format
  /// Retained so that the file exists when the report is written.
  private let input: TemporaryFile?

  /// Reads inputs with key logs, and writes a report if a format is given.
  init(
    _ inputs: [String], keyLogs: [String] = [], chains: SuppliedChains = SuppliedChains(), format: ReportOptions.Format? = nil,
    retaining input: TemporaryFile? = nil
  ) {
    var options = AuditOptions(paths: inputs)
    options.reading.keyLogs = keyLogs
    options.judging.chains = chains
    audit = Audit(options)
    self.format = format ?? .ndjson
    self.input = input
    if format == nil {
      let result = audit.run()
      sessions = result.sessions
      note(result.outcome)
    } else {
      _ = text
    }
  }

  /// The whole report, by default as NDJSON.
  private(set) lazy var text: String = {
    var report = ReportOptions()
    report.format = format
    var output = Bytes()
    let outcome = audit.write(report) { output += $0 }
    note(outcome)
    return String(decoding: output, as: UTF8.self)
  }()

  private func note(_ outcome: RunOutcome) {
    faults = outcome.faults.map(\.description)
    warnings = outcome.warnings
  }

  /// The facts of a session's handshake.
  func tls(_ index: Int = 0) -> TLSFacts? { index < sessions.count ? sessions[index].session.tls : nil }

  /// The server name of the only session.
  var serverName: String? {
    get throws { try onlySession.session.serverName }
  }

  /// The source of the chain that is assumed for the only session.
  var assumedSource: AssumedChain.Source? {
    get throws { try onlySession.session.assumedChain?.source }
  }

  private var onlySession: JudgedSession {
    get throws {
      try #require(sessions.count == 1)
      return sessions[0]
    }
  }

  /// The SHA-256 of each observed certificate of a session.
  func certificates(_ index: Int = 0) -> [String] { tls(index)?.chain?.certificates.map(\.sha256) ?? [] }

  /// The outcome of each rule that applies and whose identifier begins with `ATS-CERT`.
  func certificateOutcomes(_ index: Int = 0) -> [String: Finding.Outcome] {
    guard index < sessions.count else { return [:] }
    let findings = sessions[index].judgement.findings.filter {
      $0.rule.rawValue.hasPrefix("ATS-CERT") && $0.outcome != .notApplicable
    }
    return Dictionary(uniqueKeysWithValues: findings.map { ($0.rule.rawValue, $0.outcome) })
  }
}

extension TLSFacts {
  /// The state of Encrypted ClientHello, as a record names it.
  var encryptedClientHello: String {
    guard offer?.extensions.contains(.encryptedClientHello) == true else { return "absent" }
    return isEncryptedClientHelloAccepted ? "accepted" : isDecrypted ? "rejected" : "offered"
  }
}

/// Captures in the repository.
enum Captures {
  static func path(_ name: String) -> String { Repository.path("captures/" + name) }

  /// The packets of a little-endian pcap file, each with its record header.
  static func packets(_ name: String) throws -> [Data] {
    let pcap = try Data(contentsOf: URL(filePath: path(name)))
    var packets: [Data] = []
    var position = 24
    while position + 16 <= pcap.count {
      let captured = (0..<4).reduce(0) { $0 | Int(pcap[position + 8 + $1]) << (8 * $1) }
      packets.append(Data(pcap[position..<(position + 16 + captured)]))
      position += 16 + captured
    }
    return packets
  }

  /// A capture of packets with the file header of another capture.
  static func data(_ name: String, of packets: [Data]) throws -> Data {
    try packets.reduce(Data(contentsOf: URL(filePath: path(name)))[..<24]) { $0 + $1 }
  }

  /// A packet truncated to a captured length.
  static func cut(_ packet: Data, to length: Int) -> Data {
    guard packet.count > 16 + length else { return packet }
    var packet = Data(packet.prefix(16 + length))
    for index in 0..<4 { packet[8 + index] = UInt8(length >> (8 * index) & 0xFF) }
    return packet
  }

  /// An IPv4 packet on Ethernet with another client port.
  static func moving(_ packet: Data, toPort port: UInt16) -> Data {
    var packet = packet
    let portIndex = packet.startIndex + 16 + 14 + 20
    let isFromServer = packet[portIndex] == 0x01 && packet[portIndex + 1] == 0xBB
    let start = isFromServer ? portIndex + 2 : portIndex
    packet[start] = UInt8(port >> 8)
    packet[start + 1] = UInt8(port & 0xFF)
    return packet
  }

  /// The lines of a key log.
  static func lines(_ name: String) throws -> [String] {
    try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// A little-endian pcap file as pcapng, with the secrets in a Decryption Secrets Block before or after the packets.
  static func pcapng(_ pcap: Data, secrets: String, atEnd: Bool) -> Bytes {
    func number(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(pcap[offset + $1]) << UInt32(8 * $1) } }
    var file = CaptureWriter.pcapng()
    func addSecrets() {
      let body = little(0x544C_534B, 4) + little(secrets.utf8.count, 4) + Bytes(secrets.utf8)
      file.block(10, body)
    }
    file.interface(linkType: UInt16(truncatingIfNeeded: number(20)))
    if !atEnd { addSecrets() }
    var position = 24
    while position + 16 <= pcap.count {
      let end = position + 16 + Int(number(position + 8))
      file.enhancedPacket(
        Bytes(pcap[(position + 16)..<end]), ticks: UInt64(number(position)) * 1_000_000 + UInt64(number(position + 4)),
        originalLength: number(position + 12))
      position = end
    }
    if atEnd { addSecrets() }
    return file.bytes
  }
}
