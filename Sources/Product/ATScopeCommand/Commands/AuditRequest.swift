import ATScope

/// What an audit is asked for, with what had to be read for it.
struct AuditRequest {
  var options: AuditOptions

  /// The main report, as far as options say how it looks.
  var report: ReportOptions

  /// The file that it goes to; nil for standard output.
  var output: String?

  var further: [ReportArgument] = []

  var failures = FailureList<FailureName>.standard

  var isStrict = false

  /// The fewest sessions that have to be judged; nil for any number.
  var minSessions: Int?

  /// Does it, and returns the exit status.
  func run() throws -> Int32 {
    var main = report
    main.further = further.map(\.description)
    let failures = failures.adding(strict: isStrict)
    main.failOn = failures.description
    main.isStrict = isStrict
    main.minSessions = minSessions
    let outcome = try Execution.run(options, main, output, further: further)
    return Execution.status(outcome, failures: failures, isStrict: isStrict, minSessions: minSessions)
  }
}
