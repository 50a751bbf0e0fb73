import ATScope
import ArgumentParser
import ByteParsing

/// `atscope explain`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "What a rule demands, why, how to mend it; or which rules an error code can mean.",
    usage: "atscope explain [<rule|code>] [--format <format>] [--output <file>] [--color <color>]",
    discussion: """
        atscope explain ATS-PFS       a rule or an advice of audit
        atscope explain LINT-ALIAS    a finding of lint
        atscope explain -9802         an error code out of a log
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "A rule such as ATS-CIPHER, a finding of lint or a code such as -1022; without one, all are listed.",
      valueName: "rule|code"))
  var query: [String] = []

  @OptionGroup(title: "Output") var output: PlainOutputArguments<PlainFormat>

  @OptionGroup var progress: UnusedProgress

  @OptionGroup var project: UnusedProject

  mutating func validate() throws {
    query.removeAll { $0 == "--" }
    if query.count > 1 { throw ValidationError("Name one rule or one code.") }
    if let name = query.first, Explanation.text(for: name, width: 80, useColor: false) == nil {
      throw ValidationError("Nothing is known of '\(name)'; 'atscope explain' lists the rules.")
    }
  }

  mutating func run() throws {
    try project.check()
    let text =
      output.format == .json
      ? Explanation.json(for: query.first)
      : Explanation.text(for: query.first, width: output.width, useColor: output.useColor)
    if let text { try output.write(text) }
  }
}
