import ArgumentParser
import ATScope

/// `atscope sessions`.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Show the facts of every session, without judging them.")

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var isolation: IsolationArguments

  @OptionGroup var project: UnusedProject

  @OptionGroup(title: "Output") var output: OutputArguments

  func validate() throws {
    try isolation.check(output.format.format)
    try OutputGuard.check([output.output], against: reading.files)
  }

  mutating func run() throws {
    try project.check()
    let options = try reading.auditOptions(besides: [output.output], isIsolated: isolation.isolated)
    let outcome = try Execution.run(options, output.report(.sessions), output.output)
    throw ExitCode(Execution.status(outcome, failures: FailureList(names: []), isStrict: false))
  }
}
