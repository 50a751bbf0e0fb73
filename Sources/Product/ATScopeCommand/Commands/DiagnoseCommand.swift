import ArgumentParser
import ATScope

/// `atscope diagnose`.
struct DiagnoseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnose",
    abstract: "What nscurl --ats-diagnostics would say of each host, offline.",
    discussion: """
      Tries the sixteen configurations of nscurl, in its order and under its names, on the recorded sessions of \
      each host, and adds what nscurl does not tell: why a row fails, and which packets show it.

        atscope diagnose trace.pcapng
        atscope diagnose trace.pcapng --host api.example.com --os ios15.4 --format json

      PASS: no session breaks a rule. FAIL: every session does. MIXED: some do. UNKNOWN: something required was not \
      recorded, or the client did not offer what the row asks for. The app's own exceptions play no part in it; \
      --info-plist tells the SDK alone.

      Exit status: 0 the captures were read; 2 an input could not be used or not to its end; 64 wrong usage.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @Flag(help: "Add three rows that are not nscurl's: the NIAP package, local networking, web content.")
  var moreRows = false

  @OptionGroup(title: "Output") var output: PlainOutputArguments<PlainFormat>

  func validate() throws {
    try judging.policy.requireOneRelease()
    try OutputGuard.check([output.output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    var options = try reading.auditOptions(besides: [output.output])
    try judging.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(options, outputs: [output.output])
    let diagnosis = Diagnosis(options, includesOurs: moreRows)
    Execution.tell(diagnosis.outcome)
    if diagnosis.sessionsOfOtherHosts > 0 {
      StandardError.write(
        "atscope: warning: \(diagnosis.sessionsOfOtherHosts) sessions of further hosts are left out")
    }
    try sink.finish(
      output.format == .json
        ? diagnosis.json() : diagnosis.text(width: output.width, useColor: output.useColor))
    if !diagnosis.outcome.faults.isEmpty { throw ExitCode(2) }
  }
}
