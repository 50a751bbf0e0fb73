import ArgumentParser
import ATScope
import Reporting

/// `atscope audit`, the default.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Judge every session in the captures.")

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var isolation: IsolationArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: OutputArguments

  @Flag(
    help:
      "Omit hosts that neither fail nor give exit status 1 from text, Markdown and JUnit, and other results from SARIF."
  )
  var onlyFailures = false

  @Flag(help: "Text: show every finding of every host.")
  var details = false

  @Flag(help: "Text: show only the summary.")
  var quiet = false

  @Option(help: "JSON and NDJSON: which parts of a session a record contains; judgement: NDJSON only.")
  var fields = ReportOptions.Fields.all

  @Option(help: "How the text groups sessions.")
  var groupBy = TextGrouping.host

  @Option(
    help: ArgumentHelp(
      "Also write this report of the same run to a file, such as sarif=out.sarif; may be repeated.",
      valueName: "format=file"),
    transform: { try ReportArgument($0) })
  var report: [ReportArgument] = []

  @Option(
    help: ArgumentHelp(
      "Verdicts that give exit status 1: a comma-separated list of fail, unknown, exempt, relaxed.",
      valueName: "list"))
  var failOn = FailureList<GateVerdict>.standard

  @Flag(
    help:
      "Add unknown to --fail-on; also exit with status 1 if no session was judged, and with 2 if a limit may have cost a session."
  )
  var strict = false

  @OptionGroup var gate: GateArguments

  func validate() throws {
    let files = report.map(\.file) + [output.output].compactMap { $0 }
    if details, quiet { throw ValidationError("--details and --quiet cannot be used together.") }
    try fields.check(output.format)
    if isolation.isolated, judging.chains.chain.contains(SuppliedChainArguments.captured) {
      throw ValidationError("--chain captured and --isolated cannot be used together.")
    }
    try isolation.check(output.format, hasFurtherReports: !report.isEmpty)
    try OutputGuard.checkDistinct(files)
    try OutputGuard.check(files, against: reading.files + judging.files)
  }

  mutating func run() throws { throw ExitCode(try request().run()) }

  /// Returns the requested audit; reads the given files.
  func request() throws -> AuditRequest {
    var options = try reading.auditOptions(
      besides: report.map(\.file) + [output.output], isIsolated: isolation.isolated)
    try judging.apply(to: &options)
    var main = output.report()
    main.onlyFailures = onlyFailures
    main.grouping = groupBy
    main.detail = details ? .full : quiet ? .quiet : .brief
    main.fields = fields
    return AuditRequest(
      options: options, report: main, output: output.output, further: report, failures: failOn,
      isStrict: strict, minSessions: gate.minSessions, today: judging.policy.project.today?.day.date)
  }
}
