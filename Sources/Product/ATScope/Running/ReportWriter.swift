import ATSEvaluation
import ByteParsing
import PolicyResolution
import Reporting
import SessionObservation
import SessionRecords
import Values

/// Judges sessions as they come and writes the report of them.
struct ReportWriter: SessionSink, ~Copyable {
  private let options: AuditOptions
  private let report: ReportOptions
  private let write: (borrowing Bytes) -> Bool
  private var judge: Judge
  private var encoder = SessionEncoder()
  private var json = JSONReport()
  private var hosts = HostCollector()
  private let sessionsText: SessionsText
  private var output = Bytes()
  private var shown = 0
  private var notShown = 0
  private var verdicts = VerdictCounts()
  private var isWanted = true

  /// Bytes that are gathered before they are written.
  private static let chunk = 64 * 1024

  init(_ options: AuditOptions, _ report: ReportOptions, _ write: @escaping (borrowing Bytes) -> Bool) {
    self.options = options
    self.report = report
    self.write = write
    judge = Judge(options)
    sessionsText = SessionsText(
      TextOptions(width: report.width, useColor: report.useColor, onlyFailures: report.onlyFailures))
  }

  /// Writes what stands before the sessions.
  mutating func begin() {
    switch report.format {
    case .text: break
    case .ndjson:
      output.appendJSON(run)
      output.append(0x0A)
    case .json: json.begin(run, to: &output)
    }
  }

  mutating func take(_ session: ObservedSession) throws(ReadingEnded) {
    let isShown = session.isShown(options.hosts)
    guard report.command.judges else {
      if isShown { show(session, nil) } else { notShown += 1 }
      try flush(atLeast: ReportWriter.chunk)
      return
    }
    let judgement = judge.judge(session)
    guard isShown else {
      notShown += 1
      return
    }
    verdicts.add(judgement.content.verdict, isRelaxed: judgement.isRelaxed)
    show(session, judgement)
    try flush(atLeast: ReportWriter.chunk)
  }

  private mutating func show(_ session: ObservedSession, _ judgement: Judgement?) {
    shown += 1
    if report.format != .ndjson, let judgement { hosts.add(session, judgement) }
    switch report.format {
    case .text: if judgement == nil { sessionsText.append(session, to: &output) }
    case .json: json.append(session, judgement, to: &output)
    case .ndjson:
      encoder.append(session, judgement, to: &output)
      output.append(0x0A)
    }
  }

  private mutating func flush(atLeast count: Int) throws(ReadingEnded) {
    guard output.count >= count else { return }
    isWanted = isWanted && write(output)
    output.removeAll(keepingCapacity: true)
    if !isWanted { throw ReadingEnded() }
  }

  /// Adds the counts of what was shown.
  func complete(_ summary: SummaryRecord) -> SummaryRecord {
    var summary = summary
    summary.sessions = shown
    summary.notShown = notShown
    guard report.command.judges else { return summary }
    summary.verdicts = verdicts
    if report.format != .ndjson { summary.hosts = hosts.hostCount }
    return summary
  }

  /// Writes what stands behind the sessions. Returns false if nobody wanted it.
  mutating func end(_ summary: SummaryRecord) -> Bool {
    switch report.format {
    case .text:
      if report.command.judges {
        let text = TextReport(run: run, hosts: hosts, summary: summary)
        output.append(
          contentsOf: text.rendered(
            TextOptions(
              width: report.width, useColor: report.useColor, onlyFailures: report.onlyFailures)))
      }
    case .ndjson:
      output.appendJSON(summary)
      output.append(0x0A)
    case .json: json.end(report.command.judges ? hosts : nil, summary, to: &output)
    }
    return isWanted && write(output)
  }

  /// The record of the run: everything that decides the result.
  private var run: RunRecord {
    var run = RunRecord(
      toolVersion: Audit.version, policyVersion: Audit.policyVersion, command: report.command.rawValue)
    run.inputs = options.inputs
    run.options = [
      RunRecord.Setting("format", .text(report.format.rawValue)),
      RunRecord.Setting("allow-incomplete", .boolean(options.reading.allowIncomplete)),
      RunRecord.Setting("digest", .boolean(options.reading.digest)),
      RunRecord.Setting("host", .texts(options.hosts.map(\.text))),
    ]
    guard report.command.judges else { return run }
    let assumptions = judge.assumptions
    run.options += [
      RunRecord.Setting("os", .text(assumptions.release.name)),
      RunRecord.Setting("context", .text(assumptions.context.rawValue)),
      RunRecord.Setting("at", assumptions.judgedAt.map { .text($0.description) } ?? .null),
    ]
    run.options += report.settings.map { RunRecord.Setting($0.name, .text($0.value)) }
    run.assumptions = [
      RunRecord.Setting("contextSource", .text(assumptions.contextSource)),
      RunRecord.Setting("sdk", .text((assumptions.sdk ?? assumptions.release).name)),
      RunRecord.Setting("appOverridesTrust", .boolean(assumptions.appOverridesTrust)),
      RunRecord.Setting("appleBundle", .boolean(assumptions.isAppleBundle)),
    ]
    run.releaseName = assumptions.release.displayName
    if let plist = options.infoPlist {
      run.infoPlists = [RunRecord.Source(file: plist.file, sha256: plist.sha256)]
    }
    return run
  }
}
