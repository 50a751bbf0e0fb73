package import ATSEvaluation
package import ByteParsing
package import SessionModel
package import SessionRecords

/// A report that is written as sessions arrive, as far as it does not depend on the end of the run.
package protocol SessionReport {
  /// Whether ``end(_:_:to:)`` is to be given the hosts; gathering them costs memory.
  var needsHosts: Bool { get }

  /// Whether nothing is appended before ``end(_:_:to:)``, so that a run can begin again.
  var waitsForEnd: Bool { get }

  /// Whether ``append(_:_:to:)`` does anything.
  var takesSessions: Bool { get }

  /// Appends what precedes the sessions.
  mutating func begin(_ run: RunRecord, to output: inout Bytes)

  /// Begins the next unit of an isolated run, within the report.
  mutating func beginUnit()

  /// Appends a session; without a judgement for commands that do not judge.
  mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes)

  /// Appends what became of an input of an isolated run, after its sessions.
  mutating func append(_ input: InputRecord, to output: inout Bytes)

  /// Appends what follows the sessions; `hosts` is nil for commands that do not judge.
  mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes)

  /// The same; `flush` takes what was appended so far out of the output, where that is much.
  mutating func end(
    _ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void)
}

extension SessionReport {
  /// Most reports begin at once.
  package var waitsForEnd: Bool { false }

  package mutating func beginUnit() {}

  package mutating func append(
    _ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes
  ) {}

  package mutating func append(_ input: InputRecord, to output: inout Bytes) {}

  package mutating func end(
    _ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void
  ) {
    end(hosts, summary, to: &output)
  }

  package var takesSessions: Bool { true }
}
