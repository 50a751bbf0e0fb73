import ATSEvaluation
public import SessionReading
import SessionRecords
import Values

/// The settings of the programs whose sessions are judged: none for the ATS defaults, one for all sessions, or one per process.
public struct AppPolicies: Sendable {
  /// A process and the settings for its sessions.
  package struct Assignment: Sendable {
    /// The process; nil for all processes without another assignment.
    package let process: String?
    package let policy: AppPolicy
  }

  /// The assignments in the order given.
  package private(set) var assignments: [Assignment] = []

  /// The files that could not be used: sessions are judged as if these files had not been given.
  private(set) var unusable: [AssignedFile] = []

  /// Creates the ATS defaults for all sessions.
  public init() {}

  /// Creates the settings of one program for all sessions.
  public init(_ policy: AppPolicy) { assignments = [Assignment(process: nil, policy: policy)] }

  /// Assigns settings to the sessions of a process; nil for all without another assignment. Throws if there are settings for them already.
  public mutating func assign(_ policy: AppPolicy, to process: String? = nil) throws(AuditError) {
    guard !assignments.contains(where: { $0.process == process }) else {
      throw AuditError(
        process.map { "the settings of the process \(DisplayText.escaped($0)) are given twice" }
          ?? "settings for all sessions are given twice: give one a process")
    }
    assignments.append(Assignment(process: process, policy: policy))
  }

  /// Reads and assigns settings. The errors of files that cannot be used are added to `faults`; the app's own file is added to `unusable`.
  package mutating func add(_ assigned: AssignedFile, leavingOut faults: inout [AuditError]) {
    do throws(AuditError) {
      var unread: [AuditError] = []
      let policy = try AppPolicy(reading: assigned.file, leavingOut: &unread)
      try assign(policy, to: assigned.name)
      faults += unread.map { error in
        // Settings for a named process are those of this one only.
        guard assigned.name == nil, let file = error.file, let name = policy.others.first(where: { $0.file == file })?.executable else {
          return error
        }
        let effect = "where captures name the process \(DisplayText.escaped(name)), its sessions are judged by the ATS defaults"
        return AuditError(file: file, "\(error.reason); \(effect), unless you give settings for it", cause: error.cause)
      }
    } catch {
      unusable.append(assigned)
      faults.append(error)
    }
  }

  /// The settings for all sessions; nil for the ATS defaults.
  package var main: AppPolicy? { assignments.first { $0.process == nil }?.policy }

  /// Returns the settings for the sessions of a process: those assigned to it by name, otherwise those of the program of that name in a
  /// bundle, otherwise those for all sessions. A process with none of these names may be a program whose file cannot be used: it has the
  /// ATS defaults.
  ///
  /// A name that a capture truncated fits several programs with the same beginning; the first of them counts.
  package func policy(forProcess process: String?) -> AppPolicy? {
    process.flatMap { fitting($0).first?.policy ?? unread } ?? main
  }

  /// The first program of the app's bundle whose file cannot be used; nil if there is none, or if the name of the app's own process is not
  /// known.
  private var unread: AppPolicy? { main?.executable == nil ? nil : main?.others.first(where: \.isUnread) }

  /// The settings whose names fit a process: if there is one of this very name, only that.
  private func fitting(_ process: String) -> [(name: String, policy: AppPolicy)] {
    var all: [(name: String, policy: AppPolicy)] = []
    for assignment in assignments {
      guard let name = assignment.process else { continue }
      all.append((name, assignment.policy.program(named: process) ?? assignment.policy))
    }
    for program in main?.programs ?? [] {
      if let name = program.executable { all.append((name, program)) }
    }
    if let exact = all.first(where: { $0.name == process }) { return [exact] }
    return all.filter { SessionChoice.isProcess(process, $0.name) }
  }

  /// Returns a warning if settings were applied to processes other than the settings' program; otherwise nil.
  package func warning(forProcesses processes: [String]) -> String? {
    guard let main else { return nil }
    let strangers = processes.filter { fitting($0).isEmpty }
    // One process may be the program itself if its name is not known, unless it may be one whose file cannot be used.
    guard !strangers.isEmpty, main.executable != nil || strangers.count > 1 || main.others.contains(where: \.isUnread) else { return nil }
    let names = strangers.joined(first: 1)
    if let unread {
      return "sessions of \(names) are judged by the ATS defaults, since they may be of the program of \(unread.file), "
        + "which cannot be used"
    }
    let program = main.executable ?? "\(main.file), which names no executable"
    return "sessions of \(names) are judged by the settings of \(program); "
      + "--process \(main.executable ?? "NAME") excludes \(main.executable == nil ? "others" : "them")"
  }

  /// Returns a warning if a process has a truncated name that fits several programs; otherwise nil.
  package func warning(forAmbiguityAmong processes: [String]) -> String? {
    for process in processes {
      let names = fitting(process).map(\.name)
      guard let first = names.first, Set(names).count > 1 else { continue }
      return "the capture has only the beginning of a name, \(process), which fits \(names.joined(separator: " and ")); "
        + "its sessions are judged by the settings of \(first)"
    }
    return nil
  }

  /// Returns a warning if none of the settings given are for a process; otherwise nil.
  package func warning(forProcess process: String) -> String? {
    guard !assignments.isEmpty, fitting(process).isEmpty else { return nil }
    let names = assignments.compactMap(\.process).joined(separator: " or ")
    return "no settings are for the process \(process)"
      + (main.map { "; these are those of \($0.executable ?? $0.file)" } ?? ", only for \(names); these are the ATS defaults")
  }

  /// Returns a warning if settings are for processes without any session, so that they were not used; otherwise nil.
  package func warning(forAbsenceAmong processes: [String]) -> String? {
    let absent = assignments.compactMap(\.process).filter { name in
      !processes.contains { SessionChoice.isProcess($0, name) }
    }
    guard !absent.isEmpty else { return nil }
    let known = processes.isEmpty ? "; the captures name no process" : ""
    return "no session belongs to \(absent.joined(separator: " or ")), so these settings are unused\(known)"
  }
}

extension AppPolicy {
  /// The program and those in its bundle.
  fileprivate var programs: [AppPolicy] { [self] + others }

  /// Returns the program of the bundle whose executable has this name, or one that begins with it; nil if there is none.
  fileprivate func program(named process: String) -> AppPolicy? {
    programs.first { $0.executable == process }
      ?? programs.first { $0.executable.map { SessionChoice.isProcess(process, $0) } ?? false }
  }
}

extension AppPolicies {
  /// The settings in the run record; the programs of a bundle apply to the processes with their names.
  func records(under assumptions: JudgingAssumptions) -> [RunRecord.Source] {
    let readable: [(AppPolicy, String?)] = assignments.flatMap { assignment in
      let policy = assignment.policy
      return [(policy, assignment.process)] + policy.others.map { ($0, $0.executable) }
    }
    let sources = readable.map { policy, process -> RunRecord.Source in
      // Each session may be judged under a release of its own.
      let unread = assumptions.isReleaseAtSession ? [] : policy.unread(by: assumptions.release)
      return RunRecord.Source(
        file: policy.file, sha256: policy.sha256, appliesTo: process,
        ignored: policy.propertyList.ignored.map(\.description) + unread)
    }
    return sources + unusable.map { RunRecord.Source(file: $0.file, sha256: nil, appliesTo: $0.name) }
  }
}
