import ArgumentParser

/// The minimum number of judged sessions.
struct GateArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Exit with status 1 if fewer than N sessions were judged; for diff, on the current side.", valueName: "n"))
  var minSessions: Int?

  func validate() throws {
    if let minSessions, minSessions < 0 { throw ValidationError("--min-sessions requires a number of sessions, such as 1.") }
  }
}
