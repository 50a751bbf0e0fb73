import SessionModel

/// The files and folders of supplied chains that have fitted no session so far.
struct UnusedChains {
  private var chains: [ChainArgument]

  /// The hosts and ports for which chains were looked up.
  private var endpoints: Set<String> = []

  /// Whether no session was noted.
  private var isEmpty = true

  /// The maximum number of hosts and ports remembered; further ones are looked up for each session.
  private static let maximumEndpoints = 65_536

  init(_ chains: SuppliedChains) { self.chains = chains.arguments }

  mutating func note(_ session: borrowing ObservedSession) {
    isEmpty = false
    guard !chains.isEmpty, let name = session.serverName else { return }
    let endpoint = SuppliedChains.endpoint(name, session.hostPort)
    if endpoints.contains(endpoint) { return }
    if endpoints.count < UnusedChains.maximumEndpoints { endpoints.insert(endpoint) }
    chains.removeAll { $0.fits(name, endpoint) }
  }

  /// A warning for each file and folder; none if there was no session.
  var warnings: [String] { isEmpty ? [] : chains.map(\.warning) }
}
