import ATScope
import SessionRecords

/// An audit with its reports and the conditions for its exit status.
struct AuditRequest {
  var options: AuditOptions
  var report: ReportOptions

  /// The file of the main report; nil for standard output.
  var output: String?

  var further: [ReportArgument] = []

  var failures = FailureList<GateVerdict>.standard

  var isStrict = false

  /// The minimum number of judged sessions; nil for none.
  var minSessions: Int?

  /// The verdicts that give status 1.
  private var gate: FailureList<GateVerdict> { failures.adding(strict: isStrict) }

  /// The main report, which lists unknown rules where they give status 1, and records the options of the gate.
  var mainReport: ReportOptions {
    var main = report
    main.listsUnknown = gate.names.contains(.unknown)
    main.gate = gate.names
    main.requiredSessions = RequiredSessions(minSessions, isStrict: isStrict)
    main.recorded = GateRecord(failOn: gate.description, isStrict: isStrict, minSessions: minSessions).settings
    if !further.isEmpty {
      main.recorded.append(RunRecord.Setting("report", .texts(further.map(\.description))))
    }
    return main
  }

  /// Runs the audit, and returns the exit status.
  func run() throws -> Int32 {
    let outcome = try Execution.run(options, mainReport, output, further: further)
    return Execution.status(outcome, failures: gate, isStrict: isStrict, minSessions: minSessions)
  }
}

/// The options that determine the exit status, for the record of a run.
struct GateRecord {
  var failOn: String
  var isStrict: Bool
  var minSessions: Int?
  var today: String?

  var settings: [RunRecord.Setting] {
    var settings = [RunRecord.Setting("fail-on", .text(failOn)), RunRecord.Setting("strict", .boolean(isStrict))]
    if let minSessions { settings.append(RunRecord.Setting("min-sessions", .number(minSessions))) }
    if let today { settings.append(RunRecord.Setting("today", .text(today))) }
    return settings
  }
}
