import PolicyResolution
import Testing

@Suite struct SystemReleaseTests {
  @Test(arguments: [
    ("ios9", "ios9", 9, 0), ("ios9.0", "ios9", 9, 0), ("iOS 26.5", "ios26.5", 26, 5),
    ("ios12.5.7", "ios12.5.7", 12, 5),
    ("ipados13.4", "ipados13.4", 13, 4), ("tvos18.4", "tvos18.4", 18, 4), ("watchos6", "watchos6", 13, 0),
    ("watchos11.4", "watchos11.4", 18, 4), ("watchos26.4", "watchos26.4", 26, 4),
    ("watchos5.1", "watchos5.1", 12, 1), ("watchos5.3", "watchos5.3", 12, 4), ("watchos6.2", "watchos6.2", 13, 4),
    ("watchos7.4", "watchos7.4", 14, 5), ("watchos7.5", "watchos7.5", 14, 6),
    ("watchos8.4", "watchos8.4", 15, 3), ("watchos8.5", "watchos8.5", 15, 4), ("watchos8.8", "watchos8.8", 15, 7),
    ("watchos9.6", "watchos9.6", 16, 6),
    ("visionos2.4", "visionos2.4", 18, 4), ("visionos1", "visionos1", 17, 3), ("visionos1.3", "visionos1.3", 17, 6),
    ("visionos26", "visionos26", 26, 0),
    ("macos10.11", "macos10.11", 9, 0), ("macOS10.12.6", "macos10.12.6", 10, 0),
    ("macos10.13", "macos10.13", 11, 0),
    ("macos10.14", "macos10.14", 12, 0), ("macos10.14.1", "macos10.14.1", 12, 0),
    ("macos10.14.2", "macos10.14.2", 12, 1), ("macos10.14.3", "macos10.14.3", 12, 1),
    ("macos10.14.4", "macos10.14.4", 12, 2), ("macos10.15.7", "macos10.15.7", 13, 0),
    ("macos11", "macos11", 14, 0),
    ("macos11.3", "macos11.3", 14, 0), ("macos11.4", "macos11.4", 14, 6), ("macos12.2", "macos12.2", 15, 0),
    ("macos12.3", "macos12.3", 15, 4), ("macos12.7", "macos12.7", 15, 4), ("macos13.6", "macos13.6", 16, 0),
    ("macos14", "macos14", 17, 0), ("macos15.3", "macos15.3", 18, 0), ("macos15.4", "macos15.4", 18, 4),
    ("macos15.7", "macos15.7", 18, 5), ("macos26.4", "macos26.4", 26, 4),
  ])
  func `a name gives the release and the equivalent iOS version`(
    name: String, canonical: String, major: Int, minor: Int
  ) throws {
    let release = try SystemRelease(named: name)
    #expect(release.name == canonical)
    #expect(release.equivalentIOSVersion == SystemVersion(major, minor))
    #expect(try SystemRelease(named: release.name) == release)
  }

  @Test(arguments: [
    "", "ios", "ios8", "ios8.4", "ios9.4", "ios19", "ios25", "ios26.6", "ios27", "ios26.5.1.2", "ios26,5",
    "ios 9 ",
    "macos9", "macos10.10", "macos10.16", "macos16", "ipados12", "ipados9", "watchos1", "visionos3",
    "android14",
    "26.5", "newest", "ios9999", "ios-9", "ios٩",
  ])
  func `an unknown name throws an error with examples`(name: String) {
    let error = #expect(throws: UnknownReleaseError.self) { try SystemRelease(named: name) }
    #expect(error?.description.contains("ios26.5") == true)
    #expect(error?.name == name)
  }

  @Test func `a release is made from its version numbers`() throws {
    #expect(try SystemRelease(.ios, 18) == SystemRelease(named: "ios18"))
    #expect(try SystemRelease(.macos, 10, 14, 2) == SystemRelease(named: "macos10.14.2"))
  }

  @Test(arguments: [(18, 9, 0), (20, 0, 0), (8, 4, 0), (99, 0, 0), (-1, 0, 0), (18, 0, -1), (.max, .max, .max)])
  func `version numbers that no release has throw`(major: Int, minor: Int, patch: Int) {
    let error = #expect(throws: UnknownReleaseError.self) { try SystemRelease(.ios, major, minor, patch) }
    #expect(error?.name.hasPrefix("ios\(major)") == true)
  }

  @Test func `the newest release is iOS 26_5`() {
    #expect(SystemRelease.newest.name == "ios26.5")
    #expect(SystemRelease.newest.displayName == "iOS 26.5")
  }

  @Test func `the releases of every epoch have names, belong to it and are in order`() throws {
    for epoch in Epoch.all {
      let iOS = try SystemRelease(named: epoch.release.name)
      let macOS = try SystemRelease(named: SystemRelease(platform: .macos, version: epoch.macOS).name)
      #expect(iOS.equivalentIOSVersion == macOS.equivalentIOSVersion, "\(epoch.change)")
      #expect(Epoch.last(of: macOS) == epoch)
    }
    let versions = Epoch.all.map { ($0.iOS, $0.macOS) }
    for (earlier, later) in zip(versions, versions.dropFirst()) {
      #expect(earlier.0 < later.0)
      #expect(earlier.1 < later.1)
    }
  }

  @Test(arguments: [
    ("iphoneos18.2", "ios18.2"), ("iphonesimulator9.0", "ios9"), ("macosx10.15", "macos10.15"),
    ("macosx15.4", "macos15.4"), ("appletvos17.0", "tvos17"), ("watchos11.2", "watchos11.2"),
    ("xros2.0", "visionos2"), ("iphoneos8.4", "ios8.4"), ("iphoneos18.2.internal", "ios18.2"),
  ])
  func `SDK names are parsed, even from before ATS`(sdk: String, name: String) {
    #expect(SystemRelease(sdkName: sdk)?.name == name)
  }

  @Test(arguments: ["", "iphoneos", "iphoneosx", "driverkit24.0", "linux5"])
  func `names of other SDKs are not parsed`(sdk: String) {
    #expect(SystemRelease(sdkName: sdk) == nil)
  }

  @Test func `releases from before ATS do not have ATS`() {
    #expect(!SystemRelease(platform: .macos, version: SystemVersion(10, 10)).hasATS)
    #expect(!SystemRelease(platform: .ios, version: SystemVersion(8, 4)).hasATS)
    #expect(SystemRelease(platform: .watchos, version: SystemVersion(2)).hasATS)
  }

  @Test func `versions are compared number by number`() {
    #expect(SystemVersion(10, 9) < SystemVersion(10, 11))
    #expect(SystemVersion(10, 14, 2) < SystemVersion(10, 14, 4))
    #expect(SystemVersion("10.14.4")?.description == "10.14.4")
    for text in ["", ".", "1.", "1..2", "1.2.3.4", "1234", "a", "1.-2", "+1"] {
      #expect(SystemVersion(text) == nil)
    }
  }
}
