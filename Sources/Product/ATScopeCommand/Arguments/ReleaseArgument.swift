import ATScope
import PolicyResolution

/// A release, or the release at the time of each session, as the value of `--os`.
struct ReleaseArgument: CustomStringConvertible {
  /// The value for the release at the time of each session, for commands that judge sessions.
  static let atSession = "at-session"

  var release = SystemRelease.newest

  /// Whether the user gave it, so that it is not the default.
  var isGiven = false
  var isAtSession = false

  var description: String { release.name }

  /// The release that the user gave, else that of the project file, else the newest.
  func inForce(_ project: ProjectFile?) -> SystemRelease { isGiven ? release : project?.release ?? release }
}

extension ReleaseArgument {
  /// Parses the name of a release, or with `allowsAtSession` also `at-session`. The error lists the known releases.
  init(_ argument: String, allowsAtSession: Bool = false) throws(UnknownReleaseError) {
    isAtSession = allowsAtSession && argument == ReleaseArgument.atSession
    if !isAtSession { release = try SystemRelease(named: argument) }
    isGiven = true
  }
}
