import ArgumentParser
import ATScope
import PolicyResolution

/// `atscope lint`.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Review the ATS settings of apps, without any capture.",
    discussion: """
      Finds what no system reads (wrong types, misplaced and misspelt keys, hosts that never match), what weakens \
      security or surprises, and what App Review asks about. Of a bundle every program is reviewed: app, extensions \
      and watch app each go by an Info.plist of their own.

        atscope lint MyApp/Info.plist
        atscope lint MyApp.ipa --os ios15.4
        atscope lint MyApp.app --format sarif -o lint.sarif

      Exit status: 0 no error was found; 1 an error was found, that is a setting without effect or one that breaks \
      loads; 2 a file could not be read; 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "Info.plist files (XML or binary), .app folders, .ipa files, or - for standard input.",
      valueName: "plist|app|ipa"),
    completion: .file(extensions: ["plist", "app", "ipa"]))
  var files: [String]

  @Option(
    name: .customLong("os"),
    help: ArgumentHelp(
      "The release that is taken to read the settings, such as ios9 or macos15.4.", valueName: "name"))
  var release = ReleaseArgument(release: .newest)

  @Option(
    help: ArgumentHelp(
      "The project file, whose release counts; .atscope.json of the working directory where it is there.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?

  @Flag(help: "Read no .atscope.json of the working directory.")
  var noConfig = false

  @OptionGroup(title: "Output") var output: PlainOutputArguments<FormatArgument>

  @OptionGroup var progress: UnusedProgress

  mutating func validate() throws {
    try ProjectArguments.check(config, noConfig: noConfig)
    if files.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("The standard input can be read once only.")
    }
    try OutputGuard.check([output.output], against: files + [config].compactMap { $0 })
  }

  mutating func run() throws {
    let project = release.isGiven ? nil : try ProjectArguments.file(config, noConfig: noConfig)
    let lint = Lint(files, release: project?.release ?? release.release)
    try output.write(lint.rendered(output.format.format, width: output.width, useColor: output.useColor))
    for fault in lint.faults { StandardError.write("atscope: \(fault)") }
    if !lint.faults.isEmpty { throw ExitCode(2) }
    if lint.hasErrors { throw ExitCode(1) }
  }
}
