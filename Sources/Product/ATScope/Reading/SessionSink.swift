import SessionModel
import SessionRecords

/// Takes the sessions of the inputs one after another.
protocol SessionSink: ~Copyable {
  /// Receives one session, in the order of the inputs, and within an input in the order of first packets.
  ///
  /// Throws to end the reading when results are no longer wanted.
  mutating func take(_ session: ObservedSession) throws(ReadingEnded)

  /// Takes what became of an input of an isolated run, after its sessions.
  mutating func take(_ input: InputRecord) throws(ReadingEnded)

  /// Forgets what earlier sessions showed: those that come belong to another unit.
  mutating func beginUnit()

  /// A note on how the sessions were processed; nil if there is none.
  var warning: String? { get }

  /// How many of the sessions were judged and are among the results; nil for a sink that does not judge.
  var judged: Int? { get }
}

extension SessionSink where Self: ~Copyable {
  /// Nothing, unless the sink reports inputs one by one.
  mutating func take(_ input: InputRecord) throws(ReadingEnded) {}

  /// Nothing, unless the sink judges in isolated runs.
  mutating func beginUnit() {}

  /// The default: none.
  var warning: String? { nil }

  /// Nil, unless the sink judges.
  var judged: Int? { nil }
}

/// The results are no longer wanted.
struct ReadingEnded: Error, Sendable {}
