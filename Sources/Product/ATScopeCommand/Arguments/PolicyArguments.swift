import ArgumentParser
import ATScope
import PolicyResolution
import SessionRecords

/// The options that determine the policy.
struct PolicyArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The app's Info.plist (XML or binary), its .app folder or its .ipa. Default: the ATS defaults. With PROCESS=, it \
      applies only to the sessions of that process; may be repeated.
      """, valueName: "[process=]file"), completion: .file(extensions: ["plist", "app", "ipa"])) var infoPlist: [String] = []

  @Option(
    name: .customLong("os"),
    help: ArgumentHelp(
      "The release to judge by, such as ios17.4 or macos15.4: ios9 to \(SystemRelease.newest.name), also ipados, macos, tvos, watchos, visionos. Default: \(SystemRelease.newest.name). at-session (audit, show, annotate, diff and chain): for each session, the release of its time.",
      valueName: "name"),
    completion: .list(SystemRelease.allNames + [ReleaseArgument.atSession]), transform: { try ReleaseArgument($0, allowsAtSession: true) })
  var release = ReleaseArgument()

  @Option(
    help:
      "What made the requests: the app's own code, a web view, or a media player. Default: what the process in the capture suggests, else the app."
  ) var context: LoadContext?

  @OptionGroup var project: ProjectArguments

  func validate() throws {
    var processes: Set<String?> = []
    for process in infoPlist.map({ AssignedFile($0).name }) where !processes.insert(process).inserted {
      throw ValidationError(
        process.map { "--info-plist is given twice for the process \($0)." }
          ?? "Only one --info-plist can apply to all sessions; write PROCESS=FILE for the others.")
    }
  }

  /// Reads the settings, and warns about those that the system ignores, unless a report on the same terminal lists them. Files that cannot
  /// be used are added to `unusable`.
  func programs(_ project: ProjectFile?, leavingOut unusable: inout [AuditError], listsIgnored: Bool = false) -> AppPolicies {
    var programs = AppPolicies()
    for file in infoPlist.isEmpty ? project?.infoPlists ?? [] : infoPlist.map(AssignedFile.init) {
      programs.add(file, leavingOut: &unusable)
    }
    let releaseInForce = release.inForce(project)
    for policy in programs.assignments.flatMap({ [$0.policy] + $0.policy.others }) {
      let unread = releaseInForce.isAtSession ? [] : policy.unread(by: releaseInForce.release)
      for remark in (listsIgnored ? [] : policy.ignored + unread) + [policy.unmentioned(by: releaseInForce.release)].compactMap({ $0 }) {
        StandardError.warn("\(DisplayText.escaped(policy.file)): \(remark)")
      }
    }
    return programs
  }
}

extension AppPolicies {
  /// Returns the settings for a host or chain of no particular process: those for all sessions, or else the first that were given for a
  /// process; a warning names it if there are several.
  func withoutProcess() -> AppPolicies {
    guard main == nil, let first = assignments.first else { return self }
    if assignments.count > 1 {
      StandardError.warn("no process is named, so the settings for \(DisplayText.escaped(first.process ?? "")) apply")
    }
    return AppPolicies(first.policy)
  }
}
