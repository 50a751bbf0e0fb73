import ArgumentParser
import ATScope
import ByteParsing

/// `atscope recommend`.
struct RecommendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recommend",
    abstract: "The narrowest NSAppTransportSecurity that would allow what was recorded.",
    discussion: """
      Tries the keys on every session, from the narrowest on, and writes an Info.plist that holds those that are \
      needed and no others. On standard error it tells why each key is there, drafts the justification that App \
      Review asks for, and says what no key can fix and what would.

        atscope recommend trace.pcapng > exceptions.plist
        atscope trace.pcapng --info-plist exceptions.plist    the audit with it
        atscope recommend trace.pcapng --info-plist MyApp.app

      With --info-plist it keeps what the app demands beyond ATS (pins, TLS 1.3, NIAP), adds what is needed, and \
      lists the exceptions that nothing in the captures needed. An exception makes users less safe: mending the \
      server is better.

      Exit status: 0 the captures were read; 2 an input could not be used or not to its end; 64 wrong usage.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: PlainOutputArguments<Format>

  /// An XML property list, or an object with the reasons in it.
  enum Format: String, ResultFormat, CaseIterable {
    case plist
    case json

    static let standard = plist
  }

  func validate() throws {
    try judging.policy.requireOneRelease()
    try OutputGuard.check([output.output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    var options = try reading.auditOptions(besides: [output.output])
    try judging.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(options, outputs: [output.output])
    let recommendation = Recommendation(options)
    Execution.tell(recommendation.outcome)
    let result = output.format == .json ? recommendation.json() : recommendation.propertyList()
    guard let result else {
      StandardError.write(
        "atscope: no Info.plist can be written: a host in the present settings has characters that XML cannot hold; "
          + "--format json shows them, without them it can")
      throw ExitCode(2)
    }
    try sink.finish(result)
    if output.format == .plist {
      let reasons = recommendation.reasons(
        width: Terminal.errorWidth, useColor: output.color == .always)
      _ = StandardStreams.write(reasons, to: 2)
    }
    if !recommendation.outcome.faults.isEmpty { throw ExitCode(2) }
  }
}
