import ArgumentParser
import ATScope
import SessionRecords
import Values

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Show what ATS requires of a host: every setting, and what decided it.",
    discussion: """
      Shows what ATS requires of each host under an app's settings, a release and a context, with the key, entry or \
      default that decides each line. No capture is needed.

        atscope policy api.example.com --info-plist MyApp.app
        atscope policy 192.168.1.4 nas.local --os ios9
        atscope policy cdn.example.com --info-plist Info.plist --context web

      A host is the text in the URL: an entry for a name does not apply to a load by address. --format json writes \
      one atscope.policy/1 object per line.
      """)

  @Argument(help: ArgumentHelp("Hosts or addresses, as in the URL.", valueName: "host"))
  var hosts: [String]

  @OptionGroup(title: "Policy") var policy: PolicyArguments

  @Option(
    help: ArgumentHelp(
      "The process that makes the loads. It selects one of several --info-plist, and the context if --context is not given.",
      valueName: "name"))
  var process: String?

  @Option(help: "Whether the destination is local; auto: by its name or address.")
  var direct = Directness.auto

  @Flag(help: "The program is Apple's own.")
  var appleBundle = false

  @OptionGroup(title: "Output") var output: ResultArguments<TextOrJSON>

  @OptionGroup var progress: UnusedProgress

  enum Directness: String, ExpressibleByArgument, CaseIterable {
    case auto
    case yes
    case no

    /// Whether the destination is local; nil to determine it from the host.
    var value: Bool? { self == .auto ? nil : self == .yes }
  }

  mutating func validate() throws {
    _ = try policy.release.one()
    try OutputGuard.check([output.output], against: policy.files)
    for host in hosts { try HostArgument.check(host) }
  }

  mutating func run() throws {
    let project = try policy.project.file()
    let release = try policy.release.one(project)
    var unusable: [AuditError] = []
    var programs = policy.programs(project, leavingOut: &unusable)
    if let first = unusable.first { try Execution.attempt { () throws(AuditError) in throw first } }
    if process == nil { programs = programs.withoutProcess() }
    let program = programs.policy(forProcess: process)
    var options = JudgingOptions()
    options.programs = programs
    options.assumptions.release = release
    options.assumptions.isAppleBundle = appleBundle
    if let context = policy.context { options.assumptions.context = context }
    let query = PolicyQuery(hosts: hosts, process: process, isDirect: direct.value, under: options)
    if process == nil, let others = program?.others, !others.isEmpty {
      let names = others.map { $0.executable ?? $0.file }
      StandardError.note(
        "note: this is the app's own policy; its bundle contains "
          + "\(others.count.counted("more program{s}")) with separate settings; select one with --process: "
          + names.map(DisplayText.escaped).joined(separator: ", "))
    }
    if let warning = process.flatMap({ programs.warning(forProcess: $0) }) { StandardError.warn(DisplayText.escaped(warning)) }
    try output.open().finish(output.rendered(query.run()))
  }
}
