import ArgumentParser
import ATScope
import SessionRecords

/// `atscope extract`.
struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "A small pcapng with just the handshakes of the chosen sessions.",
    discussion: """
      What it writes audits to the same verdicts as the capture: gigabytes become a fixture of kilobytes.

        atscope extract trace.pcapng --host api.example.com -o api.pcapng
        atscope extract trace.pcapng --anonymize -o fixture.pcapng

      Bytes after the handshakes are left out. Of cleartext HTTP it keeps the request line without its query, Host, the \
      status, scheme and host of Location, and the fields that say where a message ends; the rest becomes zeros. Of \
      what else is said before TLS (logins of mail, requests to proxies) only that stays by which it is recognised. Of \
      secrets it writes only those of handshakes.

      --anonymize replaces IP addresses by pseudonyms and removes MAC addresses, comments, process paths and QUIC tokens. \
      An address keeps its class (private, public, …), and addresses with a common prefix have one again. Each run makes \
      other pseudonyms; --anonymize-key gives the same ones in every run. It does not hide host names, certificates, \
      process names, times and ports, nor the address of a server that no name identifies: what a certificate or a name \
      reveals remains in the file.

      Exit status: 0 everything was read; 2 an input could not be used or not to its end, or no packet of the chosen sessions could be copied; 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "Captures (pcap, pcapng; compressed or not), directories or archives of them. They are read several times, as standard input cannot be.",
      valueName: "input"),
    completion: .file(extensions: ["pcap", "pcapng", "cap"]))
  var inputs: [String] = []

  @OptionGroup(title: "Reading") var list: InputListArguments

  @OptionGroup(title: "Reading") var choice: ReadingChoiceArguments

  @OptionGroup var project: UnusedProject

  /// What it says has no colour; every command takes the option.
  @Option(help: .hidden) var color = ColorArgument.auto

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, whole or not at all; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["pcapng"]))
  var output: String

  @Flag(
    help:
      "Replace IP addresses by pseudonyms; remove MAC addresses, comments, process paths and QUIC tokens. Names and certificates stay."
  )
  var anonymize = false

  @Option(
    help: ArgumentHelp(
      "Make the pseudonyms of --anonymize from the bytes of this file (16 or more, secret), so that several runs agree.",
      valueName: "file"),
    completion: .file())
  var anonymizeKey: String?

  func validate() throws {
    if inputs.isEmpty, list.filesFrom == nil { throw ValidationError("Name a capture, or a directory.") }
    if inputs.contains("-") {
      throw ValidationError(
        "extract reads its inputs several times, which the standard input does not allow.")
    }
    if anonymizeKey != nil, !anonymize {
      throw ValidationError("--anonymize-key has no effect without --anonymize.")
    }
    try OutputGuard.check([output], against: inputs + choice.keylog + [anonymizeKey].compactMap { $0 })
  }

  mutating func run() throws {
    try project.check()
    StandardStreams.ignoreBrokenPipes()
    var options = AuditOptions(inputs: inputs)
    choice.apply(to: &options)
    try list.add(to: &options, besides: [output])
    let key = try anonymizeKey.map { file in
      try Execution.attempt { () throws(AuditError) in try AnonymizationKey(contentsOf: file) }
    }
    let sink = try OutputSink(output)
    Sandbox.enter(options, outputs: [output])
    var extraction = Extraction(options, anonymizationKey: anonymize ? key ?? .random() : nil)
    Execution.tell(extraction.outcome)
    extraction.write { sink.write($0) }
    try sink.close(isWhole: true)
    let names = anonymize ? "; names and certificates are unchanged" : ""
    StandardError.write(
      "atscope: \(extraction.packets) packet\(extraction.packets == 1 ? "" : "s") of \(extraction.sessions) "
        + "session\(extraction.sessions == 1 ? "" : "s") written\(names)")
    if extraction.leftOut > 0 {
      StandardError.write(
        "atscope: warning: \(extraction.leftOut) IP fragment\(extraction.leftOut == 1 ? "" : "s") left out, of which "
          + "nothing could have been taken out")
    }
    for name in extraction.reducedToZeros {
      StandardError.write(
        "atscope: warning: \(DisplayText.escaped(name)): requests in the clear became zeros: there are too many, or connections have the same ends at once"
      )
    }
    for name in extraction.keyLogsLeftOut {
      StandardError.write(
        "atscope: warning: \(DisplayText.escaped(name)): no secrets copied: it cannot be read a second time, or is too long"
      )
    }
    for name in extraction.notReached {
      StandardError.write(
        "atscope: \(DisplayText.escaped(name)): cannot be read more than once, as extract does: name a file"
      )
    }
    for name in extraction.savedAlone {
      StandardError.write(
        "atscope: \(DisplayText.escaped(name)): saved sessions hold no packets to copy: name the capture itself"
      )
    }
    if let reason = extraction.whyEmpty { StandardError.write("atscope: nothing was written: \(reason)") }
    if !extraction.outcome.faults.isEmpty || !extraction.notReached.isEmpty || !extraction.savedAlone.isEmpty
      || extraction.whyEmpty != nil
    {
      throw ExitCode(2)
    }
  }
}
