import ArgumentParser
import ATScope
import Reporting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs commands and determines their exit statuses.
enum Execution {
  /// Runs an audit and writes its reports; an incomplete report does not create its file.
  static func run(_ options: AuditOptions, _ report: ReportOptions, _ output: String?, further: [ReportArgument] = []) throws -> RunOutcome
  {
    StandardStreams.ignoreBrokenPipes()
    let sink = try OutputSink(output)
    var files: [(format: ReportOptions.Format, sink: OutputSink)] = []
    do {
      for report in further { files.append((report.format, try OutputSink(report.file))) }
    } catch {
      for sink in [sink] + files.map(\.sink) { sink.abandon() }
      throw error
    }
    Sandbox.enter(options, outputs: [output] + further.map(\.file))
    let audit = Audit(options)
    // A run of units has only one report.
    let outcome =
      options.reading.isIsolated
      ? audit.writeUnits(report, while: sink.write)
      : audit.write(report, further: files.map { ($0.format, $0.sink.write) }, while: sink.write)
    // CSV, ECS and the text of sessions cannot list what was not read.
    let hasAccount = report.format != .csv && report.format != .ecs && (report.judges || report.format != .text)
    // A user at a terminal reads the text, which lists the inputs that could not be read, unless nothing was read.
    let showsFaults = report.format == .text && report.judges && output == nil && Terminal.hasBothStreams && !outcome.summary.isUnread
    Execution.report(outcome, hasAccount: hasAccount, showsFaults: showsFaults)
    if !report.judges, !hasAccount, outcome.summary.sessions == 0, outcome.faults.isEmpty {
      StandardError.note("\(outcome.summary.absence)")
    }
    // Every output is closed even if another fails; the first failure counts.
    var refusal: (any Error)?
    for sink in [sink] + files.map(\.sink) {
      do {
        try sink.close(isWhole: !outcome.endedEarly)
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
    return outcome
  }

  /// Writes warnings to standard error, and omissions and faults unless the output itself contains them.
  static func report(_ outcome: RunOutcome, hasAccount: Bool = false, showsFaults: Bool = false) {
    if !hasAccount {
      for line in outcome.accountLines { StandardError.note("\(line)") }
    }
    for warning in RepeatedMessages.grouped(outcome.warnings) { StandardError.warn(warning) }
    if showsFaults { return }
    let consequence = outcome.isUnread ? "; no session was judged" : ""
    for fault in RepeatedMessages.grouped(outcome.faults.map(\.description)) {
      StandardError.note("\(fault)\(consequence)")
    }
  }

  /// Runs an operation; if it fails, writes the reason to standard error and exits with status 2.
  static func attempt<Result>(_ body: () throws(AuditError) -> Result) throws -> Result {
    do throws(AuditError) {
      return try body()
    } catch {
      StandardError.note("\(error)")
      throw ExitCode(2)
    }
  }

  /// Returns the exit status of an audit.
  static func status(_ outcome: RunOutcome, failures: FailureList<GateVerdict>, isStrict: Bool, minSessions: Int? = nil) -> Int32 {
    if !outcome.faults.isEmpty || isStrict && outcome.hitLimit { return 2 }
    let hasTooFew = judgedTooFew(outcome, minSessions, isStrict: isStrict)
    guard let counts = outcome.summary.verdicts else { return 0 }
    if let warning = failures.warning(about: counts.fail, "failing session") { StandardError.warn(warning) }
    return failures.names.isHit(by: counts) || hasTooFew ? 1 : 0
  }

  /// Whether fewer sessions were judged than required: by `--min-sessions`, which is then reported on standard error, or one with
  /// `--strict`.
  static func judgedTooFew(_ outcome: RunOutcome, _ minSessions: Int?, isStrict: Bool) -> Bool {
    guard let judged = outcome.judged,
      let shortfall = RequiredSessions(minSessions, isStrict: isStrict).shortfall(judged: judged)
    else { return false }
    if minSessions ?? 0 > judged { StandardError.note("\(shortfall)") }
    return true
  }

  static func end(_ status: Int32) -> Never { exit(status) }
}
