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

  /// Runs the command that the arguments name, and ends with its status.
  static func main() {
    do {
      if let plain = PlainArguments(Array(CommandLine.arguments.dropFirst())) {
        Execution.end(try plain.request().run())
      }
      var command = try parseAsRoot()
      try command.run()
    } catch let status as ExitCode {
      // To `exit(withError:)` too this is no more than a number, but it makes the help first.
      Execution.end(status.rawValue)
    } catch {
      exit(withError: error)
    }
  }
}
