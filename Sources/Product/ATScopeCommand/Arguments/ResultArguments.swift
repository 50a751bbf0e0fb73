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
    help: ArgumentHelp("Write the result to a file, which appears complete or not at all; - is standard output.", valueName: "file"),
    completion: .file()) var output: String?

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

extension TextOrJSON: ResultFormat {
  static let standard = TextOrJSON.text
}

extension ResultArguments where Format: ReportFormat {
  /// Returns the report in the chosen format, with the width and color of the output.
  func rendered<Result: Report>(_ result: Result) -> Bytes where Result.Format == Format {
    result.rendered(format, width: width, useColor: useColor)
  }
}

typealias OutputArguments = ResultArguments<ReportOptions.Format>

extension OutputArguments {
  /// Returns the options for the main report: the format, and the width and color of the output.
  func report() -> ReportOptions {
    var report = ReportOptions()
    report.format = format
    report.width = width
    report.useColor = useColor
    return report
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
      throw ValidationError("--fields \(rawValue) requires --format ndjson\(self == .compact ? " or json" : "").")
    }
  }
}

extension TextGrouping: ExpressibleByArgument {}
extension LoadContext: ExpressibleByArgument {}
extension SeriesMode: ExpressibleByArgument {}
