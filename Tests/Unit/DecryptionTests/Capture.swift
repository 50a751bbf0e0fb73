import ATScope
import ByteParsing
import Foundation
import RepositoryFiles

/// The report of a capture.
struct Shown {
  /// The session records.
  var sessions: [[String: Any]] = []
  /// The whole output.
  var text = ""
  var faults: [String] = []
  var warnings: [String] = []

  /// Reads inputs with key logs.
  init(
    _ inputs: [String], keyLogs: [String] = [], chains: SuppliedChains = SuppliedChains(),
    format: ReportOptions.Format = .ndjson
  ) {
    var options = AuditOptions(paths: inputs)
    options.reading.keyLogs = keyLogs
    options.judging.chains = chains
    var report = ReportOptions()
    report.format = format
    var output = Bytes()
    let outcome = Audit(options).write(report) { output += $0 }
    text = String(decoding: output, as: UTF8.self)
    faults = outcome.faults.map(\.description)
    warnings = outcome.warnings
    guard format == .ndjson else { return }
    for line in text.split(separator: "\n") {
      guard let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        record["schema"] as? String == "atscope.session/1"
      else { continue }
      sessions.append(record)
    }
  }

  /// The SHA-256 of each observed certificate of a session.
  func certificates(_ index: Int = 0) -> [String] {
    guard index < sessions.count, let list = sessions[index]["certificates"] as? [[String: Any]] else {
      return []
    }
    return list.compactMap { $0["sha256"] as? String }
  }

  /// A member of a session's `tls` object.
  func tls(_ key: String, _ index: Int = 0) -> Any? {
    guard index < sessions.count else { return nil }
    return (sessions[index]["tls"] as? [String: Any])?[key]
  }

  func source(_ index: Int = 0) -> String? {
    index < sessions.count ? sessions[index]["certificatesSource"] as? String : nil
  }

  /// The outcome of each rule whose identifier begins with `ATS-CERT`.
  func certificateOutcomes(_ index: Int = 0) -> [String: String] {
    guard index < sessions.count, let ats = sessions[index]["ats"] as? [String: Any],
      let rules = ats["rules"] as? [[String: Any]]
    else { return [:] }
    var outcomes: [String: String] = [:]
    for rule in rules {
      guard let id = rule["id"] as? String, id.hasPrefix("ATS-CERT") else { continue }
      outcomes[id] = rule["outcome"] as? String
    }
    for id in ats["passed"] as? [String] ?? [] where id.hasPrefix("ATS-CERT") { outcomes[id] = "pass" }
    return outcomes
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
}

/// Converts a little-endian pcap file to pcapng with a Decryption Secrets Block.
struct PcapngWriter {
  private var output = Data()

  init() {
    block(0x0A0D_0D0A, number(0x1A2B_3C4D) + number16(1) + number16(0) + Data(repeating: 0xFF, count: 8))
  }

  /// A pcapng capture with the secrets before or after the packets.
  static func convert(_ pcap: Data, secrets: String, atEnd: Bool) -> Data {
    var writer = PcapngWriter()
    let linkType = UInt16(pcap[20]) | UInt16(pcap[21]) << 8
    writer.block(1, writer.number16(linkType) + writer.number16(0) + writer.number(0))
    if !atEnd { writer.add(secrets) }
    var position = 24
    func value(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(pcap[offset + $1]) << UInt32(8 * $1) }
    }
    while position + 16 <= pcap.count {
      let (seconds, fraction) = (UInt64(value(position)), UInt64(value(position + 4)))
      let (captured, original) = (value(position + 8), value(position + 12))
      let time = seconds * 1_000_000 + fraction
      let head =
        writer.number(0) + writer.number(UInt32(time >> 32)) + writer.number(UInt32(time & 0xFFFF_FFFF))
        + writer.number(captured) + writer.number(original)
      let bytes = pcap[(position + 16)..<(position + 16 + Int(captured))]
      writer.block(6, head + bytes)
      position += 16 + Int(captured)
    }
    if atEnd { writer.add(secrets) }
    return writer.output
  }

  private mutating func add(_ secrets: String) {
    let data = Data(secrets.utf8)
    block(10, number(0x544C_534B) + number(UInt32(data.count)) + data)
  }

  private mutating func block(_ type: UInt32, _ body: Data) {
    let padding = (4 - body.count % 4) % 4
    let length = UInt32(12 + body.count + padding)
    output += number(type) + number(length) + body + Data(repeating: 0, count: padding) + number(length)
  }

  private func number(_ value: UInt32) -> Data {
    Data((0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) })
  }

  private func number16(_ value: UInt16) -> Data {
    Data([UInt8(value & 0xFF), UInt8(value >> 8)])
  }
}

/// A temporary file that is removed when the object is released.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.appending(path: "atscope-\(UUID().uuidString)").path()

  init(_ data: Data) throws { try data.write(to: URL(filePath: path)) }

  convenience init(_ text: String) throws { try self.init(Data(text.utf8)) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
