import ByteParsing
import Foundation
import TestFiles
import SessionModel
import Testing

@testable import ATScope

@Suite struct KeyLogsTests {
  private static let captures = Repository.path("captures/resumption")

  private func warnings(_ capture: String, keyLog: String) -> [String] {
    var options = AuditOptions(paths: ["\(Self.captures)/\(capture).pcap"])
    options.reading.keyLogs = ["\(Self.captures)/\(keyLog).keylog"]
    return Audit(options).run().outcome.warnings
  }

  @Test func `a key log of other connections is reported`() {
    let warnings = warnings("tls13-psk", keyLog: "tls13-early-data")
    #expect(
      warnings.contains {
        $0.contains("tls13-early-data.keylog") && $0.contains("none of which is in the captures")
      })
    #expect(self.warnings("tls12-ticket", keyLog: "tls13-psk").contains { $0.contains("none of which") })
  }

  @Test func `a key log for saved sessions is reported`() throws {
    let scratch = try TemporaryFolder()
    var report = ReportOptions()
    report.format = .ndjson
    var saved = Bytes()
    _ = Audit(AuditOptions(paths: ["\(Self.captures)/tls13-psk.pcap"])).write(report) { saved += $0 }
    var options = AuditOptions(paths: [try scratch.write("saved.ndjson", saved)])
    options.reading.keyLogs = ["\(Self.captures)/tls13-psk.keylog"]
    let words = "--keylog has no effect on saved sessions, which have no packets; give the capture instead"
    #expect(Audit(options).run().outcome.warnings == ["\(scratch.path)/saved.ndjson: \(words)"])
  }

  @Test func `a key log without secrets is reported`() throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(paths: ["\(Self.captures)/tls13-psk.pcap"])
    options.reading.keyLogs = [try scratch.write("empty.keylog", "# nothing yet\n")]
    let outcome = Audit(options).run().outcome
    #expect(outcome.warnings == ["\(scratch.path)/empty.keylog: contains no handshake secrets"])
  }

  @Test(arguments: [(1, "1 line is not valid"), (2, "2 lines are not valid")])
  func `invalid lines of a key log are counted with their noun`(count: Int, words: String) throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(paths: ["\(Self.captures)/tls13-psk.pcap"])
    let log = try String(contentsOfFile: "\(Self.captures)/tls13-psk.keylog", encoding: .utf8)
    let invalid = String(repeating: "CLIENT_HANDSHAKE_TRAFFIC_SECRET zz zz\n", count: count)
    options.reading.keyLogs = [try scratch.write("a.keylog", log + invalid)]
    #expect(Audit(options).run().outcome.warnings.contains("\(scratch.path)/a.keylog: \(words) in a key log"))
  }

  @Test(arguments: ["secrets-first", "secrets-last"])
  func `a Decryption Secrets Block shorter than its contents is a fault of the capture`(name: String) throws {
    let path = Repository.path("captures/variants/format/\(name).pcapng")
    var capture = try Data(contentsOf: URL(filePath: path))
    let type = try #require(capture.range(of: Data("KSLT".utf8)))
    capture[type.upperBound + 3] = 1
    let whole = Audit(AuditOptions(paths: [path])).run()
    let damaged = Audit(AuditOptions(bytes: [UInt8](capture), named: "damaged.pcapng")).run()
    #expect(whole.outcome.faults.isEmpty)
    #expect(damaged.outcome.faults.count == 1)
    let fault = try #require(damaged.outcome.faults.first)
    #expect(fault.description.hasPrefix("damaged.pcapng: damaged at byte \(type.lowerBound - 8): secrets of "))
    #expect(damaged.sessions.map(\.session.identifier) == whole.sessions.map(\.session.identifier))
    #expect(damaged.sessions.allSatisfy { $0.session.tls?.isDecrypted == false })
  }

  /// A Decryption Secrets Block with a key log.
  private func block(_ log: String) -> Data {
    let body = Data("KSLT".utf8) + number(log.utf8.count) + Data(log.utf8) + Data(count: -log.utf8.count & 3)
    return number(10) + number(body.count + 12) + body + number(body.count + 12)
  }

  private func number(_ value: Int) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }) }

  /// Five secrets for one session and side are one more than are stored.
  @Test(arguments: [(4, [], true), (5, ["keyLogSecrets"], false)] as [(Int, [String], Bool)])
  func `secrets above the limit in a capture are counted, and may be those of any session`(
    count: Int, limits: [String], isMissing: Bool
  ) throws {
    var capture = try Data(contentsOf: URL(filePath: Repository.path("captures/variants/format/secrets-first.pcapng")))
    let start = try #require(capture.range(of: Data("KSLT".utf8))).lowerBound - 8
    let length = capture[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
    let random = String(repeating: "ab", count: 32)
    let log = (1...count).map { "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(String(repeating: "0\($0)", count: 32))\n" }
    capture.replaceSubrange(start..<(start + length), with: block(log.joined()))
    let audited = Audit(AuditOptions(bytes: [UInt8](capture), named: "a.pcapng")).run()
    #expect(audited.outcome.faults.isEmpty && audited.outcome.hitLimit != isMissing)
    #expect(audited.outcome.summary.inputs.flatMap(\.limits).map(\.name) == limits)
    #expect(audited.sessions.map { $0.session.evidence.contains(.secretsMissing) } == [isMissing])
  }

  @Test func `a key log of the capture is not reported`() {
    #expect(!warnings("tls13-psk", keyLog: "tls13-psk").contains { $0.contains("none of which") })
  }
}
