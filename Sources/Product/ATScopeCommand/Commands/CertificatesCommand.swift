import ArgumentParser
import ATScope

/// `atscope certificates`.
struct CertificatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificates",
    abstract: "The chains that servers showed, the digests of their keys, and pins that would fit.",
    discussion: """
      Gathers every distinct chain that servers showed. With --output each is written as PEM into a folder, with an \
      index in JSON that tells whose it is; files are named after SHA-256 digests, nothing is ever overwritten, and \
      --chain takes the folder as it is. Without it the certificates are listed, each with the Base64 digest that a \
      pin holds, and a ready NSPinnedDomains entry for every host.

        atscope certificates trace.pcapng
        atscope certificates captures/ --format plist
        atscope certificates trace.pcapng -o chains
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup var project: UnusedProject

  @Option(help: "The form of the list; plist has the pins alone.")
  var format = CertificatesFormat.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write every distinct chain as PEM into this folder, which is made if it is not there.",
      valueName: "folder"),
    completion: .directory)
  var output: String?

  @Option(help: "Whether the text is coloured.")
  var color = ColorArgument.auto

  mutating func run() throws {
    try project.check()
    StandardStreams.ignoreBrokenPipes()
    let options = try reading.auditOptions(besides: [])
    // A folder that cannot take the chains is told before a long reading.
    let folder = try output.map { try OutputFolder($0) }
    Sandbox.enter(options, outputs: [], folder: output)
    let (survey, outcome) = CertificateSurvey.run(options)
    Execution.tell(outcome)
    if survey.sessionsBeyondLimit > 0 {
      StandardError.write(
        "atscope: warning: \(survey.sessionsBeyondLimit) sessions show chains beyond the first "
          + "\(CertificateSurvey.chainLimit), which are left out")
    }
    if let folder {
      for file in survey.files() { try folder.write(file.contents, to: file.name) }
      StandardError.write(
        "atscope: \(survey.chainCount) chain\(survey.chainCount == 1 ? "" : "s") written to \(folder.name)"
      )
    } else {
      try list(survey)
    }
    throw ExitCode(outcome.faults.isEmpty ? 0 : 2)
  }

  private func list(_ survey: CertificateSurvey) throws {
    switch format {
    case .json: try OutputSink.writeResult(survey.json())
    case .text:
      let text = survey.text(
        width: Terminal.width(isFile: false), useColor: color.isWanted(inFile: false))
      try OutputSink.writeResult(text)
    case .plist:
      guard let list = survey.propertyList() else {
        StandardError.write(
          "atscope: no property list can be written: a host's name has characters that XML cannot hold; "
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
