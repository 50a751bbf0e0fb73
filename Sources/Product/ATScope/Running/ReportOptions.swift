public import ByteParsing
public import Reporting
package import SessionRecords

/// Which report is written, and how.
public struct ReportOptions: Sendable {
  /// The format of a report.
  public enum Format: String, CaseIterable, Sendable {
    /// For people, on a terminal or in a file.
    case text
    /// One object.
    case json
    /// One object per line.
    case ndjson
    /// One row per session.
    case csv
    /// A self-contained page.
    case html
    /// Results for code scanning.
    case sarif
    /// Test cases, in the format of JUnit.
    case junit
    /// A page for the summary of a job.
    case markdown
    /// One object per session, in the fields of the Elastic Common Schema.
    case ecs
  }

  /// Whether sessions are judged; otherwise the report contains facts alone, as that of `atscope sessions`.
  public var judges = true

  /// The format.
  public var format = Format.text

  /// The parts of a session that a record contains.
  public enum Fields: String, CaseIterable, Sendable {
    /// Its facts, and its judgement where sessions are judged.
    case all
    /// The same without certificates, stapled responses and SCT lists as they were sent, so that it cannot be judged again.
    case compact
    /// Its judgement.
    case judgement
  }

  /// The parts of a session that a record contains.
  public var fields = Fields.all

  /// The number of columns of the text, at least 40.
  public var width = 80

  /// Whether the text is colored.
  public var useColor = false

  /// Whether hosts that do not fail are omitted from text, HTML, Markdown and JUnit, and other results than failures from SARIF.
  public var onlyFailures = false

  /// How the text groups sessions.
  public var grouping = TextGrouping.host

  /// How much the text shows.
  public var detail = TextDetail.brief

  /// Whether SARIF lists rules that are unknown.
  public var listsUnknown = false

  package var recorded: [RunRecord.Setting] = []

  /// Creates the default: the audit as text.
  public init() {}
}

/// A further report of the same run. It is not `Sendable`, so that `write` may use what only the caller's task may use.
public struct FurtherReport {
  /// Its format.
  public let format: ReportOptions.Format

  /// Takes the bytes; returns false when its reader has stopped.
  let write: (borrowing Bytes) -> Bool

  /// Creates a report that goes through `write`.
  public init(_ format: ReportOptions.Format, write: @escaping (borrowing Bytes) -> Bool) {
    self.format = format
    self.write = write
  }
}

extension ReportOptions {
  /// What decides how judgements are shown and counted, as the run's record has it.
  var settings: [RunRecord.Setting] {
    var settings = recorded
    if onlyFailures { settings.append(RunRecord.Setting("only-failures", .boolean(true))) }
    if grouping != .host { settings.append(RunRecord.Setting("group-by", .text(grouping.rawValue))) }
    if detail != .brief {
      settings.append(RunRecord.Setting(detail == .full ? "details" : "quiet", .boolean(true)))
    }
    if fields != .all { settings.append(RunRecord.Setting("fields", .text(fields.rawValue))) }
    return settings
  }

  /// The writer of one report; a text that is not the main report goes to a file and has no color.
  func sessionReport(_ format: Format, settings: SettingLines?, isMain: Bool = true) -> any SessionReport {
    switch format {
    case .text:
      return TextSessionReport(
        TextOptions(
          width: isMain ? width : 80, useColor: isMain && useColor, onlyFailures: onlyFailures,
          grouping: grouping, detail: detail),
        judges: judges)
    case .json: return JSONReport(isCompact: fields == .compact)
    case .ndjson: return NDJSONReport(isOfJudgements: fields == .judgement, isCompact: fields == .compact)
    case .csv: return CSVReport(judges: judges)
    case .html: return HTMLReport(judges: judges)
    case .sarif:
      return SARIFReport(
        judges: judges, onlyFailures: onlyFailures, listsUnknown: listsUnknown, settings: settings)
    case .ecs: return ECSReport()
    case .junit: return JUnitReport(judges: judges, onlyFailures: onlyFailures)
    case .markdown: return MarkdownReport(judges: judges, onlyFailures: onlyFailures)
    }
  }
}
