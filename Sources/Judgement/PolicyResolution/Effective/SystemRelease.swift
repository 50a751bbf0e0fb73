/// A release of one of Apple's systems, and its position among the epochs of ATS (policy text F).
public struct SystemRelease: Hashable, Sendable {
  /// One of Apple's systems.
  public enum Platform: String, Hashable, Sendable, CaseIterable {
    /// iOS.
    case ios
    /// iPadOS, which has the version numbers of iOS.
    case ipados
    /// macOS, and OS X before it.
    case macos
    /// tvOS, which has the version numbers of iOS.
    case tvos
    /// watchOS.
    case watchos
    /// visionOS.
    case visionos

    /// The name as Apple spells it.
    public var displayName: String {
      switch self {
      case .ios: "iOS"
      case .ipados: "iPadOS"
      case .macos: "macOS"
      case .tvos: "tvOS"
      case .watchos: "watchOS"
      case .visionos: "visionOS"
      }
    }
  }

  /// The system.
  public let platform: Platform

  /// The number of the release on its own system.
  public let version: SystemVersion

  /// The release of iOS with the same policy (policy text F.2), without its patch.
  package let equivalentIOSVersion: SystemVersion

  /// Creates a release from its version, even if there never was such a release.
  ///
  /// For SDKs and deployment targets, which may be older or newer than anything described. Use ``init(named:)`` for names that users enter.
  package init(platform: Platform, version: SystemVersion) {
    self.platform = platform
    self.version = version
    equivalentIOSVersion = ReleaseTable.iOSEquivalent(of: platform, version)
  }

  /// The macOS release that was published with it (policy text F.2); on macOS the version itself.
  package var macOSVersion: SystemVersion {
    platform == .macos
      ? version : ReleaseTable.macOSEquivalent(ofIOS: iOSVersion)
  }

  /// The release of iOS with the same policy, with the patch of `version`.
  package var iOSVersion: SystemVersion {
    SystemVersion(equivalentIOSVersion.major, equivalentIOSVersion.minor, version.patch)
  }

  /// The name in the syntax of the option, such as `ios26.5` or `macos10.15`, without trailing zeros.
  public var name: String { platform.rawValue + version.description }

  /// The name for users, such as `iOS 26.5`.
  public var displayName: String {
    let isOSX = platform == .macos && version < SystemVersion(10, 12)
    return "\(isOSX ? "OS X" : platform.displayName) \(version)"
  }

  /// Whether the policy is that of iOS `major`.`minor` or a later one, on any system.
  package func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool {
    equivalentIOSVersion >= SystemVersion(major, minor)
  }
}
