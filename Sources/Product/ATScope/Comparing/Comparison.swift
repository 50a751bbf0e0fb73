public import ByteParsing
import CaptureFormats
public import InputSources
import JSONReading
public import ReportFormats
import Reporting
public import SessionReading
import SessionRecords
public import Values

/// Compares an audit with a baseline: a saved one, or an audit of another input under the same options.
public struct Comparison: Sendable {
  private let options: AuditOptions
  private let baseline: AuditInput
  private let counted: Set<AuditDiff.Concern>

  /// The maximum number of hosts that are compared of a side that is audited; nil for the number that a baseline may contain.
  package var maximumHosts: Int?

  /// Further settings for the record of the run.
  package var recorded: [RunRecord.Setting] = []

  /// Creates a comparison of the inputs in the options with an earlier input. That may be a saved baseline, whose verdicts are not judged
  /// again. `counted` are the changes that count as regressions.
  public init(_ options: AuditOptions, baseline: AuditInput, counting counted: Set<AuditDiff.Concern> = [.fail]) {
    self.options = options
    self.baseline = baseline
    self.counted = counted
  }

  /// Audits both sides and compares them. Throws if a saved baseline cannot be read, or if nothing of a side can.
  public func run() throws(AuditError) -> Changes {
    var before = try Side(baseline, earlier, recorded, into: AuditSnapshot(keepsNotes: false, maximumHosts: maximumHosts))
    let after = Side(auditing: options, recorded, into: AuditSnapshot(maximumHosts: maximumHosts))
    try before.checkReadable(baseline, mayBeBaseline: true)
    for input in options.inputs { try after.checkReadable(input) }
    var runs = ComparedRuns(baseline: before.run, current: after.run)
    if before.isKept {
      runs.baselineFile = baseline.displayName
      let differences = runs.differences.joined(separator: "; ")
      if !differences.isEmpty {
        let note = "the baseline was judged with other settings, which may cause changes: \(differences)"
        before.outcome.warnings.append("\(DisplayText.escaped(baseline.displayName)): \(note)")
        runs.notes.append(note)
      }
      try before.select(baseline, like: after, options)
    }
    // Both sides read the same key logs, and may read the same capture.
    let known = Set(before.outcome.summary.inputs)
    runs.inputs = before.outcome.summary.inputs + after.outcome.summary.inputs.filter { !known.contains($0) }
    runs.summary = after.outcome.summary
    runs.settings = options.judging.programs.main?.settingLines
    for (side, unlisted) in [("baseline", before.snapshot.unlisted), ("current", after.snapshot.unlisted)] where unlisted > 0 {
      runs.notes.append(
        unlisted.counted("session{s} of the \(side) side belong{s|} to hosts beyond the limit and {is|are} not compared"))
    }
    return Changes(
      baseline: before.outcome, current: after.outcome, usesSavedBaseline: before.isKept,
      diff: AuditDiff(baseline: before.snapshot, current: after.snapshot, counting: counted), runs: runs, snapshot: after.snapshot)
  }

  /// The options for an audit of the baseline. Unusable files are reported once.
  private var earlier: AuditOptions {
    var earlier = options
    earlier.inputs = [baseline]
    earlier.unusable = []
    return earlier
  }

  /// Returns a result without changes, whose reports contain the error of a comparison that was not possible.
  package func result(failing error: AuditError) -> Changes {
    var runs = ComparedRuns(baseline: earlier.runRecord("diff", .json, recorded), current: options.runRecord("diff", .json, recorded))
    runs.inputs = [error.input(.other)].compactMap { $0 }
    runs.areCompared = false
    let empty = AuditSnapshot(keepsNotes: false)
    return Changes(
      baseline: RunOutcome(faults: [error]), current: RunOutcome(), usesSavedBaseline: false,
      diff: AuditDiff(baseline: empty, current: empty, counting: counted), runs: runs, snapshot: empty)
  }

  /// The changes between the two audits.
  public struct Changes: Report {
    /// The formats: those of an audit except ECS, which has no fields for changes.
    public enum Format: String, CaseIterable, ReportFormat {
      /// The formats of these names in ``ReportOptions/Format``.
      case text, json, ndjson, csv, html, sarif, junit, markdown
    }

    /// The outcome of reading the baseline.
    public let baseline: RunOutcome

