import ArgumentParser
import ByteParsing

/// How results are written by commands whose forms are few.
struct PlainOutputArguments<Format: ResultFormat>: ParsableArguments {
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

  /// Columns of the text.
  var width: Int { Terminal.width(isFile: output != nil) }

  /// Whether the text is coloured.
  var useColor: Bool { color.isWanted(inFile: output != nil) }

  /// Opens the output before the inputs are read, so that an output that cannot be written is reported at once.
  func open() throws -> OutputSink { try OutputSink(output) }
}

/// The forms that a command's result may have.
protocol ResultFormat: ExpressibleByArgument {
  /// The default format.
  static var standard: Self { get }
}

/// The forms of a result that is for people or for programs.
enum PlainFormat: String, ResultFormat, CaseIterable {
  case text
  case json

  static let standard = text
}
