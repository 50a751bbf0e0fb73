import ArgumentParser
import ATScope
import ATSEvaluation

/// What commands that judge take.
struct JudgingArguments: ParsableArguments {
  @OptionGroup var policy: PolicyArguments

  @OptionGroup var trust: TrustArguments

  @OptionGroup var status: StatusArguments

  @OptionGroup var chains: SuppliedChainArguments

  @Option(
    help: ArgumentHelp(
      "Judge certificates at this ISO 8601 time with Z or an offset, not at that of each session.",
      valueName: "time"),
    transform: { try TimeArgument($0) })
  var at: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "app-overrides-trust: app code accepts chains that default evaluation refuses, where ATS leaves that to it.",
      valueName: "assumption"))
  var assume: [AssumptionArgument] = []

  /// Puts what was asked for into the options; reads the files that were named.
  func apply(to options: inout AuditOptions) throws {
    let project = try policy.project.file()
    options.project = project
    options.assumptions.release = policy.releaseInForce(project)
    options.assumptions.isReleaseAtSession = policy.release.isAtSession
    if let context = policy.context {
      options.assumptions.context = context.context
      options.assumptions.contextSource = "option"
    }
    options.assumptions.judgedAt = at?.time
    options.assumptions.appOverridesTrust = assume.contains(.appOverridesTrust)
    options.anchors = trust.read(leavingOut: &options.unusable)
    options.reading.linksSavedSessions = !trust.intermediates.contains("none")
    options.status = status.read(leavingOut: &options.unusable)
    options.reading.chains = chains.read(leavingOut: &options.unusable)
    options.programs = policy.programs(project, leavingOut: &options.unusable)
  }
}

/// What a judgement may take for granted.
enum AssumptionArgument: String, ExpressibleByArgument {
  case appOverridesTrust = "app-overrides-trust"
}
