import ArgumentParser

/// The output options of commands with few formats.
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

  /// Columns of the text.
  var width: Int { Terminal.width(isFile: output != nil) }

  /// Whether the text is coloured.
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
