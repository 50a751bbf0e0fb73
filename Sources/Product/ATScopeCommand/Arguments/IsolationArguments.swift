import ArgumentParser
import ATScope

/// Whether units are read and judged apart.
struct IsolationArguments: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Report each unit as a run of its own would: nothing that one shows is known to the next. A unit is one input, or listed inputs with the same \"unit\" that follow one another. Needs --format ndjson."
    ))
  var isolated = false

  /// Refuses reports that are not written unit by unit.
  func check(_ format: ReportOptions.Format, hasFurtherReports: Bool = false) throws {
    guard isolated else { return }
    if format != .ndjson { throw ValidationError("--isolated requires --format ndjson.") }
    if hasFurtherReports { throw ValidationError("--isolated writes one report; leave --report out.") }
  }
}
