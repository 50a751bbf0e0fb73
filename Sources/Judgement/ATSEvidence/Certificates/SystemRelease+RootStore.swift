package import AppleTrust
package import PolicyResolution

extension SystemRelease {
  /// Apple's root store of this release, or of the nearest one that is listed (policy text D.6).
  package var rootStore: AppleRootStore {
    let version = macOSVersion
    return AppleRootStore(macOS: version.major, version.minor, version.patch)
  }
}
