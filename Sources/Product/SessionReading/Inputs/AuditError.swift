package import SessionRecords

/// The reason why a job cannot be done, or why an input or file could not be used completely.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file as given; nil for errors that concern no file.
  public let file: String?

  /// The reason, as a clause on one line; text from inputs is escaped.
  public let reason: String

  /// The file and the reason on one line, escaped for display.
  public var description: String { (file.map { DisplayText.name($0) + ": " } ?? "") + reason }

  /// Creates an error that concerns no file.
  package init(_ reason: String) { (file, self.reason) = (nil, reason) }

  /// Creates an error that concerns a file; text from the file in `reason` is escaped already.
  package init(file: String, _ reason: some CustomStringConvertible) {
    self.file = file
    self.reason = reason.description
  }

  /// Returns the entry of the file in the summary of a run; nil for errors that concern no file.
  package func input(_ kind: InputSummary.Kind) -> InputSummary? {
    guard let file else { return nil }
    var input = InputSummary(file: file, kind: kind, format: nil)
    input.error = InputSummary.Fault(reason, at: nil)
    return input
  }
}
