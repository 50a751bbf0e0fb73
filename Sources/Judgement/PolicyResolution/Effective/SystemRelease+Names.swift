extension SystemRelease {
  /// The newest release that the policy text describes.
  public static let newest = SystemRelease(platform: .ios, version: ReleaseTable.newest)

  /// Creates a release from the parts of its version: `SystemRelease(.ios, 18, 2)` is iOS 18.2.
  ///
  /// Throws if the system has no such release, or only one that is newer than the known ones.
  public init(_ platform: Platform, _ major: Int, _ minor: Int = 0, _ patch: Int = 0) throws(UnknownReleaseError) {
    self.init(platform: platform, version: SystemVersion(major, minor, patch))
    let problem = patch < 0 ? "a version has no negative parts" : ReleaseTable.problem(with: version, of: platform)
    if let problem { throw UnknownReleaseError(name: name, problem: problem) }
  }

  /// The names of all known releases, by system, the oldest first.
  public static let allNames: [String] = Platform.allCases.flatMap { platform in
    ReleaseTable.versions(of: platform).map { SystemRelease(platform: platform, version: $0).name }
  }

  /// Parses a name such as `ios26.5`, `macos10.15.4` or `iOS 9`; letter case and one space do not matter.
  public init(named name: String) throws(UnknownReleaseError) {
    let text = name.lowercased()
    // No platform's name is a prefix of another's, so at most one matches.
    guard let platform = Platform.allCases.first(where: { text.hasPrefix($0.rawValue) }) else {
      throw UnknownReleaseError(name: name, problem: "a release begins with a system, such as ios or macos")
    }
    var number = text.dropFirst(platform.rawValue.count)
    if number.first == " " { number = number.dropFirst() }
    guard let version = SystemVersion(number) else {
      throw UnknownReleaseError(name: name, problem: "a version number must follow \(platform.rawValue)")
    }
    if let problem = ReleaseTable.problem(with: version, of: platform) { throw UnknownReleaseError(name: name, problem: problem) }
    self.init(platform: platform, version: version)
  }

  /// Parses a value of `DTSDKName`, such as `iphoneos18.2` or `macosx15.4`; nil if it names no known SDK.
  package init?(sdkName: String) {
    let text = sdkName.lowercased()
    for (prefix, platform) in SystemRelease.sdkPrefixes where text.hasPrefix(prefix) {
      // Apple's internal SDKs have a suffix: `iphoneos18.2.internal`.
      let number = text.dropFirst(prefix.count).prefix { $0 == "." || ($0.isASCII && $0.isNumber) }
      guard let version = SystemVersion(number.hasSuffix(".") ? number.dropLast() : number) else { return nil }
      self.init(platform: platform, version: version)
      return
    }
    return nil
  }

  /// The system that a value of `DTPlatformName` or `CFBundleSupportedPlatforms` names, such as `watchos` or `WatchOS`; nil if none.
  package static func platform(ofSDKPlatform name: String) -> Platform? {
    let text = name.lowercased()
    return sdkPrefixes.first { $0.0 == text }?.1
  }

  private static let sdkPrefixes: [(String, Platform)] = [
    ("iphoneos", .ios), ("iphonesimulator", .ios), ("macosx", .macos), ("appletvos", .tvos),
    ("appletvsimulator", .tvos), ("watchos", .watchos), ("watchsimulator", .watchos), ("xros", .visionos),
    ("xrsimulator", .visionos),
  ]
}

/// The error for a name that denotes no known release; its text lists examples.
public struct UnknownReleaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name as given.
  public package(set) var name: String

  /// The problem of the name, as a clause.
  package var problem: String

  /// One line for users.
  public var description: String {
    "unknown release '\(name)': \(problem). Known releases include ios9, ios18.4, ios26.5, ipados17, "
      + "macos10.11, macos15.4, tvos16, watchos11.4 and visionos2.4."
  }
}
