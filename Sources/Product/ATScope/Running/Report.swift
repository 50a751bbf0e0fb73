public import ByteParsing

/// A result that can be written in the formats that it supports, as UTF-8.
public protocol Report: Sendable {
  /// The formats that the command supports for this result.
  associatedtype Format: ReportFormat = TextOrJSON

  /// The report in a format. `width` is the number of columns, at least 40, and `useColor` adds ANSI colors; both apply to text only.
  func rendered(_ format: Format, width: Int, useColor: Bool) -> Bytes
}

extension Report {
  /// The report in a format; text has 80 columns and no color.
  public func rendered(_ format: Format) -> Bytes { rendered(format, width: 80, useColor: false) }

  /// The report as text, whose wording may change in any version.
  public func text(width: Int = 80, useColor: Bool = false) -> String {
    String(decoding: rendered(.text, width: width, useColor: useColor), as: UTF8.self)
  }

  /// The report as JSON: an object, or one object per line, of the schemas in `docs/schemas`.
  public func json() -> Bytes { rendered(.json) }
}

/// The formats of a report, at least text and JSON.
public protocol ReportFormat: Hashable, Sendable {
  /// Text, for a terminal or a file.
  static var text: Self { get }
  /// JSON, for programs.
  static var json: Self { get }
}

/// The formats of a report that supports only text and JSON.
public enum TextOrJSON: String, CaseIterable, ReportFormat {
  /// Text, for a terminal or a file.
  case text
  /// JSON, for programs.
  case json
}
