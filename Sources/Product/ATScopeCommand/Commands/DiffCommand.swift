import ArgumentParser
import ATScope
import ReportFormats
import SessionRecords

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two audits, and fail on regressions, for CI.",
    usage: "atscope diff [<baseline>] <current> [<options>]",
    discussion: """
      Both sides are captures, directories or saved sessions, judged under the same options; a baseline from \
      --write-baseline keeps its verdicts. Hosts are matched by name, port and process, not by time.

        atscope diff before.pcapng after.pcapng
        atscope diff baseline.json nightly.pcapng --report junit=diff.xml
        atscope diff nightly.pcapng nightly.pcapng --write-baseline baseline.json

      A regression is one of these changes:
        - a required rule fails that did not fail before, also on a new host
        - a policy was loosened: a verdict became EXEMPT, or a rule RELAXED
        - ATS is off, and the system itself now rejects a load

      These changes are always reported, and give exit status 1 only under --strict or --fail-on:
        vanished  a host no longer occurs
        outcome   handshakes that were established now fail
        trust     a chain no longer leads to a public root, or its issuer is
                  another organization (an intercepting proxy?)
        unknown   a rule is no longer visible

      Exit status: 0 no change in --fail-on (by default, no regression); 1 such a change, or too few judged sessions for \
      --strict or --min-sessions; 2 an input could not be read completely; 64 usage error.
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The baseline and the current side: captures, directories or saved sessions. A single input is compared with the \
      baseline in the project file.
      """, valueName: "baseline> <current"), completion: .file()) var inputs: [String] = []

  @OptionGroup(title: "Reading") var reading: ReadingChoiceArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: ResultArguments<Comparison.Changes.Format>

  @Option(
    help: ArgumentHelp(
      "Also write this report of the same comparison to a file, such as junit=diff.xml; may be repeated.", valueName: "format=file"),
    transform: { try ReportArgument($0) })
  var report: [ReportArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Write the verdicts of CURRENT to this file, as the baseline of later comparisons; nothing is written if an input \
      could not be read completely or no session was judged.
      """, valueName: "file"),
    completion: .file()) var writeBaseline: String?

  @Option(
    help: ArgumentHelp(
      """
      The only changes that give exit status 1: a comma-separated list of fail (any regression; counts only if listed), \
      unknown (a rule no longer visible), exempt (only a verdict that became exempt), relaxed (only a rule that became relaxed), outcome \
      (handshakes that now fail), trust (another kind of root, another issuer), vanished (a host that no longer occurs).
      """, valueName: "list")) var failOn = FailureList<AuditDiff.Concern>.standard

  @Flag(
    help:
      "Add unknown, outcome, trust and vanished to --fail-on; also exit with status 1 if a side has no judged session, and with 2 if a size limit may have kept a session from being read."
  ) var strict = false

  @OptionGroup var gate: GateArguments
  @OptionGroup var expiry: ExpiryArguments

  func validate() throws {
    let files = report.map(\.file) + [output.output, writeBaseline].compactMap { $0 }
    try OutputGuard.checkDistinct(files)
    _ = try formats()
    let others = reading.keylog + judging.files
    try OutputGuard.check(report.map(\.file) + [output.output], against: inputs + others)
    // The next baseline may replace a saved one, which is recognized when it is read.
    try OutputGuard.check([writeBaseline], against: inputs.dropFirst() + others)
    if inputs.isEmpty { throw ValidationError("Give a baseline and an input to compare with it.") }
    if inputs.count > 2 {
      throw ValidationError("Give one baseline and one input to compare with it, not \(inputs.count) inputs; a folder may contain several.")
    }
    let project = judging.policy.project
    if inputs.count == 1, project.config == nil, project.noConfig || !ProjectArguments.hasDefaultFile { throw DiffCommand.noBaseline }
  }

  mutating func run() throws {
    StandardStreams.ignoreBrokenPipes()
    var options = AuditOptions(inputs: [])
    reading.apply(to: &options)
    try judging.apply(to: &options)
    let project = options.project
    guard let baseline = inputs.count == 2 ? inputs.first : project?.baseline, let current = inputs.last
    else { throw DiffCommand.noBaseline }
    try OutputGuard.check(report.map(\.file) + [output.output], against: [baseline])
    let failures = failOn.adding(strict: strict)
    let recorded =
      GateRecord(
        failOn: failures.description, isStrict: strict, minSessions: gate.minSessions,
        today: expiry.today?.day.date
      ).settings
    let sinks = try ([output.output] + report.map(\.file)).map { try OutputSink($0) }
    let kept = try writeBaseline.map { try OutputSink($0) }
    let (baselineInput, currentInput) = (AuditInput(path: baseline), AuditInput(path: current))
    options.inputs = [baselineInput, currentInput]
    Sandbox.enter(options, outputs: [output.output, writeBaseline] + report.map(\.file))
    options.inputs = [currentInput]
    var job = Comparison(options, baseline: baselineInput, counting: failures.names)
    job.recorded = recorded
    var comparison: Comparison.Changes
    do throws(AuditError) {
      comparison = try job.run()
    } catch {
      StandardError.note("\(error)")
      try write(job.result(failing: error), to: sinks)
      throw ExitCode(2)
    }
    if let writeBaseline, !comparison.usesSavedBaseline, OutputSink.isSameFile(writeBaseline, baseline) {
      throw OutputGuard.refusal(of: writeBaseline)
    }
    comparison.require(gate.minSessions, isStrict: strict)
    if let project, !project.accepted.isEmpty { comparison.accept(project, at: expiry.day()) }
    Execution.report(comparison.baseline)
    Execution.report(comparison.current)
    try write(comparison, to: sinks)
    if let obstacle = comparison.baselineObstacle, let kept, let writeBaseline {
      kept.abandon()
      StandardError.note("\(DisplayText.name(writeBaseline)): no baseline was written, because \(obstacle)")
    } else {
      try kept?.finish(comparison.baselineJSON)
    }
    let outcome = comparison.outcome
    if !outcome.faults.isEmpty || strict && outcome.hitLimit { throw ExitCode(2) }
    let hasTooFew =
      Execution.judgedTooFew(comparison.current, gate.minSessions, isStrict: strict)
      || Execution.judgedTooFew(comparison.baseline, nil, isStrict: strict)
    if let warning = failOn.warning(about: comparison.uncountedRegressions, "regression") { StandardError.warn(warning) }
    if comparison.isWorse || hasTooFew { throw ExitCode(1) }
  }

  private static let noBaseline = ValidationError(
    "Give a baseline and an input to compare with it, or set a baseline in the project file (.atscope.json).")

  /// Returns the formats of the main report and the further ones. Throws if a comparison does not support one of them.
  private func formats() throws -> [Comparison.Changes.Format] {
    try [output.format]
      + report.map { report in
        guard let format = Comparison.Changes.Format(rawValue: report.format.rawValue) else {
          throw ValidationError("\(report.format.rawValue) is a format of audit and sessions.")
        }
        return format
      }
  }

  /// Writes the main report to the first output, and further ones to the others.
  private func write(_ comparison: Comparison.Changes, to sinks: [OutputSink]) throws {
    for (index, (format, sink)) in zip(try formats(), sinks).enumerated() {
      try sink.finish(
        index == 0 ? comparison.rendered(format, width: output.width, useColor: output.useColor) : comparison.rendered(format))
    }
  }
}

extension Comparison.Changes.Format: ResultFormat {
  static let standard = Comparison.Changes.Format.text
}
