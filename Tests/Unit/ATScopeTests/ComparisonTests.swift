import ATScope
import Testing

@Suite struct ComparisonTests {
  @Test(arguments: [true, false])
  func `an input of which nothing could be read is not compared`(isBaseline: Bool) throws {
    let scratch = try Scratch()
    let report = try scratch.write("report.json", #"{"run":{"schema":"atscope.run/1"},"sessions":[]}"#)
    let empty = try scratch.write("empty.ndjson", #"{"schema":"atscope.run/1"}"# + "\n" + #"{"schema":"atscope.summary/1"}"# + "\n")
    let sides = isBaseline ? (report, empty) : (empty, report)
    do {
      _ = try Comparison(baseline: AuditInput(path: sides.0), current: AuditInput(path: sides.1)).run()
      Issue.record("compared")
    } catch let error as AuditError {
      #expect(error.file == report)
      #expect(error.reason.hasPrefix("cannot be compared: a JSON report"))
      #expect(error.reason.contains("--write-baseline") == isBaseline)
    }
    // What could be read, and holds no session, is compared.
    _ = try Comparison(baseline: AuditInput(path: empty), current: AuditInput(path: empty)).run()
  }
}
