import ArgumentParser
import ATScope
import ATSEvaluation
import PolicyResolution
import SessionRecords

/// `atscope chain`.
struct ChainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chain",
    abstract: "Judge a chain from a file as if a session had shown it.",
    discussion: """
      Judges the certificates of a file, the leaf first, by every rule about certificates: trust, names, dates, keys, \
      signatures, Certificate Transparency, revocation, pins. Of the handshake nothing is known, and nothing judged.

        atscope chain fullchain.pem --host www.example.com --at 2026-05-01T12:00:00Z
        atscope chain leaf.der --host 192.0.2.7 --at 2026-05-01T12:00:00+02:00 --anchors root.pem

      Exit status: as of audit.
      """)

  @Argument(
    help: ArgumentHelp(
      "The certificates, PEM or DER, the leaf first; - for standard input.", valueName: "pem"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"]))
  var file: String

  @Option(help: ArgumentHelp("The host or address as it stands in the URL.", valueName: "host"))
  var host: String

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: PlainOutputArguments<PlainFormat>

  @OptionGroup var progress: UnusedProgress

  @Option(
    help: ArgumentHelp(
      "Verdicts that give exit status 1: a list of fail, unknown, exempt, relaxed.", valueName: "list"))
  var failOn = FailureList<FailureName>.standard

  @Flag(help: "As if --fail-on named unknown too.")
  var strict = false

  func validate() throws {
    try OutputGuard.check([output.output], against: [file] + judging.files)
    if judging.at == nil {
      throw ValidationError("--at TIME is needed: a file does not say when its chain was shown.")
    }
    if host.contains("/") || host.contains(where: \.isWhitespace) || HostIdentity(host) == .unknown {
      throw ValidationError("'\(host)' is no host. Name the host of the URL alone, as in api.example.com.")
    }
  }

  mutating func run() throws {
    guard let at = judging.at?.time else { throw ExitCode(64) }
    var options = AuditOptions(inputs: [])
    try judging.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(reading: [file], writing: [output.output].compactMap { $0 }.map(OutputSink.folder(of:)))
    let record = try Execution.attempt { () throws(AuditError) in
      try ChainQuery(reading: file, host: host, at: at, options: options).run()
    }
    try sink.finish(
      output.format == .json
        ? ChainQuery.json(record)
        : ChainQuery.text(record, width: output.width, useColor: output.useColor))
    for fault in options.unusable { StandardError.write("atscope: \(fault)") }
    if !options.unusable.isEmpty { throw ExitCode(2) }
    let failures = failOn.adding(strict: strict)
    throw ExitCode(failures.holds(record.verdict, isRelaxed: record.isRelaxed) ? 1 : 0)
  }
}
