/// The input of a policy resolution (policy text C.1).
package struct PolicyRequest: Hashable, Sendable {
  package var host: HostIdentity

  /// The context assumed for the load.
  package var context: LoadContext

  /// The origin of `context`.
  package var contextSource: LoadContext.Source

  package var release: SystemRelease

  /// Whether the destination is local; nil to determine it from the host (A.4).
  package var isDirect: Bool?

  /// Whether the program is an Apple bundle (B.10).
  package var isAppleBundle: Bool

  /// The SDK that the program was linked with; nil for the SDK of the release.
  package var sdk: SystemRelease?

  package init(
    host: HostIdentity, context: LoadContext = .app, contextSource: LoadContext.Source = .assumed, release: SystemRelease = .newest,
    isDirect: Bool? = nil, isAppleBundle: Bool = false, sdk: SystemRelease? = nil
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
