import ArgumentParser
import ATScope
import ByteParsing

/// `atscope explain`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "What a rule demands, why, how to mend it, and its sources.")

  @Argument(
    help: ArgumentHelp("A rule such as ATS-CIPHER; without one, all rules are listed.", valueName: "rule"))
  var rule: String?

  mutating func run() throws {
    guard let text = Explanation.text(for: rule, width: Terminal.width(isFile: false)) else {
      throw ValidationError("There is no rule \(rule ?? ""); run 'atscope explain' for the list.")
    }
    _ = StandardStreams.write(text, to: 1)
  }
}
