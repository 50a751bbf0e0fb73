import SessionObservation

/// Takes the sessions of the inputs one after another.
protocol SessionSink: ~Copyable {
  /// Takes one session; sessions come in the order of the inputs, and within one in that of their first packets.
  ///
  /// Throws to end the reading, when nobody wants the results any more.
  mutating func take(_ session: ObservedSession) throws(ReadingEnded)

  /// What is worth knowing of how the sessions were taken; nil for nothing.
  var warning: String? { get }

  /// How many of the sessions were judged and are among the results; nil for a sink that does not judge.
  var judged: Int? { get }
}

extension SessionSink where Self: ~Copyable {
  /// Nothing, unless the sink says otherwise.
  var warning: String? { nil }

  /// Nil, unless the sink judges.
  var judged: Int? { nil }
}

/// Nobody wants the results any more.
struct ReadingEnded: Error, Sendable {}
