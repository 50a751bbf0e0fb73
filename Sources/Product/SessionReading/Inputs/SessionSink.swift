package import SessionModel
package import SessionRecords

/// A receiver of the sessions of the inputs, one after another.
package protocol SessionSink: ~Copyable {
  /// Receives one session, in the order of the inputs, and within an input in the order of first packets.
  ///
  /// Throws to end the reading when results are no longer wanted.
  mutating func take(_ session: ObservedSession) throws(ReadingEnded)

  /// Receives the result of reading an input of an isolated run, after its sessions.
  mutating func take(_ input: InputRecord) throws(ReadingEnded)

  /// Drops what is known from earlier sessions: the next session belongs to another unit.
  mutating func beginUnit()

  /// A note on how the sessions were processed; nil if there is none.
  var warning: String? { get }

  /// The sessions that were judged and are in the results, by verdict; nil for a sink that does not judge.
  var judged: VerdictCounts? { get }

  /// The number of sessions that were judged and are not in the results, because they were not selected.
  var notShown: Int { get }
}

extension SessionSink where Self: ~Copyable {
  /// Does nothing: only some sinks report inputs.
  package mutating func take(_ input: InputRecord) throws(ReadingEnded) {}

  /// Does nothing: only some sinks judge in isolated runs.
  package mutating func beginUnit() {}

  package var warning: String? { nil }

  package var judged: VerdictCounts? { nil }

  package var notShown: Int { 0 }
}

/// The error by which a sink ends the reading, because the results are no longer wanted.
package struct ReadingEnded: Error, Sendable {
  package init() {}
}
