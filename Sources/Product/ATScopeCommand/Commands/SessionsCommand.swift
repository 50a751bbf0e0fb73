import ArgumentParser
import ATScope

struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Show the facts of every session, without judging them.")

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var isolation: IsolationArguments

  @OptionGroup var project: UnusedProject

  @OptionGroup(title: "Output") var output: OutputArguments

  @Option(help: "JSON and NDJSON: which parts of a session a record contains.")
  var fields = Fields.all

  /// The parts of a session that is not judged.
  enum Fields: String, ExpressibleByArgument, CaseIterable {
    case all
    case compact

    var parts: ReportOptions.Fields { self == .all ? .all : .compact }
  }

  func validate() throws {
    try fields.parts.check(output.format)
    try isolation.check(output.format)
    try OutputGuard.check([output.output], against: reading.files)
  }

  mutating func run() throws {
    try project.check()
    let options = try reading.auditOptions(besides: [output.output], isIsolated: isolation.isolated)
    var report = output.report()
    report.judges = false
    report.fields = fields.parts
    let outcome = try Execution.run(options, report, output.output)
    throw ExitCode(Execution.status(outcome, failures: FailureList(names: []), isStrict: false))
  }
}