    /// The outcome of reading the current inputs.
    public let current: RunOutcome

    /// Whether the earlier side is a saved baseline, not an input that was audited.
    public let usesSavedBaseline: Bool

    /// The comparison of the results.
    public fileprivate(set) var diff: AuditDiff

    fileprivate var runs: ComparedRuns
    fileprivate let snapshot: AuditSnapshot

    /// The combined outcome of reading both; the summary and the number of judged sessions are those of the current inputs.
    public var outcome: RunOutcome {
      RunOutcome(
        summary: current.summary, faults: baseline.faults + current.faults, warnings: baseline.warnings + current.warnings,
        judged: current.judged, hitLimit: baseline.hitLimit || current.hitLimit)
    }

    /// Whether a change is a regression that counts and is not accepted.
    public var isWorse: Bool { diff.isWorse }

    /// The number of regressions that are neither accepted nor counted as failures.
    package var uncountedRegressions: Int { diff.uncountedRegressions }

    /// The audit of the current inputs as a baseline for a later comparison: an object of the schema `atscope.baseline/1`.
    public var baselineJSON: Bytes { snapshot.json(runs.current) }

    /// The reason that the current inputs are no basis for later comparisons, as a clause; nil if they are.
    package var baselineObstacle: String? {
      if !current.faults.isEmpty { return "an input could not be read completely" }
      return current.judged == 0 ? "no session was judged" : nil
    }

    /// Adds the sides with fewer judged sessions than required to the reports. Of the baseline, only `isStrict` requires one.
    package mutating func require(_ minimum: Int?, isStrict: Bool) {
      let sides: [(String, Int?, Int?)] = [("current", current.judged, minimum), ("baseline", baseline.judged, nil)]
      let shortfalls = sides.compactMap { side, judged, minimum in
        judged.flatMap { RequiredSessions(minimum, isStrict: isStrict).shortfall(judged: $0) }.map { "\(side) side: \($0)" }
      }
      if !shortfalls.isEmpty { runs.summary.shortfall = shortfalls.joined(separator: "; ") }
    }

    /// Accepts the changes that a project accepts at a time; acceptances that have expired are in the report.
    public mutating func accept(_ project: ProjectFile, at time: Timestamp) {
      guard !project.accepted.isEmpty else { return }
      runs.today = time.date
      let (valid, expired) = project.accepted(at: time)
      diff.accept { change in
        valid.first { $0.covers(rule: change.subject.description, host: change.hostName, port: change.port) }.map {
          DisplayText.escaped("\($0.reason), until \($0.expires.date)")
        }
      }
      for old in expired {
        let expiry = "acceptance expired on \(old.expires.date)"
        runs.notes.append(DisplayText.escaped("\(expiry): \(old.host.text) \(old.rule), \(old.reason)"))
        diff.expire(DisplayText.escaped("\(expiry): \(old.reason)")) { rule, host, port in
          old.covers(rule: rule, host: host, port: port) && !valid.contains { $0.covers(rule: rule, host: host, port: port) }
        }
      }
    }

    /// The report in a format; JSON is an object of the schema `atscope.diff/1`.
    public func rendered(_ format: Format, width: Int, useColor: Bool) -> Bytes {
      let reports = DiffReports(diff, runs)
      return switch format {
      case .text: reports.text(TextOptions(width: width, useColor: useColor))
      case .json: reports.json()
      case .ndjson: reports.json(onOneLine: true)
      case .csv: reports.csv()
      case .junit: reports.junit()
      case .markdown: reports.markdown()
      case .html: reports.html()
      case .sarif: reports.sarif()
      }
    }
  }

  private struct Side {
    var snapshot: AuditSnapshot
    var outcome: RunOutcome
    let run: RunRecord
    var isKept = false

    /// Reads a saved baseline, or audits it as the input of the options.
    init(_ input: AuditInput, _ options: AuditOptions, _ recorded: [RunRecord.Setting], into empty: AuditSnapshot) throws(AuditError) {
      guard let bytes = try Side.keptBaseline(input, options) else {
        self.init(auditing: options, recorded, into: empty)
        return
      }
      let kept: AuditSnapshot
      do throws(JSONError) {
        kept = try AuditSnapshot(reading: bytes.span)
      } catch {
        throw AuditError(file: input.displayName, "not a usable baseline: \(DisplayText.escaped(error.description))")
      }
      guard let run = kept.run else {
        throw AuditError(file: input.displayName, "not a usable baseline: the record of its run is missing")
      }
      self.init(
        snapshot: kept,
        outcome: RunOutcome(
          warnings: kept.sessions == 0 ? ["\(DisplayText.escaped(input.displayName)): the baseline contains no session"] : [],
          judged: kept.sessions), run: run)
      isKept = true
    }

