import ATSEvidence
import AppleTrust
import PolicyResolution
import Testing

@Suite struct SystemReleaseRootStoreTests {
  @Test(
    arguments: [
      ("ios13.3", "macos10.15.3"), ("ios13.4", "macos10.15.4"), ("ios13.7", "macos10.15.7"),
      ("ios14", "macos11"), ("ios14.4", "macos11.2"), ("ios14.5", "macos11.3"), ("ios14.8", "macos11.6"),
      ("ios15.3", "macos12.2"), ("ios15.4", "macos12.3"), ("ios15.8", "macos12.7"),
      ("ios16", "macos13"), ("ios16.4", "macos13.3"), ("ios16.5", "macos13.4"),
      ("ios17.3", "macos14.3"), ("ios17.4", "macos14.4"), ("ios17.6", "macos14.6"), ("tvos17.5", "macos14.5"),
      ("watchos8.4", "macos12.2"), ("watchos8.5", "macos12.3"), ("watchos10.4", "macos14.4"),
      ("visionos1", "macos14.3"), ("visionos1.1", "macos14.4"), ("visionos1.3", "macos14.6"), ("visionos2.4", "macos15.4"),
      ("ios18.3", "macos15.3"), ("ios18.4", "macos15.4"), ("ios18.6", "macos15.6"), ("ios26.5", "macos26.5"),
    ])
  func `a minor release has the root store of the macOS that was published with it`(name: String, macOS: String) throws {
    #expect(try SystemRelease(named: name).rootStore == SystemRelease(named: macOS).rootStore)
  }

  @Test(
    arguments: [
      ("ios14.4", 2_020_082_800), ("ios14.5", 2_021_021_100), ("ios14.7", 2_021_060_900),
      ("ios15.3", 2_021_072_200), ("ios15.4", 2_022_012_800), ("ios15.5", 2_022_031_500),
      ("ios16.4", 2_022_070_700), ("ios16.5", 2_023_032_800),
      ("ios17.3", 2_023_071_300), ("ios17.4", 2_024_013_100), ("ios17.5", 2_024_040_500),
      ("ios18.3", 2_024_051_500), ("ios18.4", 2_025_022_600), ("ios18.5", 2_025_031_200),
    ] as [(String, UInt32)])
  func `the root store changes within a year`(name: String, version: UInt32) throws {
    #expect(try SystemRelease(named: name).rootStore.version == version)
  }

  @Test func `earlier releases have the root store of the macOS with the same policy`() throws {
    for (name, macOS) in [("ios9.3", "macos10.11"), ("ios10.3", "macos10.12"), ("ios12.1", "macos10.14.2"), ("ios12.5", "macos10.14.4")] {
      #expect(try SystemRelease(named: name).rootStore == SystemRelease(named: macOS).rootStore)
    }
  }
}
