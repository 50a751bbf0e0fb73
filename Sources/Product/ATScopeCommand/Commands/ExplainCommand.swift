import ATScope
import ArgumentParser
import ByteParsing

/// `atscope explain`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "What a rule requires, why, and how to fix it; what a key does; or what an error means.",
    usage: "atscope explain [<rule|key|code|line>] [--format <format>] [--output <file>] [--color <color>]",
    discussion: """
        atscope explain ATS-PFS       a rule or an advice of audit
        atscope explain LINT-ALIAS    a finding of lint
        atscope explain NSPinnedDomains    a key of Info.plist
        atscope explain -9802         an error code out of a log
        atscope explain 'Task <1> finished with error [-1200]'    a line out of a log
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "A rule such as ATS-CIPHER, a finding of lint, a key of Info.plist, a code such as -1022 or a line of a log; without one, all are listed.",
      valueName: "rule|key|code|line"))
  var query: [String] = []

  @OptionGroup(title: "Output") var output: PlainOutputArguments<PlainFormat>

  @OptionGroup var progress: UnusedProgress

  @OptionGroup var project: UnusedProject

  mutating func validate() throws {
    query.removeAll { $0 == "--" }
    // A line of a log that the shell has divided.
    if query.count > 1 { query = [query.joined(separator: " ")] }
    if let name = query.first, Explanation.text(for: name, width: 80, useColor: false) == nil {
      let suggestion = Explanation.suggestion(for: name).map { "Did you mean '\($0)'?" }
      throw ValidationError(
        "Nothing is known of '\(name)'. \(suggestion ?? "'atscope explain' lists what is known.")")
    }
  }

  mutating func run() throws {
    try project.check()
    let text =
      output.format == .json
      ? Explanation.json(for: query.first)
      : Explanation.text(for: query.first, width: output.width, useColor: output.useColor)
    if let text { try output.open().finish(text) }
  }
}
