public import ArgumentParser
public import ATScope
public import InputSources
public import PolicyResolution
public import Reporting

/// The options for the result.
struct ResultArguments<Format: ResultFormat>: ParsableArguments {
  @Option(help: "The format of the result.")
  var format = Format.standard

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the result to a file, which appears complete or not at all; - is standard output.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Whether to color the text.")
  var color = ColorArgument.auto

  var width: Int { Terminal.width(isFile: output != nil) }
  var useColor: Bool { color.isWanted(inFile: output != nil) }

  /// Opens the output before the inputs are read, so that an output that cannot be written is reported at once.
  func open() throws -> OutputSink { try OutputSink(output) }
}

protocol ResultFormat: ExpressibleByArgument {
  /// The default format.
  static var standard: Self { get }
}

enum TextOrJSON: String, ResultFormat, CaseIterable {
  case text
  case json

  static let standard = text
}

/// The options for a report.
typealias OutputArguments = ResultArguments<ReportOptions.Format>

extension OutputArguments {
  func report(_ command: ReportOptions.Command) -> ReportOptions {
    ReportOptions(command, format, to: output, color: color)
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

extension ReportOptions.Format: ResultFormat {
  static let standard = ReportOptions.Format.text
}

extension ReportOptions.Fields: ExpressibleByArgument {
  /// Throws unless the format supports these fields.
  func check(_ format: ReportOptions.Format) throws {
    switch self {
    case .all: return
    case .compact where format == .json: return
    case .compact, .judgement:
      if format == .ndjson { return }
      throw ValidationError(
        "--fields \(rawValue) requires --format ndjson\(self == .compact ? " or json" : "").")
    }
  }
}

extension TextGrouping: ExpressibleByArgument {}
extension LoadContext: ExpressibleByArgument {}
extension SeriesMode: ExpressibleByArgument {}
