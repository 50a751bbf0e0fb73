import SessionRecords

/// The reason why a job cannot be done, or why an input or file could not be used completely.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file that the error is about, as it was named; nil for errors about no file.
  public let file: String?

  /// What is wrong, as a clause on one line; texts from inputs are escaped.
  public let reason: String

  /// The file and the reason, on one line that is safe to display.
  public var description: String { (file.map { DisplayText.escaped($0) + ": " } ?? "") + reason }

  /// Creates an error about no file.
  init(_ reason: String) { (file, self.reason) = (nil, reason) }

  /// Creates an error about a file; texts of its contents in the reason are escaped already.
  init(file: String, _ reason: some CustomStringConvertible) {
    self.file = file
    self.reason = reason.description
  }

  /// The entry of the file in the summary of a run; nil for errors about no file.
  func input(_ kind: InputSummary.Kind) -> InputSummary? {
    guard let file else { return nil }
    var input = InputSummary(file: file, kind: kind, format: nil)
    input.error = InputSummary.Fault(reason, at: nil)
    return input
  }
}
