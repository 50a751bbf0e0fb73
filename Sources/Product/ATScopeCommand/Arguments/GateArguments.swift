import ArgumentParser

/// How much a gate requires of what was judged.
struct GateArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Exit with status 1 if fewer sessions were judged than this; for diff, of the current side.",
      valueName: "n"))
  var minSessions: Int?

  func validate() throws {
    if let minSessions, minSessions < 0 {
      throw ValidationError("--min-sessions takes a number of sessions, such as 1.")
    }
  }
}
