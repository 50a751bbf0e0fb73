public import PolicyResolution
public import Values

/// What a capture cannot show and a judgement takes for granted (policy text A.5).
public struct JudgingAssumptions: Hashable, Sendable {
  /// The release whose policy applies.
  public var release = SystemRelease.newest

  /// Whether each session is judged by the release of iOS that was current at its time, and not by `release`.
  public var isReleaseAtSession = false

  /// Who is taken to have made the loads.
  public var context = LoadContext.app

  /// What decided the context: `option`, `process` or `default`.
  public var contextSource = "default"

  /// Whether the program is Apple's own.
  public var isAppleBundle = false

  /// The SDK that the program was linked with; nil for that of the release.
  public var sdk: SystemRelease?

  /// Whether app code accepts chains that default evaluation refuses, where ATS leaves that to it.
  public var appOverridesTrust = false

  /// The time at which certificates are judged; nil for the time of each session.
  public var judgedAt: Timestamp?

  /// The defaults: the newest release, loads by the app, no overriding.
  public init() {}
}
