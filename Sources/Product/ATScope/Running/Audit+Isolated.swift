package import ByteParsing
import SessionReading
import SessionRecords

extension Audit {
  /// Audits each unit of the inputs as in a separate run, and writes the reports one after another through `write`, which returns false
  /// once its reader is gone.
  package func writeUnits(_ report: ReportOptions, while write: @escaping (Bytes) -> Bool) -> RunOutcome {
    var total = IsolatedTotal()
    var list: InputList?
    do throws(AuditError) {
      list = try options.list?()
    } catch {
      total.add(faults: [error])
    }
    var units = InputUnits(named: options.inputs, list: list)
    // A key log may be a pipe, which can be read only once.
    var keyLogs = KeyLogs()
    keyLogs.read(options.reading.keyLogs)
    // Faults are reported even if no unit follows.
    total.add(faults: options.unusable + keyLogs.faults)
    var writer = ReportWriter(options, report, [], write)
    let run = options.runRecord(report, report.format)
    while !total.endedEarly, let unit = units.next() {
      total.add(faults: units.faults)
      units.faults.removeAll()
      if let input = unit.inputs.first(where: { $0.path.map { options.isReplaced?($0) == true } ?? false }) {
        let name = input.path ?? input.displayName
        total.add(faults: [AuditError(file: name, "is an input, which the result would overwrite", cause: .invalidRequest)])
        total.endedEarly = true
        break
      }
      var own = options
      own.inputs = unit.inputs
      own.reading.unit = unit.name
      writer.begin(own, like: run)
      var reading = own.inputReading(keyLogs: keyLogs)
      let outcome = Audit.outcome(of: &reading, own, into: &writer)
      let summary = writer.complete(outcome.summary)
      writer.end(summary)
      total.add(outcome, summary)
    }
    total.add(faults: units.faults)
    return total.outcome(judges: report.judges)
  }
}

/// The combined outcome of the units of an isolated run; the reports of the units contain the inputs.
private struct IsolatedTotal {
  var endedEarly = false
  private var summary = SummaryRecord()
  private var verdicts = VerdictCounts()
  private var faults: [AuditError] = []
  private var warnings: [String] = []
  private var hitLimit = false

  /// The warnings and faults already reported, such as those of a key log, which all units use.
  private var seen = Set<String>()

  mutating func add(faults errors: [AuditError]) {
    faults += errors.filter { seen.insert($0.description).inserted }
  }

  mutating func add(_ outcome: RunOutcome, _ unit: SummaryRecord) {
    add(faults: outcome.faults)
    warnings += outcome.warnings.filter { seen.insert($0).inserted }
    summary.sessions += unit.sessions
    summary.notShown += unit.notShown
    if let counts = unit.verdicts { verdicts.add(counts) }
    if outcome.hitLimit { hitLimit = true }
    if outcome.endedEarly { endedEarly = true }
  }

  func outcome(judges: Bool) -> RunOutcome {
    var summary = summary
    var warnings = warnings
    if judges { summary.verdicts = verdicts }
    if judges, verdicts.total == 0, !endedEarly { warnings.append("no session was judged in any unit") }
    return RunOutcome(
      summary: summary, faults: faults, warnings: warnings, judged: judges ? verdicts.total : nil,
      hitLimit: hitLimit, endedEarly: endedEarly)
  }
}
