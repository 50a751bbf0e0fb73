import SessionModel
import SessionRecords
import Values

/// The sessions that several inputs have in common, such as those of a capture and of its compressed copy.
struct RepeatedSessions {
  /// The inputs so far, in the order read.
  private var inputs: [String] = []

  /// The index of the input that contains a session first, by the session's identifier.
  private var firstInputs: [UInt64: Int] = [:]

  /// The number of identifiers remembered of the current input.
  private var remembered = 0

  /// The inputs that reached a limit: they may have sessions that are not remembered.
  private var partlyRemembered: Set<Int> = []

  /// The numbers of sessions that two inputs have in common.
  private var common: [Pair: Int] = [:]

  private struct Pair: Hashable {
    let input: Int
    let earlier: Int
  }

  /// The maximum number of identifiers remembered of an input and of all inputs: copies of a capture already agree in the first sessions.
  private static let maximumIdentifiers = (ofInput: 4096, inAll: 65_536)

  /// The maximum number of pairs of inputs whose common sessions are counted.
  private static let maximumPairs = 4096

  /// The maximum number of warnings about pairs of inputs.
  private static let maximumWarnings = 10

  /// Begins an input, whose sessions are noted next.
  mutating func begin(_ name: String) {
    if isFull { partlyRemembered.insert(inputs.count - 1) }
    inputs.append(name)
    remembered = 0
  }

  mutating func note(_ session: borrowing ObservedSession) {
    // Sessions of the first input are only remembered.
    if inputs.count > 1 || !isFull { compare(SessionIdentifier(session).hash) }
  }

  /// Whether no further identifier is remembered of the current input.
  private var isFull: Bool {
    remembered >= RepeatedSessions.maximumIdentifiers.ofInput || firstInputs.count >= RepeatedSessions.maximumIdentifiers.inAll
  }

  private mutating func compare(_ identifier: UInt64) {
    let input = inputs.count - 1
    if let earlier = firstInputs[identifier] {
      // A path that is given twice is reported as such.
      guard input >= 0, earlier != input, inputs[earlier] != inputs[input] else { return }
      let pair = Pair(input: input, earlier: earlier)
      if common[pair] != nil || common.count < RepeatedSessions.maximumPairs { common[pair, default: 0] += 1 }
    } else if !isFull {
      firstInputs[identifier] = input
      remembered += 1
    }
  }

  /// A warning for each pair of inputs, up to a limit.
  var warnings: [String] {
    let pairs = common.sorted { ($0.key.input, $0.key.earlier) < ($1.key.input, $1.key.earlier) }
    var warnings: [String] = []
    for (pair, count) in pairs.prefix(RepeatedSessions.maximumWarnings) {
      let atLeast = partlyRemembered.contains(pair.earlier) ? "at least " : ""
      let (name, earlier) = (DisplayText.escaped(inputs[pair.input]), DisplayText.escaped(inputs[pair.earlier]))
      warnings.append(
        "\(atLeast)\(count.counted("session{s}")) of \(name) \(count.form(of: "{is|are}")) also in \(earlier), so \(count.form(of: "{it counts|they count}")) twice"
      )
    }
    let others = pairs.count - min(pairs.count, RepeatedSessions.maximumWarnings)
    if others > 0 { warnings.append("\(others.counted("further pair{s}")) of inputs \(others.form(of: "{has|have}")) sessions in common") }
    return warnings
  }
}
