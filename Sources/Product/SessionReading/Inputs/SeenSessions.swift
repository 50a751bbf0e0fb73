import SessionModel

/// Remembers of the sessions of all inputs what warnings at the end are about. A class, because the readings of captures share it.
final class SeenSessions {
  private var isEmpty = true

  /// The files and folders of chains that have fitted no session so far.
  private var unusedChains: [ChainArgument]

  /// The hosts and ports for which chains were looked up.
  private var endpoints: Set<String> = []

  /// The maximum number of hosts and ports remembered; further ones are looked up for each session.
  private static let maximumEndpoints = 65_536

  init(chains: SuppliedChains) { unusedChains = chains.arguments }

  func note(_ session: borrowing ObservedSession) {
    isEmpty = false
    if !unusedChains.isEmpty, let name = session.serverName { lookUpChains(for: name, port: session.hostPort) }
  }

  private func lookUpChains(for name: String, port: UInt16) {
    let endpoint = SuppliedChains.endpoint(name, port)
    if endpoints.contains(endpoint) { return }
    if endpoints.count < SeenSessions.maximumEndpoints { endpoints.insert(endpoint) }
    unusedChains.removeAll { $0.fits(name, endpoint) }
  }

  /// The warnings about the sessions as a whole.
  var warnings: [String] { isEmpty ? [] : unusedChains.map(\.warning) }
}
