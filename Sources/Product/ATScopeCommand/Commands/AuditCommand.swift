import ArgumentParser
import ATScope
import Reporting

/// `atscope audit`, the default.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Judge every session in the captures.", discussion: exitStatus)

  /// The meaning of the exit status, for the help.
  static let exitStatus = """
    Exit status: 0 no session has a verdict in --fail-on, which is FAIL by default; 1 a session has one, or too few were \
    judged for --strict or --min-sessions; 2 an input could not be read completely, or with --strict a limit was \
    reached; 64 usage error. With status 0, verdicts may be UNKNOWN; --strict adds UNKNOWN to --fail-on.
    """

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var isolation: IsolationArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: OutputArguments

  @OptionGroup(title: "Output") var shown: AuditOutputArguments

  @OptionGroup(title: "Exit status") var status: AuditStatusArguments

  @OptionGroup(title: "Exit status") var gate: GateArguments

  func validate() throws {
    let files = shown.report.map(\.file) + [output.output].compactMap { $0 }
    if shown.details, shown.quiet { throw ValidationError("--details and --quiet cannot be used together.") }
    try shown.fields.check(output.format)
    if isolation.isolated, judging.chains.chain.contains(SuppliedChainArguments.captured) {
      throw ValidationError("--chain captured and --isolated cannot be used together.")
    }
    try isolation.check(output.format, hasFurtherReports: !shown.report.isEmpty)
    try OutputGuard.checkDistinct(files)
    try OutputGuard.check(files, against: reading.files + judging.files)
  }

  mutating func run() throws { throw ExitCode(try request().run()) }

  /// Returns the requested audit; reads the given files.
  func request() throws -> AuditRequest {
    var options = try reading.auditOptions(besides: shown.report.map(\.file) + [output.output], isIsolated: isolation.isolated)
    // A user at a terminal reads the text, whose header lists the settings that the system ignores.
    try judging.apply(to: &options, listsIgnored: output.format == .text && output.output == nil && Terminal.hasBothStreams)
    var main = output.report()
    main.onlyFailures = shown.onlyFailures
    main.grouping = shown.groupBy
    main.detail = shown.details ? .full : shown.quiet ? .quiet : .brief
    main.fields = shown.fields
    return AuditRequest(
      options: options, report: main, output: output.output, further: shown.report, failures: status.failOn,
      isStrict: status.strict, minSessions: gate.minSessions)
  }
}
