import ATSEvaluation
import ATSRules
public import ByteParsing
import SessionModel
import SessionReading
import SessionRecords
import TrustEvaluation

/// Judges every session of the inputs. The results are in memory, passed on one session at a time, or a report.
public struct Audit: Sendable {
  /// The version of the program.
  public static let version = "0.2.0"

  /// The version of the policy: rules, weights and grades (`docs/scoring.md`).
  public static let policyVersion = RuleCatalogue.policyVersion

  let options: AuditOptions

  /// Creates an audit.
  public init(_ options: AuditOptions) { self.options = options }

  /// The sessions in the order of the inputs, and within an input in the order of first packets.
  public struct JudgedSessions: Sendable {
    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The selected sessions, including those of inputs that could not be read completely.
    public let sessions: [JudgedSession]
  }

  /// Audits the inputs and returns every session in memory, including those of inputs that could not be read completely.
  public func run() -> JudgedSessions {
    func sink() -> JudgedSink<[JudgedSession]> {
      JudgedSink(options, []) { $0.append(JudgedSession($1, $2)) }
    }
    var collector = sink()
    if let outcome = Audit.readOnce(options, into: &collector) { return JudgedSessions(outcome: outcome, sessions: collector.finished()) }
    collector = sink()
    let outcome = Audit.read(options, into: &collector)
    return JudgedSessions(outcome: outcome, sessions: collector.finished())
  }

  /// Audits the inputs and returns every session in memory.
  ///
  /// Throws if an input, or a file for judging, cannot be used or read completely. An audit without sessions does not throw: a test must
  /// check for that.
  public func sessions() throws(IncompleteRunError) -> [JudgedSession] {
    let result = run()
    try result.outcome.requireComplete()
    return result.sessions
  }

  /// Audits the inputs and passes on each session as soon as it is judged, in the order of first packets. Reading ends if `body` throws.
  ///
  /// Memory does not grow with the number of sessions. The outcome lists inputs that could not be read completely;
  /// ``RunOutcome/requireComplete()`` throws for them.
  public func forEachSession<Failure: Error>(_ body: (JudgedSession) throws(Failure) -> Void) throws(Failure) -> RunOutcome {
    try withoutActuallyEscaping(body) { body throws(Failure) in
      var sink = JudgedSink(options, nil as Failure?) { failure, session, judgement throws(ReadingEnded) in
        do throws(Failure) {
          try body(JudgedSession(session, judgement))
        } catch {
          failure = error
          throw ReadingEnded()
        }
      }
      let outcome = Audit.read(options, into: &sink)
      if let failure = sink.finished() { throw failure }
      return outcome
    }
  }

  /// Audits the inputs and writes a report incrementally through `write`.
  ///
  /// The `further` reports are written in the same run. A report whose closure throws is not continued; reading ends once none is left. The
  /// first error is thrown at the end.
  public func write<Failure: Error>(
    _ report: ReportOptions, further: [FurtherReport<Failure>] = [], to write: @escaping (Bytes) throws(Failure) -> Void
  ) throws(Failure) -> RunOutcome {
    let first = FirstFailure<Failure>()
    let outcome = self.write(
      report, further: further.map { ($0.format, first.catching($0.write)) }, while: first.catching(write))
    try first.rethrow()
    return outcome
  }

  /// Audits the inputs and writes reports through closures that return false once their readers are gone. Reading ends once none is left.
  package func write(_ report: ReportOptions, further: [ReportDestination], while write: @escaping (Bytes) -> Bool) -> RunOutcome {
    var writer = ReportWriter(options, report, further, write)
    writer.begin()
    if writer.waitsForEnd {
      if let outcome = Audit.readOnce(options, into: &writer) { return Audit.end(&writer, outcome) }
      writer = ReportWriter(options, report, further, write)
      writer.begin()
    }
    let outcome = Audit.read(options, into: &writer)
    return Audit.end(&writer, outcome)
  }

  private static func end(_ writer: inout ReportWriter, _ outcome: RunOutcome) -> RunOutcome {
    var whole = outcome
    whole.summary = writer.complete(outcome.summary)
    writer.end(whole.summary)
    return whole
  }

  /// Reads the inputs into a sink. Captures that may have secrets after the packets they decrypt are read twice. The key logs in `keyLogs`
  /// have been read and are not read again.
  static func read(_ options: AuditOptions, keyLogs: KeyLogs? = nil, into sink: inout some SessionSink & ~Copyable) -> RunOutcome {
    let (options, warning) = withCapturedChains(options)
    var reading = options.inputReading(keyLogs: keyLogs)
    var outcome = outcome(of: &reading, options, into: &sink)
    if let warning { outcome.warnings.append(warning) }
    return outcome
  }

