import SessionModel
import SessionRecords
import Values

/// Remembers of the sessions of all inputs what warnings at the end are about. A class, because the readings of captures share it.
final class SeenSessions {
  private var isEmpty = true

  /// The files and folders of chains that have fitted no session so far.
  private var unusedChains: [ChainArgument]

  /// The hosts and ports for which chains were looked up.
  private var endpoints: Set<String> = []

  /// The maximum number of hosts and ports remembered; further ones are looked up for each session.
  private static let maximumEndpoints = 65_536

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

  private let comparesInputs: Bool

  init(chains: SuppliedChains, comparesInputs: Bool = true) {
    unusedChains = chains.arguments
    self.comparesInputs = comparesInputs
  }

  /// Begins an input, whose sessions are noted next.
  func begin(_ name: String) {
    if isFull { partlyRemembered.insert(inputs.count - 1) }
    inputs.append(name)
    remembered = 0
  }

  func note(_ session: borrowing ObservedSession) {
    isEmpty = false
    if comparesInputs, inputs.count > 1 || !isFull { compare(SessionIdentifier(session).hash) }
    if !unusedChains.isEmpty, let name = session.serverName { lookUpChains(for: name, port: session.hostPort) }
  }

  private func lookUpChains(for name: String, port: UInt16) {
    let endpoint = SuppliedChains.endpoint(name, port)
    if endpoints.contains(endpoint) { return }
    if endpoints.count < SeenSessions.maximumEndpoints { endpoints.insert(endpoint) }
    unusedChains.removeAll { $0.fits(name, endpoint) }
  }

  /// Whether no further identifier is remembered of the current input.
  private var isFull: Bool {
    remembered >= SeenSessions.maximumIdentifiers.ofInput || firstInputs.count >= SeenSessions.maximumIdentifiers.inAll
  }

  private func compare(_ identifier: UInt64) {
    let input = inputs.count - 1
    if let earlier = firstInputs[identifier] {
      // A path that is given twice is reported as such.
      guard input >= 0, earlier != input, inputs[earlier] != inputs[input] else { return }
      let pair = Pair(input: input, earlier: earlier)
      if common[pair] != nil || common.count < SeenSessions.maximumPairs { common[pair, default: 0] += 1 }
    } else if !isFull {
      firstInputs[identifier] = input
      remembered += 1
    }
  }

  /// The maximum number of pairs of inputs whose common sessions are counted.
  private static let maximumPairs = 4096

  /// The maximum number of warnings about inputs with common sessions.
  private static let maximumWarnings = 10

  /// The warnings about the sessions as a whole.
  var warnings: [String] {
    let pairs = common.sorted { ($0.key.input, $0.key.earlier) < ($1.key.input, $1.key.earlier) }
    var warnings = isEmpty ? [] : unusedChains.map(\.warning)
    for (pair, count) in pairs.prefix(SeenSessions.maximumWarnings) {
      let atLeast = partlyRemembered.contains(pair.earlier) ? "at least " : ""
      let (name, earlier) = (DisplayText.escaped(inputs[pair.input]), DisplayText.escaped(inputs[pair.earlier]))
      warnings.append(
        "\(atLeast)\(count.counted("session")) of \(name) \(count.form(of: "is", "are")) also in \(earlier), so \(count.form(of: "it counts", "they count")) twice"
      )
    }
    let others = pairs.count - min(pairs.count, SeenSessions.maximumWarnings)
    if others > 0 { warnings.append("\(others.counted("further pair")) of inputs \(others.form(of: "has", "have")) sessions in common") }
    return warnings
  }
}
