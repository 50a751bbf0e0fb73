import ATScope
import ArgumentParser

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a verdict, a rule, a finding of lint, an Info.plist key, an error code, or a log line.",
    usage: "atscope explain [<rule|key|code|line>] [<options>]",
    discussion: """
        atscope explain UNKNOWN               the verdicts
        atscope explain ATS-PFS               a rule or advice, also by its title
        atscope explain LINT-ALIAS            a finding of lint
        atscope explain NSPinnedDomains       an Info.plist key
        atscope explain -9802                 an error code
        atscope explain score                 the score; also: assumptions, SCT, …
        atscope explain 'Task <1> finished with error [-1200]'   a log line
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "A verdict, a rule such as ATS-CIPHER or its title, a finding of lint, an Info.plist key, a code such as -1022, or a log line. Default: a list.",
      valueName: "rule|key|code|line"), completion: .list(Explanation.names)) var query: [String] = []

  @OptionGroup(title: "Output") var output: ResultArguments<TextOrJSON>

  @OptionGroup var progress: UnusedProgress

  @OptionGroup var project: UnusedProject

  mutating func validate() throws {
    query.removeAll { $0 == "--" }
    // The words of a log line without quotes in the shell.
    if query.count > 1 { query = [query.joined(separator: " ")] }
    do throws(AuditError) {
      _ = try Explanation(of: query.first).run()
    } catch {
      throw ValidationError("\(error); 'atscope explain' lists them all")
    }
  }

  mutating func run() throws {
    try project.check()
    try output.open().finish(output.rendered(try Explanation(of: query.first).run()))
  }
}
