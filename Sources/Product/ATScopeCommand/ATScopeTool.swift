import ArgumentParser
import ATScope
import SessionRecords

/// The command `atscope`.
@main
struct ATScopeTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atscope",
    abstract:
      "Judges the TLS sessions and cleartext requests of packet captures against App Transport Security.",
    discussion: """
      Offline: no socket is opened, ever. A capture goes in; every session in it gets a verdict, a score, and \
      reasons that name the packets they rest on.

        atscope trace.pcapng                          audit with the defaults of ATS
        atscope trace.pcapng --info-plist Info.plist  apply an app's exceptions
        tcpdump -w - | atscope -                      read from a pipe
        atscope --format ndjson trace.pcapng          one JSON object a line
        atscope explain ATS-CIPHER                    what a rule demands and why

      Exit status: 0 nothing that --fail-on names was found; 1 something was; 2 an input could not be used or not \
      to its end; 64 wrong usage.
      """,
    version: "atscope \(Audit.version) (policy \(Audit.policyVersion))\nsandbox: \(Sandbox.name)",
    subcommands: [
      AuditCommand.self, SessionsCommand.self, RecommendCommand.self, DiagnoseCommand.self,
      PolicyCommand.self,
      LintCommand.self, CertificatesCommand.self, ChainCommand.self, DiffCommand.self,
      ShowCommand.self, AnnotateCommand.self, ExtractCommand.self, ExplainCommand.self,
    ],
    defaultSubcommand: AuditCommand.self)

  /// Runs the command that the arguments name, and ends with its status.
  static func main() {
    StandardStreams.openMissing()
    StandardStreams.watchMemory()
    let arguments = Terminal.arguments
    do {
      if let first = arguments.first, let command = misspeltCommand(first) {
        throw ValidationError(
          "There is no file and no command '\(first)'. Did you mean '\(command)'?")
      }
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch let status as ExitCode {
      // To `exit(withError:)` too this is no more than a number, but it makes the help first.
      Execution.end(status.rawValue)
    } catch {
      if exitCode(for: error) == .success { exit(withError: error) }
      StandardError.write(shown(fullMessage(for: error), repeating: arguments))
      Execution.end(exitCode(for: error).rawValue)
    }
  }

  /// The command that a first argument was meant to be, where that is no file; nil where none is near.
  static func misspeltCommand(_ argument: String) -> String? {
    let names = configuration.subcommands.map { $0._commandName }
    guard argument.utf8.allSatisfy({ (0x61...0x7A).contains($0) }), !names.contains(argument),
      OutputSink.realPath(argument) == nil
    else { return nil }
    return Explanation.nearest(to: argument, among: names)
  }

  /// A message of ArgumentParser, in which arguments are repeated as they came, made safe to show.
  private static func shown(_ message: String, repeating arguments: [String]) -> String {
    var result = message
    for argument in arguments {
      let value = argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
      for part: String in [argument, value] where !part.isEmpty {
        let safe = DisplayText.escaped(part)
        if safe != part { result.replace(part, with: safe) }
      }
    }
    // Line ends of the message itself stay; what is escaped already is not escaped again.
    return result.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.split(separator: "\\", omittingEmptySubsequences: false).map { DisplayText.escaped(String($0)) }
        .joined(separator: "\\")
    }.joined(separator: "\n")
  }
}
