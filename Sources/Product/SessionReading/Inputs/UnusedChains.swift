import SessionModel

/// The files and folders of supplied chains that have fitted no session so far, or cannot be what a server sent.
struct UnusedChains {
  private var chains: [ChainArgument]

  /// The warnings about chains that begin with a CA.
  private var misordered: [String] = []

  /// The hosts of sessions that a file or folder fits and that no chain settles, the first for each path.
  private var unsettled: [String: String] = [:]

  /// The hosts and ports for which chains were looked up.
  private var endpoints: Set<String> = []

  /// Whether no session was noted.
  private var isEmpty = true

  /// The maximum number of hosts and ports remembered; further ones are looked up for each session.
  private static let maximumEndpoints = 65_536

  init(_ chains: SuppliedChains) { self.chains = chains.arguments.filter { !$0.isEmpty } }

  mutating func note(_ session: borrowing ObservedSession) {
    isEmpty = false
    guard !chains.isEmpty, let name = session.serverName else { return }
    let endpoint = SuppliedChains.endpoint(name, session.hostPort)
    if endpoints.contains(endpoint) { return }
    if let tls = session.sharedTLS, tls.chain == nil, !SuppliedChains.mayApply(to: session) {
      for chain in chains where unsettled[chain.path] == nil && chain.fits(name, endpoint) { unsettled[chain.path] = name }
      return
    }
    if endpoints.count < UnusedChains.maximumEndpoints { endpoints.insert(endpoint) }
    misordered += chains.filter { $0.fits(name, endpoint) }.compactMap { $0.warning(for: name) }
    chains.removeAll { $0.fits(name, endpoint) }
  }

  /// The warnings about chains that begin with a CA, and one for each file and folder; none if there was no session.
  var warnings: [String] {
    misordered + (isEmpty ? [] : chains.map { chain in unsettled[chain.path].map(chain.warning(unsettled:)) ?? chain.warning })
  }
}
