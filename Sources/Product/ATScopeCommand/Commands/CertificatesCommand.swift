import ArgumentParser
import ATScope
import Values

struct CertificatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificates", abstract: "List the chains that servers sent, the digests of their keys, and matching pins.",
    discussion: """
      Lists every distinct chain that servers sent, with the Base64 digest of each key for pins, and an \
      NSPinnedDomains entry for every host. --output writes each complete chain as PEM into a folder, with a JSON index; \
      --chain reads this folder. Existing files are not overwritten.

      --missing lists the hosts whose chains are hidden (TLS 1.3 without a key log, resumed or incomplete sessions). \
      --missing --script writes a shell script that collects these chains with openssl.

        atscope certificates trace.pcapng
        atscope certificates captures/ --format plist
        atscope certificates trace.pcapng -o chains
        atscope certificates --missing --script trace.pcapng > collect.sh
        sh collect.sh chains && atscope --chain chains trace.pcapng
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup var project: UnusedProject

  @Flag(help: "List the hosts whose chains are hidden, with ports, sessions and reasons.")
  var missing = false

  @Flag(help: "With --missing: write a POSIX shell script that collects the chains. Run it with a folder.")
  var script = false

  @Option(help: "The format of the list; plist contains only the pins.")
  var format = CertificatesFormat.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write every distinct, complete chain as PEM into this folder, which is created if needed; with --missing, write the list or script to this file.",
      valueName: "folder"), completion: .file()) var output: String?

  @Option(help: "Whether to color the text.")
  var color = ColorArgument.auto

  func validate() throws {
    if script, !missing { throw ValidationError("--script requires --missing.") }
    if script, format != .text { throw ValidationError("--script and --format cannot be used together.") }
    if missing, format == .plist { throw ValidationError("--missing has the formats text and json.") }
    try OutputGuard.check([missing ? output : nil], against: reading.files)
    if !missing, let output {
      if output == "-" { throw ValidationError("--output requires a folder. Without it, the list is written to standard output.") }
      if format != .text {
        throw ValidationError(
          "--format does not apply to the folder of --output. To save the list, write --format \(format.rawValue) > FILE.")
      }
    }
  }

  mutating func run() throws {
    try project.check()
    StandardStreams.ignoreBrokenPipes()
    if missing { return try listMissing() }
    let options = try reading.auditOptions(besides: [])
    // An error of the folder is reported before a long run.
    let folder = try output.map { try OutputFolder($0) }
    Sandbox.enter(options, outputs: [], folder: output)
    let survey = CertificateSurvey(options).run()
    Execution.report(survey.outcome)
    if survey.sessionsBeyondLimit > 0 {
      StandardError.warn(
        "\(survey.sessionsBeyondLimit.counted("session{s} show{s|} {a chain|chains}")) beyond the first "
          + "\(CertificateSurvey.maximumChains), \(survey.sessionsBeyondLimit.form(of: "which {is|are} omitted"))")
    }
    if let folder {
      let files = survey.files()
      for file in files { try folder.write(file.contents, to: file.name) }
      let truncated = survey.truncatedChainCount
      if truncated > 0 {
        StandardError.warn("\(truncated.counted("chain{s} {is|are}")) truncated in the capture and not written")
      }
      StandardError.note("\((survey.chainCount - truncated).counted("chain{s}")) written to \(folder.name)")
      if let obstacle = SuppliedChains.obstacle(toFolderOf: files.count) { StandardError.warn("\(folder.name): \(obstacle)") }
    } else {
      try list(survey)
    }
    throw ExitCode(survey.outcome.faults.isEmpty ? 0 : 2)
  }

  private func listMissing() throws {
    let options = try reading.auditOptions(besides: [output])
    let sink = try OutputSink(output)
    Sandbox.enter(options, outputs: [output])
    let missing = MissingChains(options).run()
    Execution.report(missing.outcome)
    let report = missing.rendered(
      format == .json ? .json : .text, width: Terminal.width(isFile: output != nil), useColor: color.isWanted(inFile: output != nil))
    try sink.finish(script ? missing.script() : report)
    if script, let obstacle = SuppliedChains.obstacle(toFolderOf: missing.hostCount) { StandardError.warn(obstacle) }
    throw ExitCode(missing.outcome.faults.isEmpty ? 0 : 2)
  }

  private func list(_ survey: CertificateSurvey.Chains) throws {
    switch format {
    case .json: try OutputSink.writeResult(survey.json())
    case .text:
      let text = survey.rendered(.text, width: Terminal.width(isFile: false), useColor: color.isWanted(inFile: false))
      try OutputSink.writeResult(text)
    case .plist:
      guard let list = survey.propertyList() else {
        StandardError.note(
          "no property list can be written: a host name has characters that XML cannot contain; "
            + "--format json lists all pins")
        throw ExitCode(2)
      }
      try OutputSink.writeResult(list)
    }
  }
}

enum CertificatesFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
  case plist
}
