import ArgumentParser
import ATScope

/// The inputs and options of commands that read captures.
struct ReadingArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Captures (pcap, pcapng; compressed or not), directories or archives of captures, saved sessions (NDJSON), or - for standard input.",
      valueName: "input"), completion: .file(extensions: ["pcap", "pcapng", "cap", "ndjson"])) var inputs: [String] = []

  @Option(help: ArgumentHelp("The name of standard input in reports, such as the path of the piped file.", valueName: "name"))
  var name: String?

  @OptionGroup var list: InputListArguments

  @OptionGroup var choice: ReadingChoiceArguments

  func validate() throws {
    if inputs.isEmpty, list.filesFrom == nil {
      throw ReadingArguments.noInput(Terminal.arguments)
    }
    if name?.isEmpty == true { throw ValidationError("--name requires the name of standard input.") }
    if name != nil, !inputs.contains("-") {
      throw ValidationError("--name requires standard input (-) among the inputs.")
    }
  }

  /// The error of a command without inputs. If a file is the value of an option, it was perhaps meant as the input.
  static func noInput(_ arguments: [String]) -> ValidationError {
    for (option, value) in zip(arguments, arguments.dropFirst()) where option.hasPrefix("-") && !option.contains("=") {
      guard !value.hasPrefix("-"), OutputSink.realPath(value) != nil else { continue }
      return ValidationError("No input: '\(value)' is the value of \(option). Give a capture, a directory, or - after it.")
    }
    return ValidationError("No input: give a capture, a directory, or - for standard input.")
  }

  /// Returns the options for reading the inputs; throws if an input is also an output.
  func auditOptions(besides outputs: [String?], isIsolated: Bool = false) throws -> AuditOptions {
    var options = AuditOptions(paths: inputs)
    options.reading.isIsolated = isIsolated
    if let index = inputs.firstIndex(of: "-") { options.inputs[index].name = name }
    choice.apply(to: &options)
    try list.add(to: &options, besides: outputs)
    return options
  }
}
