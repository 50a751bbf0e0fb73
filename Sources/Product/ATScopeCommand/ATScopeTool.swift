import ArgumentParser
import ATScope
import ByteParsing
import SessionRecords

/// The command `atscope`.
@main
struct ATScopeTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atscope", abstract: "Shows what App Transport Security (ATS) would block in packet captures, why, and how to fix it.",
    discussion: """
      Every session in a capture gets a verdict, and reasons with the numbers of the packets that show them. \
      atscope works offline and never opens a socket.

        PASS      meets App Transport Security (ATS), Apple's rules for connections
        FAIL      is subject to ATS, and ATS or the check of certificates refuses it
        UNKNOWN   breaks no rule that the capture shows, but it does not show enough
        EXEMPT    is not subject to ATS; reports say if the system still rejects it

        atscope trace.pcapng                          audit with the ATS defaults
        atscope trace.pcapng --info-plist Info.plist  audit with an app's exceptions
        sudo tcpdump -i en0 -w - | atscope -          read from a pipe until Ctrl-C
        atscope --format ndjson trace.pcapng          write one JSON object per line
        atscope explain ATS-CIPHER                    explain a rule

      Without a command, atscope runs audit: 'atscope audit --help' lists its options.

      \(AuditCommand.exitStatus)
      """, version: "atscope \(Audit.version) (policy \(Audit.policyVersion))\nsandbox: \(Sandbox.name)",
    subcommands: [
      AuditCommand.self, SessionsCommand.self, RecommendCommand.self, DiagnoseCommand.self, PolicyCommand.self, LintCommand.self,
      CertificatesCommand.self, ChainCommand.self, DiffCommand.self, ShowCommand.self, AnnotateCommand.self, ExtractCommand.self,
      ExplainCommand.self,
    ], defaultSubcommand: AuditCommand.self)

  private static let commandNames = configuration.subcommands.compactMap { $0.configuration.commandName }

  /// Runs the command that the arguments name, and ends with its status.
  static func main() {
    StandardStreams.openMissing()
    StandardStreams.watchMemory()
    let arguments = Terminal.arguments
    do {
      if let first = arguments.first, let command = misspeltCommand(first) {
        throw ValidationError("There is no file and no command '\(first)'. Did you mean '\(command)'?")
      }
      try checkHelp(arguments)
      if arguments.first?.hasPrefix("-") == false { try checkOrder(arguments, inputs: arguments.prefix(2).dropFirst()) }
      if arguments.count == 1, let first = arguments.first, isUnknownWord(first) {
        StandardError.note("\(first): no such file or command, so no session was judged; 'atscope --help' lists the commands")
        throw ExitCode(2)
      }
      var command = try parseAsRoot(arguments)
      if let audit = command as? AuditCommand { try checkOrder(arguments, inputs: audit.reading.inputs[...]) }
      try command.run()
    } catch let status as ExitCode {
      // `exit(withError:)` would also use only the number, but renders the help first.
      Execution.end(status.rawValue)
    } catch {
      let error = unknownOption(arguments, hiddenBy: error) ?? error
      if exitCode(for: error) == .success {
        do {
          try OutputSink.writeResult(Bytes((fullMessage(for: error) + "\n").utf8))
        } catch {
          Execution.end(2)
        }
        Execution.end(0)
      }
      StandardError.write(shown(OptionSuggestion.improving(fullMessage(for: error)), repeating: arguments))
      Execution.end(exitCode(for: error).rawValue)
    }
  }

  /// The error of an unknown option; nil if there is none. ArgumentParser checks options after inputs, so a missing input hides it.
  static func unknownOption(_ arguments: [String], hiddenBy error: any Error) -> (any Error)? {
    guard fullMessage(for: error).hasPrefix("Error: No input") else { return nil }
    do {
      // `show` takes an identifier before the inputs, and not every command takes standard input.
      _ = try parseAsRoot(arguments + ["0000", "capture"])
      return nil
    } catch {
      return fullMessage(for: error).hasPrefix("Error: Unknown option") ? error : nil
    }
  }

  /// Throws if an input is a command, and not a file: the command comes first.
  static func checkOrder(_ arguments: [String], inputs: ArraySlice<String>) throws(ValidationError) {
    guard let first = arguments.first, first != "help", !commandNames.contains(first),
      let command = inputs.first(where: { commandNames.contains($0) && OutputSink.realPath($0) == nil }),
      let index = arguments.firstIndex(of: command)
    else { return }
    let others = arguments[..<index] + arguments[(index + 1)...]
    throw ValidationError("The command comes first: atscope \(command) \(others.joined(separator: " "))")
  }

  /// The command that a misspelled first argument resembles; nil if it is a file or resembles none.
  static func misspeltCommand(_ argument: String) -> String? {
    guard isUnknownWord(argument) else { return nil }
    let word = argument.lowercased()
    if let nearest = Explanation.nearest(to: word, among: commandNames) { return nearest }
    // `certs` is nearly the beginning of `certificates`.
    guard word.count >= 4 else { return nil }
    return commandNames.first { Explanation.nearest(to: word, among: [String($0.prefix(word.count))], limit: 1) != nil }
  }

  /// Throws if `help` is followed by anything but one command and options, which ArgumentParser ignores.
  static func checkHelp(_ arguments: [String]) throws(ValidationError) {
    guard arguments.first == "help" else { return }
    let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    let commands = commandNames + ["help"]
    guard let command = words.first else { return }
    guard commands.contains(command) else {
      let nearest = Explanation.nearest(to: command, among: commands)
      let hint = nearest.map { "Did you mean '\($0)'?" } ?? "The commands are \(commands.joined(separator: ", "))."
      throw ValidationError("There is no command '\(command)'. \(hint)")
    }
    if words.count > 1 { throw ValidationError("'atscope help' takes one command. Did you mean 'atscope help \(command)'?") }
  }

  /// Whether an argument is neither a command nor a file, and could be a command: a word.
  private static func isUnknownWord(_ argument: String) -> Bool {
    argument != "help" && !argument.isEmpty && argument.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
      && !commandNames.contains(argument) && OutputSink.realPath(argument) == nil
  }

  /// Returns a message of ArgumentParser, in which it repeats arguments unchanged, escaped for display.
  private static func shown(_ message: String, repeating arguments: [String]) -> String {
    var result = message
    for argument in arguments {
      let value = argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
      for part: String in [argument, value] where !part.isEmpty {
        let safe = DisplayText.escaped(part)
        if safe != part { result.replace(part, with: safe) }
      }
    }
    // The message's own line feeds are kept, and escapes in it are not escaped again.
    return result.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.split(separator: "\\", omittingEmptySubsequences: false).map { DisplayText.escaped(String($0)) }
        .joined(separator: "\\")
    }.joined(separator: "\n")
  }
}
