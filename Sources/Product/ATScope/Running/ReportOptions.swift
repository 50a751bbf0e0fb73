public import ByteParsing
import ReportFormats
public import Reporting
package import SessionRecords

/// The format and the options of a report.
public struct ReportOptions: Sendable {
  /// The format of a report.
  public enum Format: String, CaseIterable, Sendable {
    /// Text, for a terminal or a file.
    case text
    /// One JSON object.
    case json
    /// One JSON object per line.
    case ndjson
    /// One row of comma-separated values per session.
    case csv
    /// A self-contained HTML page.
    case html
    /// SARIF results for code scanning.
    case sarif
    /// Test cases in the format of JUnit.
    case junit
    /// A Markdown page for the summary of a CI job.
    case markdown
    /// One JSON object per session with the fields of the Elastic Common Schema.
    case ecs
  }

  /// Whether sessions are judged; otherwise the report contains only facts, like that of `atscope sessions`.
  public var judges = true

  /// The format of the main report.
  public var format = Format.text

  /// The parts of a session that a record contains.
  public enum Fields: String, CaseIterable, Sendable {
    /// The facts, and the judgement if sessions are judged.
    case all
    /// As `all`, without the bytes of certificates, stapled responses and SCT lists, so that the session cannot be judged again.
    case compact
    /// The judgement only.
    case judgement
  }

  /// The parts of a session that a record contains.
  public var fields = Fields.all

  /// The number of columns of the text, at least 40.
  public var width = 80

  /// Whether the text is colored.
  public var useColor = false

  /// Whether text, Markdown and JUnit omit hosts that do not fail, and SARIF omits all results except failures. What gives a command exit
  /// status 1 is not omitted.
  public var onlyFailures = false

  /// The grouping of sessions in text.
  public var grouping = TextGrouping.host

  /// The amount of detail in text.
  public var detail = TextDetail.brief

  /// Whether SARIF contains undecided rules.
  public var listsUnknown = false

  package var recorded: [RunRecord.Setting] = []

  /// The verdicts that give a command exit status 1.
  package var gate: Set<GateVerdict> = [.fail]

  /// The sessions that a command has to judge; otherwise it gives exit status 1.
  package var requiredSessions = RequiredSessions()

  /// Creates the default options: an audit as text.
  public init() {}
}

/// An additional report of the same run. It is not `Sendable`, so `write` may use values that are isolated to the caller's task.
public struct FurtherReport<Failure: Error> {
  /// The format of the report.
  let format: ReportOptions.Format

  /// The closure that receives the bytes.
  let write: (Bytes) throws(Failure) -> Void

  /// Creates a report that is written through `write`.
  public init(_ format: ReportOptions.Format, write: @escaping (Bytes) throws(Failure) -> Void) {
    self.format = format
    self.write = write
  }
}

/// The format of an additional report, and a closure that receives its bytes and returns false once its reader is gone.
package typealias ReportDestination = (format: ReportOptions.Format, write: (Bytes) -> Bool)

extension ReportOptions {
  /// The options for displaying and counting judgements in the record of the run.
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

  /// Returns the writer of one report; a text that is not the main report goes to a file and has no color.
  func sessionReport(_ format: Format, settings: SettingLines?, isMain: Bool = true) -> any SessionReport {
    let shown = onlyFailures ? gate.union([.fail]) : nil
    switch format {
    case .text:
      return TextSessionReport(
        TextOptions(width: isMain ? width : 80, useColor: isMain && useColor, shown: shown, gate: gate, grouping: grouping, detail: detail),
        judges: judges)
    case .json: return JSONReport(isCompact: fields == .compact)
    case .ndjson: return NDJSONReport(isOfJudgements: fields == .judgement, isCompact: fields == .compact)
    case .csv: return CSVReport(judges: judges)
    case .html: return HTMLReport(judges: judges)
    case .sarif:
      return SARIFReport(judges: judges, shown: shown, listsUnknown: listsUnknown, gate: gate, settings: settings)
    case .ecs: return ECSReport()
    case .junit: return JUnitReport(judges: judges, shown: shown, gate: gate)
    case .markdown: return MarkdownReport(judges: judges, shown: shown)
    }
  }
}
