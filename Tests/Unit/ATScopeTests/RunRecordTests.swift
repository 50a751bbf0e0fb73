import ATSEvaluation
import ATScope
import ByteParsing
import PolicyResolution
import SessionRecords
import TestFiles
import Testing

@Suite struct RunRecordTests {
  /// The record of a run, which is the first line of the output.
  private func run(_ options: ReportOptions, _ audit: AuditOptions = AuditOptions(inputs: [])) -> String {
    var options = options
    options.format = .ndjson
    var output = Bytes()
    _ = Audit(audit).write(options) { output += $0 }
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

  @Test func `an entry for an address is recorded as ignored by a release that does not read it`() throws {
    let scratch = try TemporaryFolder()
    let settings = "<key>NSExceptionDomains</key><dict><key>203.0.113.7</key><dict/></dict>"
    var options = AuditOptions(inputs: [])
    options.judging.programs = AppPolicies(try AppPolicy(reading: scratch.write("Info.plist", infoPlist("My", settings))))
    #expect(!run(ReportOptions(), options).contains(#""ignored""#))
    options.judging.assumptions.release = try SystemRelease(named: "ios16")
    #expect(run(ReportOptions(), options).contains("203.0.113.7: iOS 16 does not read this entry"))
    options.judging.assumptions.isReleaseAtSession = true
    #expect(!run(ReportOptions(), options).contains(#""ignored""#))
  }
}
