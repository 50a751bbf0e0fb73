import SessionRecords

/// The job cannot be done; one line for people.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is the matter.
  public let description: String

  /// Creates an error that says so.
  public init(_ description: String) { self.description = description }

  /// What is the matter with a file, as a clause, in which texts of its contents are escaped already.
  init(file: String, _ clause: some CustomStringConvertible) {
    self.init("\(DisplayText.escaped(file)): \(clause)")
  }
}
