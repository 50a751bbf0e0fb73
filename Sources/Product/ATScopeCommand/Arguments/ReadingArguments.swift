import ArgumentParser
import ATScope

/// What commands that read captures take.
struct ReadingArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Captures (pcap, pcapng; compressed or not), directories or archives of them, saved sessions (NDJSON), or - for standard input.",
      valueName: "input"),
    completion: .file(extensions: ["pcap", "pcapng", "cap", "ndjson"]))
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "How reports name standard input, such as the path of what is piped.", valueName: "name"))
  var name: String?

  @OptionGroup var list: InputListArguments

  @OptionGroup var choice: ReadingChoiceArguments

  func validate() throws {
    if inputs.isEmpty, list.filesFrom == nil {
      throw ValidationError("Name a capture, a directory, or - for standard input.")
    }
    if inputs.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("The standard input can be read once only.")
    }
    if name != nil, !inputs.contains("-") {
      throw ValidationError("--name is for standard input: name - among the inputs.")
    }
  }

  /// Options for reading these inputs so; none of them may be one of the outputs.
  func auditOptions(besides outputs: [String?], isIsolated: Bool = false) throws -> AuditOptions {
    var options = AuditOptions(inputs: inputs)
    options.reading.isIsolated = isIsolated
    if let index = inputs.firstIndex(of: "-") { options.reading.names[index] = name }
    choice.apply(to: &options)
    try list.add(to: &options, besides: outputs)
    return options
  }
}
