import Reporting
public import SessionRecords

/// How a run ended.
public struct RunOutcome: Sendable {
  /// What was found and what was not read.
  public let summary: SummaryRecord

  /// Inputs that could not be read to their end, and files that could not be used.
  public let faults: [AuditError]

  /// Warnings, a line each.
  public internal(set) var warnings: [String]

  /// How many sessions were judged, those alone that were chosen; nil for commands that do not judge.
  public let judged: Int?

  /// Whether a limit may have cost a session.
  public let hitLimit: Bool

  /// Whether the reader of the results stopped before the end.
  public let wasCutShort: Bool

  init(
    summary: SummaryRecord = SummaryRecord(), faults: [AuditError] = [], warnings: [String] = [], judged: Int? = nil,
    hitLimit: Bool = false, wasCutShort: Bool = false
  ) {
    self.summary = summary
    self.faults = faults
    self.warnings = warnings
    self.judged = judged
    self.hitLimit = hitLimit
    self.wasCutShort = wasCutShort
  }

  /// What was not read and which limits were reached, a line each: for outputs that cannot include it.
  public var accountLines: [String] { AccountLines.lines(of: summary) }

  /// Throws unless every input could be read to its end and every file could be used.
  public func requireComplete() throws(AuditError) {
    guard let first = faults.first else { return }
    throw faults.count == 1 ? first : AuditError(faults.map(\.description).joined(separator: "; "))
  }
}
