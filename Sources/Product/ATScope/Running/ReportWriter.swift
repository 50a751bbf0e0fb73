import ATSEvaluation
import ByteParsing
import PolicyResolution
import Reporting
import SessionModel
import SessionReading
import SessionRecords
import TrustEvaluation

struct ReportWriter: SessionSink, ~Copyable {
  private var options: AuditOptions
  private let choice: SessionChoice
  private let report: ReportOptions
  private var judge: ProgramJudges
  private var outputs: [ReportOutput]
  private let gathersHosts: Bool
  private var hosts = HostCollector()
  /// The hosts of each process, for a text that is grouped by process.
  private var processHosts: HostCollector?
  private var processes = ProcessCollector()
  private var shown = 0
  private(set) var notShown = 0
  private var verdicts = VerdictCounts()
  private var contexts: [LoadContext: Int] = [:]

  init(_ options: AuditOptions, _ report: ReportOptions, _ further: [ReportDestination], _ write: @escaping (Bytes) -> Bool) {
    self.options = options
    choice = SessionChoice(options)
    self.report = report
    judge = ProgramJudges(options.judging)
    let settings = report.judges ? options.judging.programs.main?.settingLines : nil
    outputs = [ReportOutput(report.format, report.sessionReport(report.format, settings: settings), write)]
    for (format, write) in further {
      outputs.append(ReportOutput(format, report.sessionReport(format, settings: settings, isMain: false), write))
    }
    gathersHosts = report.judges && outputs.contains { $0.needsHosts }
    if gathersHosts, report.grouping == .process, outputs.contains(where: { $0.format == .text }) {
      processHosts = HostCollector(byProcess: true)
    }
  }

  var warning: String? { judge.warning(for: choice) }

  var judged: VerdictCounts? { report.judges ? verdicts : nil }
  var waitsForEnd: Bool { outputs.allSatisfy(\.waitsForEnd) }

  mutating func begin() {
    for index in outputs.indices { outputs[index].begin(options.runRecord(report, outputs[index].format)) }
  }

  /// Begins the report of the next unit of an isolated run. `first` is the run record of the first unit.
  mutating func begin(_ unit: AuditOptions, like first: RunRecord) {
    options = unit
    (shown, notShown, verdicts, processes, contexts) = (0, 0, VerdictCounts(), ProcessCollector(), [:])
    beginUnit()
    var run = first
    run.inputs = unit.inputNames
    run.options.removeAll { $0.name == "unit" }
    if let name = unit.reading.unit { run.options.append(RunRecord.Setting("unit", .text(name))) }
    for index in outputs.indices { outputs[index].begin(run) }
  }

  mutating func beginUnit() {
    judge = ProgramJudges(options.judging)
    for index in outputs.indices { outputs[index].beginUnit() }
  }

  mutating func take(_ input: InputRecord) throws(ReadingEnded) {
    for index in outputs.indices { outputs[index].append(input) }
    if !outputs.contains(where: \.isWanted) { throw ReadingEnded() }
  }

  mutating func take(_ session: ObservedSession) throws(ReadingEnded) {
    let isShown = choice.takes(session)
    if report.judges {
      // Sessions that are not shown are judged too: their intermediates may complete the chains of later sessions.
      let judgement = judge.judge(session)
      if isShown {
        count(session, judgement)
        return try write(session, judgement)
      }
    } else if isShown {
      return try write(session, nil)
    }
    notShown += 1
  }

  private mutating func count(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    verdicts.add(judgement)
    processes.add(session, judgement)
    if judgement.policy.contextSource == .process, judgement.policy.context != .app {
      contexts[judgement.policy.context, default: 0] += 1
    }
    if gathersHosts { hosts.add(session, judgement) }
    processHosts?.add(session, judgement)
  }

  private mutating func write(_ session: ObservedSession, _ judgement: Shared<Judgement>?) throws(ReadingEnded) {
    shown += 1
    var isWanted = false
    for index in outputs.indices {
      outputs[index].append(session, judgement)
      if outputs[index].isWanted { isWanted = true }
    }
    if !isWanted { throw ReadingEnded() }
  }

