/// Which report is written, and how.
public struct ReportOptions: Sendable {
  /// What is reported.
  public enum Command: String, Sendable {
    /// Judgements.
    case audit
    /// The facts alone.
    case sessions

    /// Whether sessions are judged.
    var judges: Bool { self == .audit }
  }

  /// The form of a report.
  public enum Format: String, CaseIterable, Sendable {
    /// For people, on a terminal.
    case text
    /// One object.
    case json
    /// An object a line.
    case ndjson
  }

  /// What is reported.
  public var command = Command.audit

  /// The form.
  public var format = Format.text

  /// Columns of the text.
  public var width = 80

  /// Whether the text is coloured.
  public var useColor = false

  /// Whether the text leaves out the hosts that do not fail.
  public var onlyFailures = false

  /// Options in force besides those of the audit, for the run's record.
  public var settings: [(name: String, value: String)] = []

  /// Creates the default: the audit as text.
  public init() {}
}
