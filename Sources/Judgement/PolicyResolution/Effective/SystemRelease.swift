/// A release of one of Apple's systems, and its place in the order of ATS's epochs (policy text F).
public struct SystemRelease: Hashable, Sendable {
  /// The name as the option takes it, such as `ios26.5` or `macos10.15`.
  public var name: String

  /// The release of iOS with the same policy (policy text F.2): major version.
  public var major: Int

  /// The release of iOS with the same policy: minor version.
  public var minor: Int

  /// Whether the policy is that of iOS `major`.`minor` or a later one.
  public func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool {
    (self.major, self.minor) >= (major, minor)
  }
}

/// Who made a load (policy text A.5).
public enum LoadContext: String, Hashable, Sendable, CaseIterable {
  /// The app's own code, through the URL loading system.
  case app
  /// A web view.
  case web
  /// AVFoundation.
  case media
}
