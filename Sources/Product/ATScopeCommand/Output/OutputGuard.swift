import ArgumentParser
import ATScope
import InputSources

/// Rejects outputs that would overwrite an input, since a capture cannot be recorded again.
enum OutputGuard {
  /// Throws if an output is one of the inputs, under any name, or if several inputs are standard input.
  static func check(_ outputs: [String?], against inputs: [String]) throws {
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read only once.") }
    for output in outputs.compactMap({ $0 })
    where inputs.contains(where: { OutputGuard.replaces(output, $0) }) {
      throw refusal(of: output)
    }
  }

  /// Whether an output would overwrite an input: the file itself, the file of standard input, or a file in a folder that is searched for
  /// captures.
  static func replaces(_ output: String, _ input: String) -> Bool {
    if OutputSink.isSameFile(output, input) { return true }
    if input == "-" { return OutputSink.isStandardInput(output) }
    guard NamedFolder(input) != nil, let file = OutputSink.realPath(output),
      let folder = OutputSink.realPath(input)
    else { return false }
    let isBelow = file.utf8.starts(with: (folder == "/" ? folder : folder + "/").utf8)
    return isBelow && InputFile.mayBeSearched(output)
  }

  /// Throws if outputs would overwrite each other, under any name.
  static func checkDistinct(_ outputs: [String]) throws {
    for (index, output) in outputs.enumerated()
    where outputs[..<index].contains(where: { $0 == output || OutputSink.isSamePath($0, output) }) {
      throw ValidationError("Two reports cannot be written to the same file.")
    }
  }

  static func refusal(of output: String) -> ValidationError {
    ValidationError("'\(output)' is an input, which the result would overwrite. Give another file.")
  }
}

extension PolicyArguments {
  var files: [String] {
    infoPlist.map { AssignedFile($0).file } + [project.path].compactMap { $0 }
  }
}

extension SharedJudgingArguments {
  var files: [String] {
    policy.files + trust.anchors + trust.systemFiles + trust.intermediateFiles + status.logListFiles + status.revocations
  }
}

extension JudgingArguments {
  var files: [String] {
    let supplied = chains.chain.flatMap { [$0, String($0.drop { $0 != "=" }.dropFirst())] }
    // A folder of chains may also contain their index.
    let inFolders = supplied.flatMap { folder in
      ((try? NamedFolder(folder)?.names(in: "")) ?? []).map { "\(folder)/\($0)" }
    }
    return shared.files + supplied + inFolders
  }
}

extension ReadingArguments {
  var files: [String] { inputs + choice.keylog + [list.filesFrom].compactMap { $0 } }
}
