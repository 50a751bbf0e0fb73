import ATScope
import ArgumentParser
import PolicyResolution

/// A release, or the release at the time of each session, as the value of `--os`.
struct ReleaseArgument: CustomStringConvertible {
  /// The value for the release at the time of each session, for commands that judge sessions.
  static let atSession = ProjectFile.atSession

  var release = SystemRelease.newest

  /// Whether the user gave it, so that it is not the default.
  var isGiven = false
  var isAtSession = false

  var description: String { release.name }

  /// The argument that the user gave, else that of the project file, else the newest release.
  func inForce(_ project: ProjectFile?) -> ReleaseArgument {
    guard !isGiven, let project else { return self }
    return ReleaseArgument(release: project.release ?? release, isAtSession: project.isReleaseAtSession)
  }

  /// Returns the release in force. Throws for `at-session`, for a command that requires one release.
  func one(_ project: ProjectFile? = nil) throws(ValidationError) -> SystemRelease {
    let inForce = inForce(project)
    if inForce.isAtSession {
      throw ValidationError("--os at-session is for audit, diff and chain; this command requires one release, such as --os ios18.")
    }
    return inForce.release
  }
}

extension ReleaseArgument {
  /// Parses the name of a release, or with `allowsAtSession` also `at-session`. The error lists the known releases.
  init(_ argument: String, allowsAtSession: Bool = false) throws(UnknownReleaseError) {
    isAtSession = allowsAtSession && argument == ReleaseArgument.atSession
    if !isAtSession { release = try SystemRelease(named: argument) }
    isGiven = true
  }
}
