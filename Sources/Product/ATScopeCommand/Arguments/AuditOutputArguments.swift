import ArgumentParser
import ATScope
import Reporting

/// The options of `atscope audit` for what its reports show.
struct AuditOutputArguments: ParsableArguments {
  @Flag(
    help:
      "Text, Markdown and JUnit: show only hosts that fail or give exit status 1; SARIF: only such results."
  )
  var onlyFailures = false

  @Flag(help: "Text: show every finding of every host.")
  var details = false

  @Flag(help: "Text: show only the summary.")
  var quiet = false

  @Option(help: "JSON and NDJSON: which parts of a session a record contains; judgement: NDJSON only.")
  var fields = ReportOptions.Fields.all

  @Option(help: "How the text groups sessions.")
  var groupBy = TextGrouping.host

  @Option(
    help: ArgumentHelp(
      "Also write this report of the same run to a file, such as sarif=out.sarif; may be repeated.", valueName: "format=file"),
    transform: { try ReportArgument($0) })
  var report: [ReportArgument] = []
}

/// The options of `atscope audit` for its exit status.
struct AuditStatusArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The only verdicts that give exit status 1: a comma-separated list of fail, unknown, exempt, refused (exempt, but the system \
      rejects the load), relaxed (passes only by a key of the Info.plist). Failing sessions count only if fail is listed.
      """,
      valueName: "list")) var failOn = FailureList<GateVerdict>.standard

  @Flag(
    help:
      "Add unknown to --fail-on; also exit with status 1 if no session was judged, and with 2 if a size limit may have kept a session from being read."
  ) var strict = false
}
