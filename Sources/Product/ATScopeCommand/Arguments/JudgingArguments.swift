import ArgumentParser
import ATScope
import ATSEvaluation

/// The options of commands that judge sessions.
struct JudgingArguments: ParsableArguments {
  @OptionGroup var shared: SharedJudgingArguments

  @OptionGroup var chains: SuppliedChainArguments

  var policy: PolicyArguments { shared.policy }

  /// Applies the arguments to the options, and reads the given files. `listsIgnored` is whether a report on the same terminal lists the
  /// settings that the system ignores.
  func apply(to options: inout AuditOptions, listsIgnored: Bool = false) throws {
    options.project = try policy.project.file()
    options.judging = shared.judgingOptions(options.project, leavingOut: &options.unusable, listsIgnored: listsIgnored)
    options.judging.chains = chains.read(leavingOut: &options.unusable)
  }
}

/// The options of commands that judge sessions or a chain from a file.
struct SharedJudgingArguments: ParsableArguments {
  @OptionGroup var policy: PolicyArguments

  @OptionGroup var trust: TrustArguments

  @OptionGroup var status: StatusArguments

  @Option(
    help: ArgumentHelp(
      "Judge certificates at this ISO 8601 time, with Z or an offset, instead of the time of each session.", valueName: "time"),
    transform: { try TimeArgument($0) })
  var at: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "app-overrides-trust: assume that app code accepts chains that default evaluation rejects, where ATS allows it.",
      valueName: "assumption")) var assume: [AssumptionArgument] = []

  /// Returns the options for judging, and adds the errors of files that cannot be used to `unusable`.
  func judgingOptions(
    _ project: ProjectFile?, leavingOut unusable: inout [AuditError], listsIgnored: Bool = false
  ) -> JudgingOptions {
    var options = JudgingOptions()
    let release = policy.release.inForce(project)
    options.assumptions.release = release.release
    options.assumptions.isReleaseAtSession = release.isAtSession
    if let context = policy.context { options.assumptions.context = context }
    options.assumptions.judgedAt = at?.time
    options.assumptions.appOverridesTrust = assume.contains(.appOverridesTrust)
    options.anchors = trust.read(leavingOut: &unusable)
    options.status = status.read(leavingOut: &unusable)
    options.programs = policy.programs(project, leavingOut: &unusable, listsIgnored: listsIgnored)
    return options
  }
}

/// An assumption that `--assume` adds to a judgement.
enum AssumptionArgument: String, ExpressibleByArgument, CaseIterable {
  case appOverridesTrust = "app-overrides-trust"
}
