import ArgumentParser
import ATScope

/// How results are written.
struct OutputArguments: ParsableArguments {
  @Option(help: "The form of the result.")
  var format = FormatArgument(format: .text)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the result to a file, whole or not at all; - is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Whether the text is coloured.")
  var color = ColorArgument.auto

  /// The main report of a command.
  func report(_ command: ReportOptions.Command) -> ReportOptions {
    ReportOptions(command, format.format, to: output, color: color)
  }
}

extension ReportOptions {
  /// The main report of a command: its form, the file that it goes to, and whether it is coloured.
  init(_ command: Command, _ format: Format, to output: String?, color: ColorArgument) {
    self.init()
    self.command = command
    self.format = format
    width = Terminal.width(isFile: output != nil)
    useColor = color.isWanted(inFile: output != nil)
  }
}

/// A form of report.
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
