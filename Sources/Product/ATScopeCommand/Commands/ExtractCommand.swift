import ArgumentParser
import ATScope
import SessionRecords
import Values

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract", abstract: "Write a small pcapng with only the handshakes of the selected sessions.",
    discussion: """
      The extract gives the same verdicts as the capture: gigabytes become a fixture of kilobytes.

        atscope extract trace.pcapng --host api.example.com -o api.pcapng
        atscope extract trace.pcapng --anonymize -o fixture.pcapng

      Bytes after the handshakes are omitted. Cleartext HTTP keeps the request line without its query, Host, the status, \
      the scheme and host of Location, and the fields that delimit messages; everything else becomes zeros. Other \
      dialogues before TLS (mail logins, proxy requests) keep only what identifies the protocol. Only handshake secrets \
      are copied.

      --anonymize replaces IP addresses with pseudonyms and removes MAC addresses, comments, process paths and QUIC \
      tokens. An address keeps its class (private, public, …), and common prefixes remain common. Each run uses new \
      pseudonyms unless --anonymize-key is given. Host names, certificates, process names, times and ports remain, and \
      so does the address of a server that has no name.

      Exit status: 0 everything was read; 2 an input could not be read completely, or packets or secrets of the \
      selected sessions could not be copied; 64 usage error.
      """)

  @Argument(
    help: ArgumentHelp(
      "Captures (pcap, pcapng; compressed or not), or directories or archives of captures. They are read several times, so standard input is not possible.",
      valueName: "input"), completion: .file(extensions: ["pcap", "pcapng", "cap"])) var inputs: [String] = []

  @OptionGroup(title: "Reading") var list: InputListArguments

  @OptionGroup(title: "Reading") var choice: ReadingChoiceArguments

  @OptionGroup var project: UnusedProject

  /// Has no effect, since the output has no color; every command accepts the option.
  @Option(help: .hidden) var color = ColorArgument.auto

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, which appears complete or not at all; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["pcapng"])) var output: String

  @Flag(
    help:
      "Replace IP addresses with pseudonyms; remove MAC addresses, comments, process paths and QUIC tokens. Names and certificates remain.")
  var anonymize = false

  @Option(
    help: ArgumentHelp(
      "Derive the pseudonyms of --anonymize from this secret file (at least 16 bytes), so that several runs agree.", valueName: "file"),
    completion: .file()) var anonymizeKey: String?

  func validate() throws {
    if inputs.isEmpty, list.filesFrom == nil { throw ValidationError("No input: give a capture or a directory.") }
    if inputs.contains("-") { throw ValidationError("extract reads its inputs several times, which is not possible with standard input.") }
    if anonymizeKey != nil, !anonymize { throw ValidationError("--anonymize-key has no effect without --anonymize.") }
    try OutputGuard.check([output], against: inputs + choice.keylog + [anonymizeKey, list.filesFrom].compactMap { $0 })
  }

  mutating func run() throws {
    try project.check()
    StandardStreams.ignoreBrokenPipes()
    var options = AuditOptions(paths: inputs)
    choice.apply(to: &options)
    try list.add(to: &options, besides: [output])
    let key = try anonymizeKey.map { file in
      try Execution.attempt { () throws(AuditError) in try AnonymizationKey(contentsOf: file) }
    }
    let sink = try OutputSink(output)
    Sandbox.enter(options, outputs: [output])
    let extraction = Extraction(options, anonymizationKey: anonymize ? key ?? .random() : nil)
      .write(while: sink.write)
    Execution.report(extraction.outcome)
    if extraction.whyEmpty == nil { try sink.close(isWhole: true) } else { sink.abandon() }
    let names = anonymize ? "; names and certificates are unchanged" : ""
    let copied = extraction.copiedSessions == extraction.sessions ? "" : "\(extraction.copiedSessions) of "
    StandardError.note(
      "\(extraction.packets.counted("packet{s}")) written for \(copied)\(extraction.sessions.counted("session{s}"))\(names)")
    if extraction.intermediateSessions > 0 {
      let others = extraction.intermediateSessions.counted("other session{s}")
      StandardError.note("\(others) also written, with intermediates that the selected ones lack")
    }
    if extraction.sessions == 0 {
      StandardError.warn("no session was selected, so \(DisplayText.escaped(output)) contains no packets")
    }
    warn(of: extraction)
    for name in extraction.unrepeatableCaptures {
      StandardError.note("\(DisplayText.escaped(name)): extract reads inputs more than once: give a file")
    }
    if let advice = extraction.adviceOnSavedSessions { StandardError.note(advice) }
    if let reason = extraction.whyEmpty { StandardError.note("nothing was written: \(reason)") }
    if !extraction.outcome.faults.isEmpty || !extraction.isWhole { throw ExitCode(2) }
  }

  /// Prints what may give the sessions of the extract other verdicts.
  private func warn(of extraction: Extraction.Counts) {
    if extraction.omittedFragments > 0 {
      StandardError.warn("\(extraction.omittedFragments.counted("IP fragment{s}")) omitted, which could not be redacted")
    }
    for (name, frames) in extraction.incompleteSessions.sorted(by: { $0.key < $1.key }) {
      let numbers = frames.map { "\($0)" }.abbreviated(to: 10)
      let which = frames.count.form(of: "{the session that begins at frame|\(frames.count) sessions, which begin at frames}")
      StandardError.note("\(DisplayText.escaped(name)): not reproduced: \(which) \(numbers)")
    }
    if extraction.repeatedConnections > 0 {
      StandardError.warn(
        "\(extraction.repeatedConnections.counted("connection{s}")) with the same endpoints as in another capture: the extract may give "
          + "other verdicts; extract each capture by itself")
    }
    for name in extraction.zeroedCaptures {
      StandardError.warn("\(DisplayText.escaped(name)): cleartext requests were replaced with zeros: there are too many")
    }
    for name in extraction.omittedKeyLogs {
      StandardError.warn("\(DisplayText.escaped(name)): no secrets copied: it cannot be read twice, or is too long")
    }
  }
}
