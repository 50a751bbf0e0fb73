import ArgumentParser
import PolicyResolution

/// A release, as `--os` names it.
struct ReleaseArgument: ExpressibleByArgument {
  var release: SystemRelease

  /// Whether it was given, and is not the default.
  var isGiven = false

  init(release: SystemRelease) { self.release = release }

  init?(argument: String) {
    guard let release = try? SystemRelease(named: argument) else { return nil }
    self.release = release
    isGiven = true
  }

  var defaultValueDescription: String { release.name }
}
