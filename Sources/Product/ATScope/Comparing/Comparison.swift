public import ByteParsing
import CaptureFormats
public import InputSources
import JSONReading
public import Reporting
import SessionRecords

/// Two audits under the same options, and what changed from one to the other.
public struct Comparison: Sendable {
  /// What changed.
  package var diff: AuditDiff

  /// How reading the baseline ended.
  public let baseline: RunOutcome

  /// How reading the current inputs ended.
  public let current: RunOutcome

  /// Whether the baseline was a kept one, and no input that was audited.
  public let hasKeptBaseline: Bool

  /// Notes about the comparison, one line each.
  public var notes: [String] { runs.notes }

  /// The date that expiry was compared with, as `2026-05-01`; nil where nothing expires.
  public var today: String? { runs.today }

  private var runs: ComparedRuns
  private let after: (snapshot: AuditSnapshot, run: RunRecord)

  /// The audit of the current inputs, as a later comparison takes it for a baseline.
  public var kept: Bytes { after.snapshot.json(after.run) }

  /// Audits both inputs under the options, whose own inputs do not count, and compares them. A kept baseline is taken as it
  /// was judged.
  ///
  /// Throws if a kept baseline cannot be read. What could not be read of other inputs is in ``faults``.
  public static func run(
    baseline: AuditInput, current: AuditInput, under options: AuditOptions = AuditOptions(),
    counting counted: Set<AuditDiff.Concern> = [.fail]
  ) throws(AuditError) -> Comparison {
    try run(
      baseline: baseline, current: current, under: options, as: ReportOptions(), counting: counted)
  }

  /// The same; the run's record lists the settings of the report.
  package static func run(
    baseline: AuditInput, current: AuditInput, under options: AuditOptions, as report: ReportOptions,
    counting counted: Set<AuditDiff.Concern> = [.fail]
  ) throws(AuditError) -> Comparison {
    // Unusable files are reported once.
    var earlier = options
    earlier.unusable = []
    let before = try Side(baseline, earlier, report)
    let after = Side(auditing: current, options, report, keepsNotes: true)
    var runs = ComparedRuns(baseline: before.run, current: after.run)
    runs.inputs = before.outcome.summary.inputs + after.outcome.summary.inputs
    runs.settings = options.programs.main?.settingLines
    for (side, unlisted) in [("baseline", before.snapshot.unlisted), ("current", after.snapshot.unlisted)]
    where unlisted > 0 {
      runs.notes.append(
        "\(unlisted) sessions of the \(side) side belong to hosts beyond the limit and are not compared"
      )
    }
    return Comparison(
      diff: AuditDiff(baseline: before.snapshot, current: after.snapshot, counting: counted),
      baseline: before.outcome, current: after.outcome, hasKeptBaseline: before.isKept, runs: runs,
      after: (after.snapshot, after.run))
  }

  private struct Side {
    let snapshot: AuditSnapshot
    let outcome: RunOutcome
    let run: RunRecord
    var isKept = false

    /// A kept baseline, or inputs to audit.
    init(_ input: AuditInput, _ options: AuditOptions, _ report: ReportOptions) throws(AuditError) {
      guard let bytes = Side.keptBaseline(input, options) else {
        self.init(auditing: input, options, report, keepsNotes: false)
        return
      }
      let kept: AuditSnapshot
      do throws(JSONError) {
        kept = try AuditSnapshot(reading: bytes.span)
      } catch {
        throw AuditError(file: input.displayName, "not a usable baseline: \(DisplayText.escaped(error.description))")
      }
      self.init(
        snapshot: kept,
        outcome: RunOutcome(
          summary: SummaryRecord(), faults: [],
          warnings: kept.sessions == 0
            ? ["\(DisplayText.escaped(input.displayName)): the baseline contains no session"] : [],
          judged: kept.sessions, hitLimit: false, wasCutShort: false),
        run: Side.run(input, options, report))
      isKept = true
    }

    private init(snapshot: AuditSnapshot, outcome: RunOutcome, run: RunRecord) {
      self.snapshot = snapshot
      self.outcome = outcome
      self.run = run
    }

    init(auditing input: AuditInput, _ options: AuditOptions, _ report: ReportOptions, keepsNotes: Bool) {
      var own = options
      own.inputs = [input]
      var sink = JudgedSink(own, AuditSnapshot(keepsNotes: keepsNotes)) { $0.add($1, $2) }
      let outcome = Audit.read(own, into: &sink)
      var snapshot = sink.finished()
      snapshot.finish()
      self.init(snapshot: snapshot, outcome: outcome, run: Side.run(input, options, report))
    }

    /// The maximum size of a baseline: far more than the maximum number of hosts needs.
    private static let maximumLength = 256 << 20

    /// The bytes of a kept baseline; nil for anything else, of which only the beginning is read.
    private static func keptBaseline(_ input: AuditInput, _ options: AuditOptions) -> Bytes? {
      guard input.path != "-", let file = options.reading.find([input]).files.first,
        let opened = try? file.open()
      else { return nil }
      var source = opened.source
      var bytes = Bytes(repeating: 0, count: 64 * 1024)
      var end = 0
      while let count = try? source.read(into: &bytes, from: end), count > 0 {
        end += count
        if end >= AuditSnapshot.signature.count, !bytes.starts(with: AuditSnapshot.signature) { return nil }
        if end > maximumLength { return nil }
        if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
      }
      bytes.removeLast(bytes.count - end)
      return bytes.starts(with: AuditSnapshot.signature) ? bytes : nil
    }

    private static func run(_ input: AuditInput, _ options: AuditOptions, _ report: ReportOptions) -> RunRecord {
      var own = options
      own.inputs = [input]
      var run = ReportWriter(own, report, [], { _ in true }).run(.json)
      run.command = "diff"
      return run
    }
  }

  /// Removes what a project accepts on a day from what counts, and returns what has expired.
  public mutating func accept(_ project: ProjectFile, on day: String) {
    guard !project.accepted.isEmpty else { return }
    runs.today = day
    let (valid, expired) = project.accepted(on: day)
    diff.accept { change in
      valid.first { $0.covers(rule: change.subject, host: change.hostName, port: change.port) }.map {
        DisplayText.escaped("\($0.reason), until \($0.expires)")
      }
    }
    for old in expired {
      runs.notes.append(
        DisplayText.escaped("expired on \(old.expires): \(old.host.text) \(old.rule), \(old.reason)"))
    }
  }

  /// What could not be read of either side.
  public var faults: [String] { baseline.faults + current.faults }

  /// Whether something was found that counts and is not accepted.
  public var isWorse: Bool { diff.isWorse }

  /// The comparison in one of the forms; ECS has no fields for it, and its form is that of NDJSON.
  public func rendered(_ format: ReportOptions.Format, width: Int = 80, useColor: Bool = false) -> Bytes {
    let reports = DiffReports(diff, runs)
    return switch format {
    case .text: reports.text(TextOptions(width: width, useColor: useColor))
    case .json: reports.json()
    case .ndjson, .ecs: reports.json(onOneLine: true)
    case .csv: reports.csv()
    case .junit: reports.junit()
    case .markdown: reports.markdown()
    case .html: reports.html()
    case .sarif: reports.sarif()
    }
  }
}
