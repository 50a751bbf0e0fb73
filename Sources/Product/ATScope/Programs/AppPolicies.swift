public import SessionReading
import SessionRecords

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
        process.map { "the settings of the process \($0) are given twice" }
          ?? "settings for all sessions are given twice: give one a process")
    }
    assignments.append(Assignment(process: process, policy: policy))
  }

  /// Reads and assigns settings. A file that cannot be used is added to `unusable`.
  package mutating func add(_ assigned: AssignedFile) throws(AuditError) {
    do throws(AuditError) {
      try assign(try AppPolicy(reading: assigned.file), to: assigned.name)
    } catch {
      unusable.append(assigned)
      throw error
    }
  }

  /// The settings for all sessions; nil for the ATS defaults.
  public var main: AppPolicy? { assignments.first { $0.process == nil }?.policy }

  /// Returns the settings for the sessions of a process: those assigned to it by name, otherwise those of the program of that name in a
  /// bundle, otherwise those for all sessions.
  public func policy(forProcess process: String?) -> AppPolicy? {
    guard let process, !assignments.isEmpty else { return main }
    if let named = assignments.first(where: { $0.process.map { AppPolicies.isSame($0, process) } ?? false }) {
      return named.policy.program(named: process) ?? named.policy
    }
    return main?.program(named: process) ?? main
  }

  /// Returns a warning if settings were applied to processes other than the settings' program; otherwise nil.
  package func warning(forProcesses processes: [String]) -> String? {
    guard let main, let executable = main.executable else { return nil }
    let strangers = processes.filter { process in
      main.program(named: process) == nil
        && !assignments.contains { $0.process.map { AppPolicies.isSame($0, process) } ?? false }
    }
    guard let first = strangers.first else { return nil }
    let others = strangers.count > 1 ? " and \(strangers.count - 1) more" : ""
    return "sessions of \(first)\(others) are judged by the settings of \(executable); "
      + "--process \(executable) excludes them"
  }

  /// Returns a warning if settings are for processes without any session, so that they were not used; otherwise nil.
  package func warning(forAbsenceAmong processes: [String]) -> String? {
    let absent = assignments.compactMap(\.process).filter { name in
      !processes.contains { AppPolicies.isSame(name, $0) }
    }
    guard !absent.isEmpty else { return nil }
    let known = processes.isEmpty ? "; the captures name no process" : ""
    return
      "no session belongs to \(absent.joined(separator: " or ")), so these settings are unused\(known)"
  }

  /// Whether two names are of the same process; captures truncate names.
  static func isSame(_ a: String, _ b: String) -> Bool {
    let length = SessionChoice.processNameLength
    return a.utf8.prefix(length).elementsEqual(b.utf8.prefix(length))
  }
}

extension AppPolicy {
  /// Returns the program of the bundle whose executable has this name; nil if there is none.
  func program(named process: String) -> AppPolicy? {
    ([self] + others).first { $0.executable.map { AppPolicies.isSame($0, process) } ?? false }
  }
}

extension AppPolicies {
  /// The settings in the run record; the programs of a bundle apply to the processes with their names.
  var records: [RunRecord.Source] {
    let readable = assignments.flatMap { assignment in
      let policy = assignment.policy
      return [RunRecord.Source(file: policy.file, sha256: policy.sha256, appliesTo: assignment.process)]
        + policy.others.map { RunRecord.Source(file: $0.file, sha256: $0.sha256, appliesTo: $0.executable) }
    }
    return readable
      + unusable.map { RunRecord.Source(file: $0.file, sha256: nil, appliesTo: $0.name) }
  }
}
