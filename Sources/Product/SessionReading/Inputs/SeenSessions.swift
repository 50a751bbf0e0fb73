import SessionModel
import Values

/// Collects the warnings about the sessions of all inputs as a whole. A class, because the readings of captures share it.
final class SeenSessions {
  private var unusedChains: UnusedChains

  /// The sessions that inputs have in common; nil if sessions are not counted.
  private var repeated: RepeatedSessions?

  /// Whether the process of a session is known.
  private(set) var hasProcesses = false

  init(chains: SuppliedChains, comparesInputs: Bool = true) {
    unusedChains = UnusedChains(chains)
    repeated = comparesInputs ? RepeatedSessions() : nil
  }

  /// Begins an input, whose sessions are noted next.
  func begin(_ name: String) { repeated?.begin(name) }

  func note(_ session: borrowing ObservedSession) {
    if session.process?.name != nil { hasProcesses = true }
    unusedChains.note(session)
    repeated?.note(session)
  }

  var warnings: [String] { unusedChains.warnings + (repeated?.warnings ?? []) }
}
