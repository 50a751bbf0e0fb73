import ArgumentParser
import ATScope

/// The options for the result.
struct OutputArguments: ParsableArguments {
  @Option(help: "The format of the result.")
  var format = FormatArgument(format: .text)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the result to a file, which appears complete or not at all; - is standard output.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Whether to color the text.")
  var color = ColorArgument.auto

  func report(_ command: ReportOptions.Command) -> ReportOptions {
    ReportOptions(command, format.format, to: output, color: color)
  }
}

extension ReportOptions {
  /// The main report of a command: its format, its file, and whether it is colored.
  init(_ command: Command, _ format: Format, to output: String?, color: ColorArgument) {
    self.init()
    self.command = command
    self.format = format
    width = Terminal.width(isFile: output != nil)
    useColor = color.isWanted(inFile: output != nil)
  }
}

struct FormatArgument: ResultFormat {
  static let standard = FormatArgument(format: .text)

  var format: ReportOptions.Format

  init(format: ReportOptions.Format) { self.format = format }

  init?(argument: String) {
    guard let format = ReportOptions.Format(rawValue: argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { ReportOptions.Format.allCases.map(\.rawValue) }

  var defaultValueDescription: String { format.rawValue }
}
