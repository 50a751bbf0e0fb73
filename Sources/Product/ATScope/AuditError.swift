import SessionRecords

/// The job cannot be done; one line for people.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is the matter.
  public let description: String

  /// The file that it is about, as it was named, and what is the matter with it; nil where it is about none.
  let fault: (file: String, clause: String)?

  /// Creates an error with this message.
  public init(_ description: String) {
    self.description = description
    fault = nil
  }

  /// What is the matter with a file, as a clause, in which texts of its contents are escaped already.
  init(file: String, _ clause: some CustomStringConvertible) {
    description = "\(DisplayText.escaped(file)): \(clause)"
    fault = (file, "\(clause)")
  }

  /// What the summary of a run has for the file.
  var input: InputSummary? {
    guard let fault else { return nil }
    var input = InputSummary(file: fault.file, kind: "other", format: nil)
    input.error = InputSummary.Fault(fault.clause, at: nil)
    return input
  }

  /// Whether two errors have the same message.
  public static func == (a: AuditError, b: AuditError) -> Bool { a.description == b.description }

  /// Hashes the message.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