  /// Adds the counts of selected sessions.
  func complete(_ summary: SummaryRecord) -> SummaryRecord {
    var summary = summary
    summary.sessions = shown
    guard report.judges else { return summary }
    summary.shortfall = report.requiredSessions.shortfall(judged: verdicts.total)
    summary.processes = processes.report()
    summary.sessionsByProcessContext = contexts
    if processes.unlisted > 0 {
      summary.limits.append(NamedCount("processes", "session{s} of further processes", count: UInt64(processes.unlisted)))
    }
    return summary
  }

  mutating func end(_ summary: SummaryRecord) {
    for index in outputs.indices {
      var own = summary
      let takesHosts = gathersHosts && outputs[index].needsHosts
      if takesHosts {
        own.hosts = hosts.hostCount
        let unlisted = hosts.unlistedHosts.total
        // Other formats have their own wording.
        if unlisted > 0, outputs[index].format == .json {
          own.limits.append(NamedCount("unlistedHosts", "host{s} that {is|are} counted and not listed", count: UInt64(unlisted)))
        }
      }
      let shown = outputs[index].format == .text ? processHosts ?? hosts : hosts
      outputs[index].end(takesHosts ? shown : nil, own)
    }
  }
}

extension AuditOptions {
  fileprivate var inputNames: [String] { inputs.map(\.displayName) }

  private static let releaseAtSession =
    "iOS of each session's time (\(SystemRelease.firstWithATS.release.displayName) for those before "
    + "\(SystemRelease.firstWithATS.since.date))"

  /// Returns the record of a run, with everything that affects the result.
  func runRecord(_ report: ReportOptions, _ format: ReportOptions.Format) -> RunRecord {
    var run = RunRecord(toolVersion: Audit.version, policyVersion: Audit.policyVersion, command: report.judges ? "audit" : "sessions")
    run.inputs = inputNames
    run.options = [
      RunRecord.Setting("format", .text(format.rawValue)), RunRecord.Setting("allow-incomplete", .boolean(reading.allowsIncomplete)),
      RunRecord.Setting("digest", .boolean(reading.computesDigests)), RunRecord.Setting("host", .texts(hosts.map(\.text))),
    ]
    run.options += reading.settings + processSettings
    if !reading.keyLogs.isEmpty {
      run.options.append(RunRecord.Setting("keylog", .texts(reading.keyLogs)))
    }
    run.isRejudgeable = report.fields != .compact
    guard report.judges else {
      run.options += report.settings
      return run
    }
    let assumptions = judging.assumptions(under: judging.programs.main)
    run.options += [
      RunRecord.Setting("os", .text(assumptions.isReleaseAtSession ? "at-session" : assumptions.release.name)),
      RunRecord.Setting("context", .text(assumptions.context.rawValue)),
      RunRecord.Setting("at", assumptions.judgedAt.map { .text($0.description) } ?? .null),
    ]
    run.options += report.settings
    run.assumptions = [
      RunRecord.Setting("contextSource", .text(assumptions.contextSource.rawValue)),
      RunRecord.Setting("sdk", .text((assumptions.sdk ?? assumptions.release).name)),
      RunRecord.Setting("appOverridesTrust", .boolean(assumptions.appOverridesTrust)),
      RunRecord.Setting("appleBundle", .boolean(assumptions.isAppleBundle)),
    ]
    run.releaseName = assumptions.isReleaseAtSession ? AuditOptions.releaseAtSession : assumptions.release.displayName
    run.project = project.map { RunRecord.Source(file: $0.file, sha256: $0.sha256) }
    run.infoPlists = judging.programs.records(under: assumptions)
    let anchors = judging.anchors
    // The digest over all roots takes longer than reading them, and text does not contain it.
    if format != .text { run.roots = anchors.roots(under: assumptions) }
    run.rootsName = anchors.name(under: assumptions)
    run.anchors = anchors.added
    run.intermediates = anchors.intermediates
    if !anchors.store.takesShownIntermediates {
      run.assumptions.append(RunRecord.Setting("takesShownIntermediates", .boolean(false)))
    }
    run.logList = judging.status.logListRecord
    run.revocations = judging.status.revocationRecords
    run.chains = judging.chains.records
    return run
  }

  /// Returns the record of a command that judges but does not report individual sessions, with everything that affects its result.
  func runRecord(_ command: String, _ format: ReportOptions.Format, _ recorded: [RunRecord.Setting] = []) -> RunRecord {
    var report = ReportOptions()
    report.recorded = recorded
    var run = runRecord(report, format)
    run.command = command
    return run
  }
}
