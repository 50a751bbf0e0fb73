import Reporting
public import SessionReading
public import SessionRecords

/// The outcome of a run.
public struct RunOutcome: Sendable {
  /// The results and what was not read.
  public internal(set) var summary = SummaryRecord()

  /// The inputs that could not be read completely, and the files that could not be used.
  public internal(set) var faults: [AuditError] = []

  /// The warnings, one line each.
  public internal(set) var warnings: [String] = []

  /// The number of selected sessions that were judged; nil for runs that do not judge.
  public internal(set) var judged: Int?

  /// Whether sessions may be missing because a limit was reached.
  public internal(set) var hitLimit = false

  /// Whether the run ended early because the results no longer had a reader.
  package var endedEarly = false

  /// Whether the run was to judge sessions, and its only fault is that its only input could not be read.
  package var isUnread: Bool { judged == 0 && faults.count == 1 && summary.isUnread }

  /// The lines on what was not read and on limits that were reached, for output formats that cannot include them.
  package var accountLines: [String] { AccountLines.lines(of: summary) }

  /// Throws unless every input could be read completely and every file could be used.
  public func requireComplete() throws(IncompleteRunError) {
    if !faults.isEmpty { throw IncompleteRunError(faults: faults) }
  }
}

/// The error for a run that was required to be complete and is not.
public struct IncompleteRunError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The inputs that could not be read to their end, and the files that could not be used: at least one.
  public let faults: [AuditError]

  /// The faults on one line that is safe to display.
  public var description: String { faults.map(\.description).joined(separator: "; ") }
}
