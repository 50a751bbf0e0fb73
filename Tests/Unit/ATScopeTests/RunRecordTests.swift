import ATScope
import ByteParsing
import Testing

@Suite struct RunRecordTests {
  /// The record of a run, which is the first line whatever its inputs are.
  private func run(_ options: ReportOptions) -> String {
    var options = options
    options.format = .ndjson
    var output = Bytes()
    _ = Audit.run(AuditOptions(inputs: []), report: options) { bytes in
      output.append(contentsOf: copy bytes)
      return true
    }
    return String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  @Test func `a switch is a boolean, and what is not given is left out`() {
    var options = ReportOptions()
    options.failOn = "fail"
    #expect(run(options).contains(#""at":null,"fail-on":"fail","strict":false},"#))
    options.isStrict = true
    #expect(run(options).contains(#""fail-on":"fail","strict":true},"#))
    #expect(!run(ReportOptions()).contains("strict"))
  }

  @Test func `what decides how judgements are shown and counted is recorded where it is given`() {
    var options = ReportOptions()
    options.failOn = "fail,unknown"
    options.onlyFailures = true
    options.grouping = .process
    options.today = "2027-01-31"
    #expect(
      run(options).contains(
        #""strict":false,"only-failures":true,"group-by":"process","today":"2027-01-31"},"#))
  }
}
