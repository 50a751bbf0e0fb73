import ATScope
import ArgumentParser
import ByteParsing

/// `atscope explain`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "What a rule demands, why, how to mend it; or which rules an error code can mean.")

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "A rule such as ATS-CIPHER or a code such as -1022; without one, all rules are listed.",
      valueName: "rule|code"))
  var query: [String] = []

  @OptionGroup(title: "Output") var output: PlainOutputArguments<PlainFormat>

  @OptionGroup var progress: UnusedProgress

  @OptionGroup var project: UnusedProject

  mutating func validate() throws {
    query.removeAll { $0 == "--" }
    if query.count > 1 { throw ValidationError("Name one rule or one code.") }
  }

  mutating func run() throws {
    try project.check()
    let text =
      output.format == .json
      ? Explanation.json(for: query.first)
      : Explanation.text(for: query.first, width: output.width, useColor: output.useColor)
    guard let text else {
      throw ValidationError("Nothing is known of \(query.first ?? ""); 'atscope explain' lists the rules.")
    }
    try output.write(text)
  }
}
