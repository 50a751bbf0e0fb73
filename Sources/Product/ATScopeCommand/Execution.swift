import ArgumentParser
import ATScope
import ByteParsing
import SessionRecords

/// Runs a command and turns its outcome into an exit status.
enum Execution {
  static func run(
    _ options: AuditOptions, _ report: ReportOptions, _ output: OutputArguments
  ) throws -> RunOutcome {
    StandardStreams.ignoreBrokenPipes()
    let sink = try OutputSink(output.output)
    let outcome = Audit.run(options, report: report) { sink.write($0) }
    for warning in outcome.warnings { StandardError.write("atscope: warning: \(warning)") }
    for fault in outcome.faults { StandardError.write("atscope: \(fault)") }
    try sink.close(isWhole: !outcome.wasCutShort)
    return outcome
  }

  /// The exit status of contract section 2.
  static func status(_ outcome: RunOutcome, failures: FailureList, isStrict: Bool) -> Int32 {
    if !outcome.faults.isEmpty || isStrict && outcome.hitLimit { return 2 }
    guard let counts = outcome.summary.verdicts else { return 0 }
    let isHit = failures.verdicts.contains { name in
      switch name {
      case .fail: counts.fail > 0
      case .unknown: counts.unknown > 0
      case .exempt: counts.exempt > 0
      case .relaxed: counts.relaxed > 0
      }
    }
    return isHit ? 1 : 0
  }
}
