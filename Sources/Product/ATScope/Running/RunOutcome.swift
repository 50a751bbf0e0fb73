import Reporting
public import SessionRecords

/// How a run ended.
public struct RunOutcome: Sendable {
  /// What was found and what was not read.
  public let summary: SummaryRecord

  /// Inputs that could not be used to their end, a line each.
  public let faults: [String]

  /// Warnings, a line each.
  public internal(set) var warnings: [String]

  /// How many sessions were judged, those alone that were chosen; nil for commands that do not judge.
  public let judged: Int?

  /// Whether a limit may have cost a session.
  public let hitLimit: Bool

  /// Whether the reader of the results stopped before the end.
  public let wasCutShort: Bool

  /// What was not read and which limits were reached, a line each: for outputs that cannot include it.
  public var accountLines: [String] { AccountLines.lines(of: summary) }

  /// Throws unless every input could be used to its end.
  public func requireComplete() throws(AuditError) {
    guard faults.isEmpty else { throw AuditError(faults.joined(separator: "; ")) }
  }
}
