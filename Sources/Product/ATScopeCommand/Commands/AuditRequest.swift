import ATScope

/// A requested audit, with the files read for it.
struct AuditRequest {
  var options: AuditOptions

  /// The options of the main report.
  var report: ReportOptions

  /// The file of the main report; nil for standard output.
  var output: String?

  var further: [ReportArgument] = []

  var failures = FailureList<FailureName>.standard

  var isStrict = false

  /// The minimum number of judged sessions; nil for none.
  var minSessions: Int?

  /// Runs the audit, and returns the exit status.
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
