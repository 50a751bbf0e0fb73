import ATScope
import ByteParsing
import TestFiles
import Testing

/// Tests closures that throw while a result is written.
@Suite struct AuditWriteTests {
  private struct Full: Error {}

  private static let options = AuditOptions(paths: [Repository.path("captures/demo/demo.pcapng")])

  @Test func `the error of a report is thrown after the other reports are complete`() {
    var report = ReportOptions()
    report.format = .csv
    var (expected, other, calls) = (Bytes(), Bytes(), 0)
    _ = Audit(Self.options).write(report) { expected += $0 }
    report.format = .ndjson
    #expect(throws: Full.self) {
      _ = try Audit(Self.options).write(report, further: [FurtherReport<Full>(.csv) { other += $0 }]) { _ throws(Full) in
        calls += 1
        throw Full()
      }
    }
    #expect(calls == 1)
    #expect(other == expected && !other.isEmpty)
  }

  @Test func `the error of a copy is thrown`() throws {
    #expect(throws: Full.self) { try Extraction(Self.options).write { _ throws(Full) in throw Full() } }
    let annotation = try Annotation(Self.options)
    #expect(throws: Full.self) { try annotation.write { _ throws(Full) in throw Full() } }
  }
}
