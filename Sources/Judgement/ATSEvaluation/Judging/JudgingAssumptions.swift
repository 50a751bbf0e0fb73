public import PolicyResolution
public import Values

/// What a judgement assumes because no capture shows it (policy text A.5).
public struct JudgingAssumptions: Hashable, Sendable {
  /// The release whose policy applies.
  public var release = SystemRelease.newest

  /// Whether each session is judged by the release of iOS that was current at its time, and not by `release`.
  public var isReleaseAtSession = false

  /// Who is assumed to have made the loads. Unless it is set, this depends on the process of a session, where captures name one.
  public var context = LoadContext.app {
    didSet { contextSource = .option }
  }

  /// What decided the context.
  public package(set) var contextSource = LoadContext.Source.assumed

  /// Whether the program is Apple's own.
  public var isAppleBundle = false

  /// The SDK that the program was linked with; nil for that of the release.
  public var sdk: SystemRelease?

  /// Whether app code accepts chains that default evaluation refuses, where ATS leaves that to it.
  public var appOverridesTrust = false

  /// The time at which certificates are judged, in UTC; nil for the time of each session.
  public var judgedAt: Timestamp?

  /// The defaults: the newest release, loads by the app, no overriding.
  public init() {}
}
