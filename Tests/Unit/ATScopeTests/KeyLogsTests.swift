import Foundation
import RepositoryFiles
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

  @Test func `a key log without secrets is reported`() throws {
    let scratch = try Scratch()
    var options = AuditOptions(paths: ["\(Self.captures)/tls13-psk.pcap"])
    options.reading.keyLogs = [try scratch.write("empty.keylog", "# nothing yet\n")]
    let outcome = Audit(options).run().outcome
    #expect(outcome.warnings == ["\(scratch.path)/empty.keylog: contains no handshake secrets"])
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

  @Test func `a key log of the capture is not reported`() {
    #expect(!warnings("tls13-psk", keyLog: "tls13-psk").contains { $0.contains("none of which") })
  }
}
