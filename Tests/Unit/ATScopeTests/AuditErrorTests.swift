import ATScope
import Foundation
import TestFiles
import Testing

@Suite struct AuditErrorTests {
  private func causes(_ path: String, keyLogs: [String] = [], isInterrupted: Bool = false) -> [AuditError.Cause] {
    var options = AuditOptions(paths: [path])
    options.reading.keyLogs = keyLogs
    if isInterrupted { options.reading.isInterrupted = { true } }
    return Audit(options).run().outcome.faults.map(\.cause)
  }

  @Test func `the faults of a run distinguish what is missing, truncated, interrupted and unusable`() throws {
    let scratch = try TemporaryFolder()
    let capture = Repository.path("captures/intercepted/without-proxy.pcap")
    let bytes = try Data(contentsOf: URL(filePath: capture))
    let truncated = try scratch.write("truncated.pcap", bytes.dropLast(5))
    let notes = try scratch.write("notes.txt", "not a capture\n")
    #expect(causes(capture) == [])
    #expect(causes(scratch.path + "/absent.pcap") == [.noSuchFile])
    #expect(causes(truncated) == [.truncated])
    #expect(causes(capture, isInterrupted: true) == [.interrupted])
    #expect(causes(notes) == [.unusable])
    #expect(causes(capture, keyLogs: [scratch.path + "/absent.log", notes]) == [.noSuchFile, .unusable])
  }

  @Test func `a review of settings keeps the cause, and an unknown query is an invalid request`() throws {
    let scratch = try TemporaryFolder()
    let empty = try scratch.write("Empty.plist", "")
    let outcome = Lint([scratch.path + "/Absent.plist", empty]).run().outcome
    #expect(outcome.faults.map(\.cause) == [.noSuchFile, .unusable])
    let error = #expect(throws: AuditError.self) { try Explanation(of: "qqqq").run() }
    #expect(error?.cause == .invalidRequest)
  }
}
