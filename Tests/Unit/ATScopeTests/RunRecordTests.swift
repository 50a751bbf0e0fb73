import ATScope
import ByteParsing
import SessionRecords
import Testing

@Suite struct RunRecordTests {
  /// The record of a run, which is the first line of the output.
  private func run(_ options: ReportOptions) -> String {
    var options = options
    options.format = .ndjson
    var output = Bytes()
    _ = Audit(AuditOptions(inputs: [])).write(options) { output += $0 }
    return String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  @Test func `options that select and group judgements are recorded if they are given`() {
    var options = ReportOptions()
    options.recorded = [RunRecord.Setting("strict", .boolean(false))]
    options.onlyFailures = true
    options.grouping = .process
    #expect(run(options).contains(#""at":null,"strict":false,"only-failures":true,"group-by":"process"},"#))
    #expect(run(ReportOptions()).contains(#""at":null},"#))
  }
}
