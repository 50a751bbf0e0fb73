import ArgumentParser
import ATScope
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a project says once for all its runs.
struct ProjectArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The project file; .atscope.json of the working directory where it is there. Options given win.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?

  @Flag(help: "Read no .atscope.json of the working directory.")
  var noConfig = false

  @Option(
    help: ArgumentHelp(
      "The day that accepted findings expire by, as 2027-01-31; the machine's by default.", valueName: "date")
  )
  var today: DayArgument?

  private static let defaultFile = ".atscope.json"

  /// Whether the working directory has a project file.
  static var hasDefaultFile: Bool { OutputSink.exists(defaultFile) }

  func validate() throws { try ProjectArguments.check(config, noConfig: noConfig) }

  /// Throws if a file is named and none is to be read.
  static func check(_ config: String?, noConfig: Bool) throws {
    if config != nil, noConfig {
      throw ValidationError("--config and --no-config exclude each other.")
    }
  }

  /// The project file; nil where there is none. One that was found and not named is told on standard error.
  func file() throws -> ProjectFile? { try ProjectArguments.file(config, noConfig: noConfig) }

  /// The project file of this name, else that of the working directory; nil where there is none.
  static func file(_ config: String?, noConfig: Bool) throws -> ProjectFile? {
    if let config { return try read(config) }
    guard !noConfig, hasDefaultFile else { return nil }
    guard OutputSink.isRegularFile(defaultFile) else {
      StandardError.write(
        "atscope: warning: \(defaultFile) of the working directory is not a regular file and is not read (--no-config)"
      )
      return nil
    }
    let file = try Execution.attempt { () throws(AuditError) in
      try ProjectFile(reading: defaultFile, isFound: true)
    }
    StandardError.write(
      "atscope: \(defaultFile) of the working directory applies (--no-config leaves it out)")
    return file
  }

  /// Reads a project file.
  static func read(_ name: String) throws -> ProjectFile {
    try Execution.attempt { () throws(AuditError) in try ProjectFile(reading: name) }
  }

  /// The day to compare with, told on standard error: with a machine's clock, results depend on it.
  func day() -> String {
    if let today { return today.day }
    let day = ProjectArguments.machineDay
    StandardError.write("atscope: accepted findings are taken as of today, \(day) (--today)")
    return day
  }

  /// The day in UTC. Nothing else in the program asks what time it is.
  private static var machineDay: String {
    Timestamp(seconds: Int64(time(nil))).date
  }
}

struct DayArgument: ExpressibleByArgument {
  var day: String

  init?(argument: String) {
    guard Timestamp(iso8601: argument + "T00:00:00Z")?.date == argument else { return nil }
    day = argument
  }
}
