import ArgumentParser
import ATScope

/// The option to read and judge units separately.
struct IsolationArguments: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Report each unit as a separate run would, without knowledge from other units. A unit is one input, or consecutive listed inputs with the same \"unit\". Requires --format ndjson."
    )) var isolated = false

  /// Throws for reports that cannot be written unit by unit.
  func check(_ format: ReportOptions.Format, hasFurtherReports: Bool = false) throws {
    guard isolated else { return }
    if format != .ndjson { throw ValidationError("--isolated requires --format ndjson.") }
    if hasFurtherReports { throw ValidationError("--isolated and --report cannot be used together.") }
  }
}
