import ArgumentParser
import ATScope
import SystemCalls

struct RecommendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recommend", abstract: "Write the narrowest NSAppTransportSecurity that would allow the recorded sessions.",
    discussion: """
      Tries the keys for every session, the narrowest first, and writes an Info.plist with the keys that are needed \
      and no others. Standard error shows the reason for each key, a draft of the justification that App Review \
      requires, and what no key can fix.

        atscope recommend trace.pcapng > exceptions.plist
        atscope trace.pcapng --info-plist exceptions.plist    (audit with them)
        atscope recommend trace.pcapng --info-plist MyApp.app

      --info-plist keeps the app's DTSDKName and its requirements beyond ATS (pins, TLS 1.3, NIAP), adds the keys that \
      are needed, and lists the exceptions that no session needed. An exception makes users less safe; fixing the server \
      is better.

      Exit status: 0 the captures were read; 2 an input could not be read completely; 64 usage error.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  @OptionGroup(title: "Output") var output: ResultArguments<Format>

  /// The formats: an XML property list, or an object with the reasons.
  enum Format: String, ResultFormat, CaseIterable {
    case plist
    case json

    static let standard = plist
  }

  func validate() throws {
    _ = try judging.policy.release.one()
    try OutputGuard.check([output.output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    var options = try reading.auditOptions(besides: [output.output])
    try judging.apply(to: &options)
    try judging.policy.release.apply(to: &options)
    let sink = try output.open()
    Sandbox.enter(options, outputs: [output.output])
    let recommendation = Recommendation(options).run()
    Execution.report(recommendation.outcome)
    let result = output.format == .json ? recommendation.json() : recommendation.propertyList()
    guard let result else {
      StandardError.note(
        "no Info.plist can be written: a host in the given settings has characters that XML cannot contain; "
          + "--format json shows them")
      throw ExitCode(2)
    }
    try sink.finish(result)
    if output.format == .plist {
      let reasons = recommendation.rendered(.text, width: Terminal.errorWidth, useColor: output.color == .always)
      _ = SystemCalls.write(reasons, to: 2)
    }
    if !recommendation.outcome.faults.isEmpty { throw ExitCode(2) }
  }
}
