import ArgumentParser
import ATScope

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
    version: "atscope \(Audit.version) (policy \(Audit.policyVersion))",
    subcommands: [
      AuditCommand.self, SessionsCommand.self, RecommendCommand.self, DiagnoseCommand.self,
      PolicyCommand.self,
      LintCommand.self, CertificatesCommand.self, ChainCommand.self, DiffCommand.self,
      ExtractCommand.self, ExplainCommand.self,
    ],
    defaultSubcommand: AuditCommand.self)

  /// Parses the arguments and runs the command that they name.
  ///
  /// Parsed from the root, the arguments are matched against the options of the root and of the default command before those
  /// of the command itself, which takes as long as half a megabyte of packets. So the command itself is asked first; the
  /// root has the word on whatever it does not take, such as wrong usage or a call for help.
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      var command = try directly(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  private static func directly(_ arguments: [String]) -> (any ParsableCommand)? {
    func command(named name: String) -> (any ParsableCommand.Type)? {
      configuration.subcommands.first { $0.configuration.commandName == name }
    }
    if let first = arguments.first, let named = command(named: first) {
      return parse(named, Array(arguments.dropFirst()))
    }
    guard !arguments.contains(where: { command(named: $0) != nil || $0 == "help" }) else { return nil }
    return parse(AuditCommand.self, arguments)
  }

  /// The command, and none of those that stand for a call for help.
  private static func parse<Command: ParsableCommand>(
    _ command: Command.Type, _ arguments: [String]
  ) -> (any ParsableCommand)? {
    (try? command.parseAsRoot(arguments)) as? Command
  }
}