  /// Reads each input once into a sink; returns nil, and the sink must be discarded, in the rare case that secrets were missed.
  private static func readOnce(_ options: AuditOptions, into sink: inout some SessionSink & ~Copyable) -> RunOutcome? {
    // Captured chains require two readings anyway.
    if options.judging.chains.takesCaptured { return nil }
    var reading = options.inputReading(looksAhead: false)
    let outcome = outcome(of: &reading, options, into: &sink)
    return reading.missedSecrets ? nil : outcome
  }

  /// Returns the options with the chains in the inputs themselves, if requested, and a warning about inputs that cannot be read twice.
  private static func withCapturedChains(_ options: AuditOptions) -> (AuditOptions, warning: String?) {
    guard options.judging.chains.takesCaptured else { return (options, nil) }
    var first = options
    first.judging.chains = SuppliedChains()
    first.unusable = []
    first.inputs = options.inputs.filter(\.canBeReadTwice)
    var collector = CapturedChains(chains: options.judging.chains)
    if !first.inputs.isEmpty { _ = read(first, into: &collector) }
    var options = options
    options.judging.chains = collector.chains
    return (
      options,
      first.inputs.count == options.inputs.count
        ? nil : "--chain captured takes no chains from a pipe, which cannot be read twice; save it to a file"
    )
  }

  static func outcome(of reading: inout InputReading, _ options: AuditOptions, into sink: inout some SessionSink & ~Copyable) -> RunOutcome
  {
    var endedEarly = false
    do throws(ReadingEnded) {
      try reading.read(options.inputs, into: &sink)
    } catch {
      endedEarly = true
    }
    var summary = SummaryRecord()
    summary.inputs = options.unusable.compactMap { $0.input(.option) } + reading.inputs
    summary.sessions = sink.judged?.total ?? 0
    summary.verdicts = sink.judged
    summary.notShown = sink.notShown
    summary.withoutHandshake = reading.silentServers.records
    if reading.silentServers.elsewhere > 0 {
      summary.limits.append(
        NamedCount(
          SummaryRecord.serversWithoutHandshake, "connection{s} without a handshake to {a |}further server{s}",
          count: reading.silentServers.elsewhere))
    }
    if reading.forgottenSessions > 0 {
      summary.limits.append(
        NamedCount(
          "rememberedSessions", "session{s}, ticket{s} {or|and} server{s} evicted for {a |}later one{s}", count: reading.forgottenSessions))
    }
    let unassumed = options.judging.chains.sessionsBeyondLimit
    if unassumed > 0 {
      summary.limits.append(
        NamedCount(
          "capturedChains", "session{s} whose chain{s} {is|are} not assumed for others, because there are too many",
          count: unassumed))
    }
    var outcome = RunOutcome(
      summary: summary, faults: options.unusable + reading.faults,
      warnings: reading.warnings + [sink.warning].compactMap { $0.map(DisplayText.escaped) },
      judged: sink.judged?.total, hitLimit: reading.hitLimit || unassumed > 0, endedEarly: endedEarly)
    // The fault of the only input is reported with its consequence.
    if outcome.judged == 0, !endedEarly, !options.reading.isIsolated, !outcome.isUnread {
      let choices = (options.hosts.isEmpty ? [] : ["--host"]) + (options.processes.isEmpty ? [] : ["--process"])
      outcome.warnings.append(
        summary.nothingJudged(
          of: options.inputs.map { $0.path ?? $0.displayName }, choices: choices, hasProcesses: reading.hasProcesses))
    }
    return outcome
  }

  /// A sink that collects the chains of sessions.
  private struct CapturedChains: SessionSink, ~Copyable {
    var chains: SuppliedChains

    mutating func take(_ session: ObservedSession) { chains.addCaptured(session) }
  }
}

extension Judge {
  /// Creates a judge with the options; `evaluator` is that of an earlier judge of the same sessions, which knows their chains.
  init(_ options: JudgingOptions, evaluator: TrustEvaluator? = nil) {
    self.init(
      dictionary: options.programs.main?.dictionary, assumptions: options.assumptions(under: options.programs.main),
      evaluator: evaluator ?? TrustEvaluator(options.anchors.store), status: options.status.evidence)
  }
}

extension ObservedSession {
  func isShown(_ patterns: [HostPattern]) -> Bool {
    if patterns.isEmpty { return true }
    let port = hostPort
    let names = [serverName, hostAddress.description].compactMap(\.self)
    return patterns.contains { pattern in
      names.contains { pattern.matches($0, port: port) }
        || pattern.matches(server.address.description, port: server.port)
    }
  }
}
