import Reporting
public import SessionRecords

/// How a run ended.
public struct RunOutcome: Sendable {
  /// What was found and what was not read.
  public internal(set) var summary = SummaryRecord()

  /// Inputs that could not be read to their end, and files that could not be used.
  public internal(set) var faults: [AuditError] = []

  /// Warnings, a line each.
  public internal(set) var warnings: [String] = []

  /// The number of judged sessions among those that were chosen; nil for jobs that do not judge.
  public internal(set) var judged: Int?

  /// Whether a limit may have cost a session.
  public internal(set) var hitLimit = false

  /// Whether the reader of the results stopped before the end.
  public internal(set) var wasCutShort = false

  /// What was not read and which limits were reached, a line each: for outputs that cannot include it.
  public var accountLines: [String] { AccountLines.lines(of: summary) }

  /// Throws unless every input could be read to its end and every file could be used.
  public func requireComplete() throws(IncompleteRunError) {
    if !faults.isEmpty { throw IncompleteRunError(faults: faults) }
  }
}

/// Why a run that had to be complete is not.
public struct IncompleteRunError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The inputs that could not be read to their end, and the files that could not be used: at least one.
  public let faults: [AuditError]

  /// The faults on one line that is safe to display.
  public var description: String { faults.map(\.description).joined(separator: "; ") }
}
