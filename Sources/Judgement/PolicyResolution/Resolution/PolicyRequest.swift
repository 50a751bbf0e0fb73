/// What a policy is asked for (policy text C.1).
public struct PolicyRequest: Hashable, Sendable {
  /// The host of the URL.
  public var host: HostIdentity

  /// Who is taken to have made the load.
  public var context: LoadContext

  /// What decided the context: `option`, `process` or `default`.
  public var contextSource: String

  /// The release whose policy applies.
  public var release: SystemRelease

  /// Whether the destination is local; nil to compute it (A.4).
  public var isDirect: Bool?

  /// Whether the program is Apple's own (B.10).
  public var isAppleBundle: Bool

  /// The SDK that the program was linked with; nil for that of the release.
  public var sdk: SystemRelease?

  /// Creates a request.
  public init(
    host: HostIdentity, context: LoadContext = .app, contextSource: String = "default",
    release: SystemRelease = .newest, isDirect: Bool? = nil, isAppleBundle: Bool = false,
    sdk: SystemRelease? = nil
  ) {
    self.host = host
    self.context = context
    self.contextSource = contextSource
    self.release = release
    self.isDirect = isDirect
    self.isAppleBundle = isAppleBundle
    self.sdk = sdk
  }
}
