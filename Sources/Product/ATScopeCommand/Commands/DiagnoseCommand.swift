import ArgumentParser
import ATScope
import Values

struct DiagnoseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnose", abstract: "Show what Apple's nscurl --ats-diagnostics would report for each host, offline.",
    discussion: """
      Applies nscurl's sixteen configurations, in its order and with its names, to the recorded sessions of each \
      host, and adds why a row fails and which packets show it.

        atscope diagnose trace.pcapng
        atscope diagnose trace.pcapng --host api.example.com --os ios15.4

      PASS: no session breaks a rule. FAIL: every session does. MIXED: some do. UNKNOWN: something required was not \
      recorded, or the client did not offer what the row requires. The app's exceptions are ignored; --info-plist \
      only determines the SDK.

      Exit status: 0 the captures were read; 2 an input could not be read completely; 64 usage error.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @Flag(help: "Add three rows that nscurl does not have: the NIAP package, local networking, web content.")
  var moreRows = false

  @OptionGroup(title: "Output") var output: ResultArguments<TextOrJSON>

  func validate() throws {
    _ = try judging.policy.release.one()
    try OutputGuard.check([output.output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    var options = try reading.auditOptions(besides: [output.output])
    try judging.apply(to: &options)
    try judging.policy.release.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(options, outputs: [output.output])
    let diagnosis = Diagnosis(options, includesFurtherRows: moreRows).run()
    Execution.report(diagnosis.outcome)
    if diagnosis.sessionsBeyondLimit > 0 {
      StandardError.warn("\(diagnosis.sessionsBeyondLimit.counted("session{s} of hosts beyond the limit {is|are} omitted"))")
    }
    try sink.finish(output.rendered(diagnosis))
    if !diagnosis.outcome.faults.isEmpty { throw ExitCode(2) }
  }
}
