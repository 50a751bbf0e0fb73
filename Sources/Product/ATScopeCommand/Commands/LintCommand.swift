import ArgumentParser
import ATScope
import PolicyResolution

struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Review the ATS settings of apps, without a capture.",
    discussion: """
      Finds settings that no system reads (wrong types, misplaced or misspelled keys, hosts that never match), that \
      weaken security, or that App Review questions. In a bundle, every program is reviewed: app, extensions, \
      helpers and watch app each have an Info.plist.

        atscope lint MyApp/Info.plist
        atscope lint MyApp.ipa --os ios15.4
        atscope lint MyApp.app --format sarif -o lint.sarif
        atscope lint "$TARGET_BUILD_DIR/$INFOPLIST_PATH" --format xcode  (in Xcode)

      An error is a mistake in a setting that systems know: it has no effect, or breaks loads. A key that no system \
      reads is a warning. The project file can accept findings until a day: \
      {"host": "api.example.com", "rule": "LINT-TLS-LOW", "reason": "…", "expires": "2027-01-31"}; the host * \
      includes the global keys.

      Exit status: 0 no finding is in --fail-on; 1 a finding is; 2 a file could not be read; 64 usage error.
      """)

  @Argument(
    help: ArgumentHelp("Info.plist files (XML or binary), .app folders, .ipa files, or - for standard input.", valueName: "plist|app|ipa"),
    completion: .file(extensions: ["plist", "app", "ipa"])) var files: [String]

  @Option(
    name: .customLong("os"), help: ArgumentHelp("The release that reads the settings, such as ios9 or macos15.4.", valueName: "name"),
    completion: .list(SystemRelease.allNames), transform: { try ReleaseArgument($0) })
  var release = ReleaseArgument()

  @OptionGroup var project: ProjectArguments
  @OptionGroup var expiry: ExpiryArguments

  @Option(
    help: ArgumentHelp(
      "The only findings that give exit status 1: a comma-separated list of error, warning, remark. Errors count only if error is listed.",
      valueName: "list"
    ))
  var failOn = FailureList<LintRule.Severity>.standard

  @Flag(help: "Add warning to --fail-on.")
  var strict = false

  @OptionGroup(title: "Output") var output: ResultArguments<Lint.Findings.Format>

  @OptionGroup var progress: UnusedProgress

  mutating func validate() throws {
    if files.contains("") {
      throw ValidationError(
        "A file name is empty. In a build phase of Xcode, write \"$TARGET_BUILD_DIR/$INFOPLIST_PATH\": INFOPLIST_FILE is empty "
          + "if Xcode generates the Info.plist.")
    }
    try OutputGuard.check([output.output], against: files + [project.path].compactMap { $0 })
  }

  mutating func run() throws {
    let file = try project.file()
    let release = try release.one(file)
    let sink = try output.open()
    Sandbox.enter(reading: files, writing: [output.output].compactMap { $0 }.map(OutputSink.folder(of:)))
    var lint = Lint(files, release: release).run()
    lint.gate = failOn.adding(strict: strict).names
    if let file, !file.accepted.isEmpty { lint.accept(file, at: expiry.day()) }
    for line in lint.outcome.warnings { StandardError.warn(line) }
    try sink.finish(output.rendered(lint))
    for fault in lint.outcome.faults { StandardError.note("\(fault)") }
    if !lint.outcome.faults.isEmpty { throw ExitCode(2) }
    if let warning = failOn.warning(about: lint.report.count(.error), "error") { StandardError.warn(warning) }
    if lint.gate.contains(where: { lint.report.count($0) > 0 }) { throw ExitCode(1) }
  }
}

extension Lint.Findings.Format: ResultFormat {
  static let standard = Lint.Findings.Format.text
}
