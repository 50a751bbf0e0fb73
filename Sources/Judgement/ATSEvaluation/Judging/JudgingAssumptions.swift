public import PolicyResolution
public import Values

/// Assumptions of a judgement about facts that no capture shows (policy text A.5).
public struct JudgingAssumptions: Hashable, Sendable {
  /// The release whose policy applies.
  public var release = SystemRelease.newest

  /// Whether each session is judged by the iOS release that was current at its time, instead of by `release`.
  public var isReleaseAtSession = false

  /// The context assumed for the loads. If it is not set, it depends on the process of the session, if the capture names one.
  public var context = LoadContext.app {
    didSet { contextSource = .option }
  }

  /// The origin of `context`: an option or an assumption.
  package var contextSource = LoadContext.Source.assumed

  /// The first release of iOS in which the process no longer implies `context`; nil if there is none, or if `release` applies.
  package var contextEnd: SystemVersion?

  /// The context that the process implies from `contextEnd` on; nil if it implies none.
  package var laterContext: LoadContext?

  /// Whether the program is an Apple bundle.
  public var isAppleBundle = false

  /// The SDK that the program was linked with; nil for the SDK of the release.
  public var sdk: SystemRelease?

  /// Whether app code accepts chains that default evaluation refuses, if ATS leaves this to the app.
  public var appOverridesTrust = false

  /// The time at which certificates are judged, in UTC; nil for the time of each session.
  public var judgedAt: Timestamp?

  /// Creates the defaults: the newest release, loads by the app, no overriding.
  public init() {}
}
