import ATSEvaluation
import ATScope
import ArgumentParser
import PolicyResolution
import SessionRecords

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

  /// Returns the release in force, for a command that requires one release. Throws for `at-session`; if only the project file has it, the
  /// newest release is in force, with a warning.
  func one(_ project: ProjectFile? = nil) throws(ValidationError) -> SystemRelease {
    if isAtSession {
      throw ValidationError(
        "--os at-session is for audit, show, annotate, diff and chain; this command requires one release, such as --os ios18.")
    }
    let inForce = inForce(project)
    if let project, inForce.isAtSession {
      StandardError.warn(
        "\(DisplayText.name(project.file)): \"os\" is \(ReleaseArgument.atSession), but this command requires one release and uses "
          + "\(inForce.release.name); --os NAME chooses another")
    }
    return inForce.release
  }

  /// Makes `one(_:)` the release of all sessions.
  func apply(to options: inout AuditOptions) throws(ValidationError) {
    options.judging.assumptions.release = try one(options.project)
    options.judging.assumptions.isReleaseAtSession = false
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
