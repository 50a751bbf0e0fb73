public import ATSEvaluation
import ATSEvidence
import PolicyResolution
public import SessionReading

/// What judgements depend on besides the sessions: settings, assumptions, and data for certificates.
public struct JudgingOptions: Sendable {
  /// The settings of the programs; none for the ATS defaults.
  public var programs = AppPolicies()

  /// The assumptions about facts that captures do not show.
  public var assumptions = JudgingAssumptions()

  /// The anchors of chains; by default Apple's store of the release, so that results do not depend on the machine.
  public var anchors = TrustAnchors.apple

  /// The log list, by default Apple's own, and the revocation data.
  public var status = StatusSources.apple

  /// The chains to assume for sessions with hidden chains.
  public var chains = SuppliedChains()

  /// Creates the default options.
  public init() {}

  /// Returns the assumptions for loads under a program's settings: unless others are given, with its SDK and the context that the name of
  /// the process implies.
  func assumptions(under program: AppPolicy?, process: String? = nil, service: String? = nil) -> JudgingAssumptions {
    var known = assumptions
    if known.sdk == nil { known.sdk = program?.sdk }
    // If the release depends on the session, so may the context.
    let release = known.isReleaseAtSession ? SystemRelease.firstWithATS.release : known.release
    if known.contextSource == .assumed, let process, let context = SystemProcess.context(of: process, service: service, in: release) {
      known.context = context
      known.contextSource = .process
      if known.isReleaseAtSession, let end = SystemProcess.contextEnd(of: process, service: service) {
        known.contextEnd = end
        // No role of a process begins in a later release.
        known.laterContext = SystemProcess.context(of: process, service: service, in: .newest)
      }
    }
    return known
  }
}
