package import InputSources
package import SessionRecords

/// The reason why a job cannot be done, or why an input or file could not be used completely.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A cause that programs can distinguish.
  public enum Cause: String, Hashable, Sendable {
    /// There is no such file or directory.
    case noSuchFile
    /// The system does not open the file, for example because permission is missing.
    case inaccessible
    /// The input is truncated at its end; everything before was read.
    case truncated
    /// ``ReadingOptions/isInterrupted`` ended the reading.
    case interrupted
    /// The file is damaged, too large or of another kind than required, or an opened file could not be read.
    case unusable
    /// What was requested is unknown, or contradicts another option.
    case invalidRequest
  }

  /// The name of the file as given; nil for errors that concern no file.
  public let file: String?

  /// The reason, as a clause on one line; text from inputs is escaped.
  public let reason: String

  /// The cause; `reason` explains it.
  public let cause: Cause

  /// The file and the reason on one line, escaped for display.
  public var description: String { (file.map { DisplayText.name($0) + ": " } ?? "") + reason }

  /// Creates an error that concerns no file.
  package init(_ reason: String) { (file, self.reason, cause) = (nil, reason, .invalidRequest) }

  /// Creates an error that concerns a file; text from the file in `reason` is escaped already.
  package init(file: String, _ reason: String, cause: Cause = .unusable) {
    self.file = file
    self.reason = reason
    self.cause = cause
  }

  /// Creates the error of a file that cannot be used; `file` is its name if that is not the path in the error.
  package init(_ error: InputError, file: String? = nil) {
    self.init(file: file ?? error.path, DisplayText.escaped(error.explanation), cause: Cause(error.reason))
  }

  /// Returns the entry of the file in the summary of a run; nil for errors that concern no file.
  package func input(_ kind: InputSummary.Kind) -> InputSummary? {
    guard let file else { return nil }
    var input = InputSummary(file: file, kind: kind, format: nil)
    input.error = InputSummary.Fault(reason, at: nil)
    return input
  }
}

extension AuditError.Cause {
  init(_ reason: InputError.Reason) {
    switch reason {
    case .noSuchFile: self = .noSuchFile
    case .permissionDenied, .system: self = .inaccessible
    default: self = .unusable
    }
  }
}
