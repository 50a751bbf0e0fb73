package import ATSEvaluation
package import ByteParsing
package import SessionModel
package import SessionRecords

/// A report on sessions, written as sessions arrive as far as its format allows.
package protocol SessionReport {
  /// Whether ``end(_:_:to:flush:)`` requires the hosts; collecting them uses memory.
  var needsHosts: Bool { get }

  /// Whether nothing is appended before ``end(_:_:to:flush:)``, so that a run can start again.
  var waitsForEnd: Bool { get }

  /// Whether ``append(_:_:to:)`` appends anything.
  var takesSessions: Bool { get }

  /// Appends the part before the sessions.
  mutating func begin(_ run: RunRecord, to output: inout Bytes)

  /// Begins the next unit of an isolated run within the report.
  mutating func beginUnit()

  /// Appends a session; `judgement` is nil for commands that do not judge.
  mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes)

  /// Appends the result of reading an input of an isolated run, after its sessions.
  mutating func append(_ input: InputRecord, to output: inout Bytes)

  /// Appends the part after the sessions; `hosts` is nil for commands that do not judge. A report whose end is long calls `flush`, which
  /// may remove the output written so far.
  mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void)
}

extension SessionReport {
  /// False: sessions are written as they end.
  package var needsHosts: Bool { false }

  /// False: most reports begin at once.
  package var waitsForEnd: Bool { false }

  package mutating func beginUnit() {}

  package mutating func append(
    _ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes
  ) {}

  package mutating func append(_ input: InputRecord, to output: inout Bytes) {}

  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {}

  package var takesSessions: Bool { true }
}
