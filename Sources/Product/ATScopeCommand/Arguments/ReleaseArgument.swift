import ArgumentParser
import PolicyResolution

/// A release as the value of `--os`.
struct ReleaseArgument: CustomStringConvertible {
  var release: SystemRelease

  /// Whether the user gave it, so that it is not the default.
  var isGiven = false

  init(release: SystemRelease) { self.release = release }

  /// Parses the name of a release. The error lists the known releases.
  init(_ argument: String) throws(UnknownReleaseError) {
    release = try SystemRelease(named: argument)
    isGiven = true
  }

  var description: String { release.name }
  static var completion: CompletionKind { .list(SystemRelease.allNames) }
}

/// A release, or the release at the time of each session, as the value of `--os` for commands that judge sessions.
struct ReleaseChoiceArgument: CustomStringConvertible {
  /// The value for the release at the time of each session.
  static let atSession = "at-session"

  var choice: ReleaseArgument
  var isAtSession = false

  init(release: SystemRelease) { choice = ReleaseArgument(release: release) }

  /// Parses the name of a release, or `at-session`. The error lists the known releases.
  init(_ argument: String) throws(UnknownReleaseError) {
    isAtSession = argument == ReleaseChoiceArgument.atSession
    choice = try isAtSession ? ReleaseArgument(release: .newest) : ReleaseArgument(argument)
    choice.isGiven = true
  }

  var description: String { choice.description }

  /// Completes the names of all releases, and `at-session`.
  static var completion: CompletionKind { .list(SystemRelease.allNames + [atSession]) }
}