    /// Selects the hosts of a saved baseline like those of the current side.
    mutating func select(_ input: AuditInput, like current: Side, _ options: AuditOptions) throws(AuditError) {
      let name = DisplayText.escaped(input.displayName)
      if options.hosts.isEmpty && options.processes.isEmpty { return }
      guard options.processes.isEmpty || snapshot.namesProcesses || snapshot.sessions == 0 else {
        throw AuditError(file: input.displayName, "the baseline names no processes, so --process cannot select its hosts")
      }
      for pattern in options.hosts where IPAddress(pattern.text) != nil {
        outcome.warnings.append(
          "\(name): the baseline has no addresses of named hosts, so --host \(pattern.text) does not show which of them vanished")
      }
      let choice = SessionChoice(options)
      // The current side may select a named host by its address.
      snapshot.select(orIn: current.snapshot) { choice.takes(host: $0, port: $1, process: $2) }
      outcome.judged = snapshot.sessions
    }

    private init(snapshot: AuditSnapshot, outcome: RunOutcome, run: RunRecord) {
      self.snapshot = snapshot
      self.outcome = outcome
      self.run = run
    }

    /// Throws if no packet or session of the input could be read, because a comparison would show only the effects of that. Packets that
    /// cannot be decoded count as read.
    func checkReadable(_ input: AuditInput, mayBeBaseline: Bool = false) throws(AuditError) {
      let fault = outcome.faults.first { $0.file.map(input.contains) == true }
      guard let fault, outcome.judged == 0, outcome.summary.inputs.allSatisfy({ $0.packets == 0 && $0.error?.isOfSavedRun != true })
      else { return }
      let isReport = outcome.summary.inputs.contains { $0.error?.isReport == true }
      // Only a baseline is named like this, and the first run has none.
      let isMissing = input.displayName.hasSuffix(".json") && fault.cause == .noSuchFile
      let name = isMissing ? DisplayText.name(input.displayName) : "FILE"
      let hint = "; 'atscope diff INPUT INPUT --write-baseline \(name)' writes \(isMissing ? "the first" : "a") baseline"
      throw AuditError(
        file: fault.file ?? input.displayName,
        "cannot be compared: \(fault.reason)"
          + (mayBeBaseline && (isReport || isMissing) ? hint : ""), cause: fault.cause)
    }

    init(auditing options: AuditOptions, _ recorded: [RunRecord.Setting], into empty: AuditSnapshot) {
      var sink = JudgedSink(options, empty) { $0.add($1, $2) }
      var outcome = Audit.read(options, into: &sink)
      var snapshot = sink.finished()
      snapshot.finish()
      if snapshot.unlisted > 0 { outcome.hitLimit = true }
      self.init(snapshot: snapshot, outcome: outcome, run: options.runRecord("diff", .json, recorded))
    }

    /// The maximum size of a baseline: far more than the maximum number of hosts needs.
    private static let maximumLength = 256 << 20

    /// Returns the bytes of a saved baseline; nil for any other input, of which only the beginning is read. Throws if that cannot be read
    /// again.
    private static func keptBaseline(_ input: AuditInput, _ options: AuditOptions) throws(AuditError) -> Bytes? {
      guard input.path != "-", let file = options.reading.find([input]).files.first, let opened = try? InputOpener().openAnyKind(file)
      else { return nil }
      var source = opened.source
      let bytes = try? Bytes.reading(upTo: maximumLength) { buffer, start in
        // The reading ends if the input begins differently.
        let isOther = AuditSnapshot.isBaseline(buffer.span.extracting(first: min(start, 4096))) == false
        return isOther ? 0 : try source.read(into: &buffer, from: start)
      }
      if let bytes, AuditSnapshot.isBaseline(bytes.span) == true { return bytes }
      if input.canBeReadTwice { return nil }
      throw AuditError(file: input.displayName, "cannot be read twice, as a baseline requires: give '-', or save it to a file")
    }
  }
}
