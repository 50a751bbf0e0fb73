import ArgumentParser
import ATScope
import Values

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything about one session.",
    usage: "atscope show <id> <input> ...\n       atscope show --frame <number> <input> ...",
    discussion: """
      Prints one session in full: both hellos with names, the certificate chains, alerts, the key exchange, the frames of \
      each message, every rule with its reason, and the policy with what decided it. It contains what the session's \
      record contains, and what `atscope policy` shows of its host.

        atscope show 5f0c1a2b3c4d5e6f trace.pcapng
        atscope show --frame 12 trace.pcapng
        atscope show --frame 12 trace.pcapng --info-plist Info.plist

      <id> is the session's identifier in JSON, CSV and HTML reports and in the comments of annotate, or its first four \
      or more digits. --frame finds the session by any packet of its connection, numbered as in Wireshark.

      Exit status: 0 a session was found; 1 no session matches, or <id> matches several; 2 an input could not be read \
      completely; 64 usage error.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @Option(parsing: .unconditional, help: ArgumentHelp("Find the session by this packet of its connection.", valueName: "number"))
  var frame: UInt64?

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: ResultArguments<TextOrJSON>

  func validate() throws {
    if let frame {
      guard frame > 0 else { throw ValidationError("Frames are numbered from 1.") }
      if reading.inputs.contains("-") {
        throw ValidationError("--frame reads its inputs twice, which is not possible with standard input. Give the session's identifier.")
      }
    } else {
      let identifier = reading.inputs.first ?? ""
      guard (4...16).contains(identifier.utf8.count), identifier.allSatisfy(\.isHexDigit) else {
        throw ValidationError(
          "'\(identifier)' is not a session identifier (4 to 16 hexadecimal digits, from an HTML, CSV or NDJSON report). Without one, give a frame: atscope show --frame NUMBER INPUT. All sessions of a host: atscope --details --host HOST INPUT."
        )
      }
      if reading.inputs.count == 1, reading.list.filesFrom == nil {
        throw ValidationError("No input: give a capture, a directory, or - for standard input after the identifier.")
      }
    }
    try OutputGuard.check([output.output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    var key = SessionSearch.Key.frame(frame ?? 0)
    if frame == nil { key = .identifier(reading.inputs.removeFirst().lowercased()) }
    var options = try reading.auditOptions(besides: [output.output])
    try judging.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(options, outputs: [output.output])
    let search = SessionSearch(options, for: key).run()
    Execution.report(search.outcome)
    var isAmbiguous = false
    if case .identifier(let prefix) = key, search.identifiers.count > 1 {
      isAmbiguous = true
      StandardError.note("\(prefix) matches more than one session:")
      for line in search.list { StandardError.write("  \(line)") }
      if search.hasFurther { StandardError.write("  and others") }
    }
    if search.sessions.isEmpty {
      let given = [("--host", !options.hosts.isEmpty), ("--process", !options.processes.isEmpty)].filter(\.1).map(\.0)
      let choice = given.isEmpty ? "" : " that \(given.joined(separator: " and ")) \(given.count.form(of: "select{s|}"))"
      StandardError.note(search.absence(choice))
    }
    if search.hasFurther, !isAmbiguous {
      StandardError.warn("more sessions match than the first \(search.sessions.count), which are shown; give fewer inputs")
    }
    let isShown = !search.sessions.isEmpty && !isAmbiguous
    // An existing file is not replaced by nothing.
    if isShown { try sink.finish(output.rendered(search)) } else { sink.abandon() }
    if !search.outcome.faults.isEmpty { throw ExitCode(2) }
    throw ExitCode(isShown ? 0 : 1)
  }
}
