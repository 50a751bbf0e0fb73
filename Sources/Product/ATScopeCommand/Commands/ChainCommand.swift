import ArgumentParser
import ATScope

struct ChainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chain", abstract: "Judge a chain from a file as if a server had sent it.",
    usage: "atscope chain <pem> --host <host> --at <time> [<options>]",
    discussion: """
      Judges the certificates in a file, leaf first, by every certificate rule: trust, names, dates, keys, \
      signatures, Certificate Transparency, revocation and pins. The rules on handshakes are not applied.

        atscope chain fullchain.pem --host www.example.com --at 2026-05-01T12:00:00Z
        atscope chain leaf.der --host 192.0.2.7 --at 2026-05-01T12:00:00+02:00

      Exit status: as for audit.
      """)

  @Argument(
    help: ArgumentHelp("The certificates, PEM or DER, the server's own first; - for standard input.", valueName: "pem"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"])) var file: String

  @Option(help: ArgumentHelp("The host or address as in the URL.", valueName: "host"))
  var host: String

  @OptionGroup(title: "Judging") var judging: SharedJudgingArguments

  /// Accepted only to say what to use instead.
  @OptionGroup(visibility: .hidden) var chains: SuppliedChainArguments

  @OptionGroup(title: "Output") var output: ResultArguments<TextOrJSON>

  @OptionGroup var progress: UnusedProgress

  @Option(
    help: ArgumentHelp(
      "The only verdicts that give exit status 1, as for audit: a comma-separated list of fail, unknown, exempt, refused, relaxed.",
      valueName: "list"))
  var failOn = FailureList<GateVerdict>.standard

  @Flag(help: "Add unknown to --fail-on.")
  var strict = false

  func validate() throws {
    try OutputGuard.check([output.output], against: [file] + judging.files)
    if !chains.chain.isEmpty {
      throw ValidationError("--chain is for captures; chain judges the certificates in its file. To add others, use --intermediates FILE.")
    }
    if judging.at == nil { throw ValidationError("--at TIME is required: a file has no time at which to judge its chain.") }
    try HostArgument.check(host)
  }

  mutating func run() throws {
    guard let at = judging.at?.time else { throw ExitCode(64) }
    var unusable: [AuditError] = []
    var options = judging.judgingOptions(try judging.policy.project.file(), leavingOut: &unusable)
    options.programs = options.programs.withoutProcess()
    let sink = try output.open()
    Sandbox.enter(reading: [file], writing: [output.output].compactMap { $0 }.map(OutputSink.folder(of:)))
    let query = ChainQuery(file, host: host, at: at, under: options)
    let result = try Execution.attempt { () throws(AuditError) in try query.run() }
    try sink.finish(output.rendered(result))
    for fault in unusable { StandardError.note("\(fault)") }
    if !unusable.isEmpty { throw ExitCode(2) }
    let failures = failOn.adding(strict: strict)
    var counts = VerdictCounts()
    counts.add(result.record.verdict, isRelaxed: result.record.isRelaxed, isRefused: !result.record.refusedRules.isEmpty)
    if let warning = failures.warning(about: counts.fail, "failing chain") { StandardError.warn(warning) }
    throw ExitCode(failures.names.isHit(by: counts) ? 1 : 0)
  }
}
