import SessionModel
import SessionRecords

/// Takes the sessions of the inputs one after another.
protocol SessionSink: ~Copyable {
  /// Takes one session; sessions come in the order of the inputs, and within one in that of their first packets.
  ///
  /// Throws to end the reading, when nobody wants the results any more.
  mutating func take(_ session: ObservedSession) throws(ReadingEnded)

  /// Takes what became of an input of an isolated run, after its sessions.
  mutating func take(_ input: InputRecord) throws(ReadingEnded)

  /// Forgets what earlier sessions showed: those that come belong to another unit.
  mutating func beginUnit()

  /// What is worth knowing of how the sessions were taken; nil for nothing.
  var warning: String? { get }

  /// How many of the sessions were judged and are among the results; nil for a sink that does not judge.
  var judged: Int? { get }
}

extension SessionSink where Self: ~Copyable {
  /// Nothing, unless the sink reports inputs one by one.
  mutating func take(_ input: InputRecord) throws(ReadingEnded) {}

  /// Nothing, unless the sink judges in isolated runs.
  mutating func beginUnit() {}

  /// Nothing, unless the sink says otherwise.
  var warning: String? { nil }

  /// Nil, unless the sink judges.
  var judged: Int? { nil }
}

/// Nobody wants the results any more.
struct ReadingEnded: Error, Sendable {}
