package import PolicyResolution
import PropertyLists

/// The facts about the program in its Info.plist besides the ATS settings.
package struct AppInformation: Hashable, Sendable {
  /// CFBundleExecutable: the name of the process, which captures truncate to 16 characters; nil if it has a build variable.
  package var executable: String?

  package static let sdkKey = "DTSDKName"

  /// DTSDKName, such as `iphoneos18.2`.
  package var sdkName: String?

  /// The system that the program is for according to DTPlatformName or CFBundleSupportedPlatforms; nil if neither names exactly one.
  package var platform: SystemRelease.Platform?

  /// MinimumOSVersion, the deployment target on all systems except macOS.
  package var minimumOSVersion: String?

  /// LSMinimumSystemVersion, the deployment target on macOS.
  package var lsMinimumSystemVersion: String?

  /// Reads the facts from the root of an Info.plist; a value that is not a string counts as absent.
  init(_ root: PropertyListDictionary) {
    executable = root["CFBundleExecutable"]?.string.flatMap { HostKeyFault.hasBuildVariable($0) ? nil : $0 }
    sdkName = root[AppInformation.sdkKey]?.string
    let named = root["DTPlatformName"]?.string.map { [$0] } ?? root["CFBundleSupportedPlatforms"]?.array?.compactMap(\.string) ?? []
    let platforms = Set(named.compactMap(SystemRelease.platform(ofSDKPlatform:)))
    platform = platforms.count == 1 ? platforms.first : nil
    minimumOSVersion = root["MinimumOSVersion"]?.string
    lsMinimumSystemVersion = root["LSMinimumSystemVersion"]?.string
  }

  /// The SDK that the program was linked with; nil if the file names no known SDK.
  package var sdk: SystemRelease? { sdkName.flatMap { SystemRelease(sdkName: $0) } }

  /// DTSDKName up to the first character that no name of an SDK contains; nil if it names no known SDK.
  package var knownSDKName: String? {
    sdk == nil ? nil : sdkName.map { String($0.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }) }
  }

  /// The oldest release that the program runs on; nil if the file does not state it.
  package var deploymentTarget: SystemRelease? {
    let platform = sdk?.platform ?? platform
    let onMac = lsMinimumSystemVersion.flatMap { SystemVersion($0) }
      .map { SystemRelease(platform: .macos, version: $0) }
    let elsewhere = minimumOSVersion.flatMap { SystemVersion($0) }
      .map { SystemRelease(platform: platform ?? .ios, version: $0) }
    // A program built with the macOS SDK may also have the other key, for its Catalyst variant.
    return platform == .macos ? onMac ?? elsewhere : elsewhere ?? onMac
  }
}
