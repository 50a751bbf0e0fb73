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

/// A release, or for each session the one of its time, as `--os` names it for commands that judge sessions.
struct ReleaseChoiceArgument: ExpressibleByArgument {
  /// The name for the release of each session's time.
  static let atSession = "at-session"

  var choice: ReleaseArgument

  /// Whether each session is judged by the release of its time.
  var isAtSession = false

  init(release: SystemRelease) { choice = ReleaseArgument(release: release) }

  init?(argument: String) {
    isAtSession = argument == ReleaseChoiceArgument.atSession
    guard let choice = isAtSession ? ReleaseArgument(release: .newest) : ReleaseArgument(argument: argument)
    else {
      return nil
    }
    self.choice = choice
    self.choice.isGiven = true
  }

  var defaultValueDescription: String { choice.defaultValueDescription }
}
