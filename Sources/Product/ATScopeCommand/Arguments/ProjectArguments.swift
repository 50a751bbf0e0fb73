import ArgumentParser
import ATScope

/// The options for all runs of a project.
struct ProjectArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The project file. Default: .atscope.json in the working directory, if it exists. Options on the command line win.", valueName: "file"
    ), completion: .file(extensions: ["json"])) var config: String?

  @Flag(help: "Ignore .atscope.json in the working directory.")
  var noConfig = false

  private static let defaultFile = ".atscope.json"

  /// The path of the project file, which need not exist; nil if none is read.
  var path: String? { config ?? (noConfig ? nil : ProjectArguments.defaultFile) }

  static var hasDefaultFile: Bool { OutputSink.exists(defaultFile) }

  func validate() throws { try ProjectArguments.check(config, noConfig: noConfig) }

  /// Throws if `--config` and `--no-config` are both given.
  static func check(_ config: String?, noConfig: Bool) throws {
    if config != nil, noConfig { throw ValidationError("--config and --no-config cannot be used together.") }
  }

  /// Returns the project file; nil if there is none. A file that was found rather than given is reported on standard error.
  func file() throws -> ProjectFile? { try ProjectArguments.file(config, noConfig: noConfig) }

  /// Returns the given project file, otherwise that of the working directory; nil if there is none.
  static func file(_ config: String?, noConfig: Bool) throws -> ProjectFile? {
    if let config { return try read(config) }
    guard !noConfig, hasDefaultFile else { return nil }
    guard OutputSink.isRegularFile(defaultFile) else {
      StandardError.warn("\(defaultFile) in the working directory is not a regular file and is ignored (--no-config)")
      return nil
    }
    let file = try Execution.attempt { () throws(AuditError) in
      try ProjectFile(reading: defaultFile, isFound: true)
    }
    StandardError.note("using \(defaultFile) in the working directory (--no-config ignores it)")
    return file
  }

  static func read(_ name: String) throws -> ProjectFile {
    try Execution.attempt { () throws(AuditError) in try ProjectFile(reading: name) }
  }

}
