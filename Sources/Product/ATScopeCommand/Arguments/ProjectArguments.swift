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

  @Option(
    help: ArgumentHelp(
      "The day that accepted findings expire by, as 2027-01-31; the machine's by default.", valueName: "date")
  )
  var today: DayArgument?

  private static let defaultFile = ".atscope.json"

  /// Whether the working directory has a project file.
  static var hasDefaultFile: Bool { OutputSink.exists(defaultFile) }

  /// The project file; nil where there is none.
  func file() throws -> ProjectFile? { try ProjectArguments.file(config) }

  /// The project file of this name, else that of the working directory; nil where there is none.
  static func file(_ config: String?) throws -> ProjectFile? {
    guard let name = config ?? (hasDefaultFile ? defaultFile : nil) else {
      return nil
    }
    return try ProjectArguments.read(name)
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
