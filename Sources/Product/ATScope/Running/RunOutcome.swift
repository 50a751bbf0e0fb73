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
  public func requireComplete() throws(AuditError) {
    guard let first = faults.first else { return }
    throw faults.count == 1 ? first : AuditError(faults.map(\.description).joined(separator: "; "))
  }
}
