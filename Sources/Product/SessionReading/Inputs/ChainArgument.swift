import CertificateParsing
import PolicyResolution
import SessionModel
import SessionRecords
import Values

/// A file or a folder of chains as the user gave it.
struct ChainArgument: Sendable {
  let path: String

  /// The lower-case hosts, or hosts and ports, for which its chains were supplied.
  private var hosts: Set<String> = []

  /// The chains for the hosts in their leaves.
  private var byNames: [Shared<AssumedChain>] = []

  private var count = 0

  /// Whether none of its files could be read.
  var isEmpty: Bool { count == 0 }

  /// The chain of a single file for a host, if its first certificate is a CA.
  private var authority: Shared<AssumedChain>?

  init(path: String) { self.path = path }

  mutating func add(_ assumed: Shared<AssumedChain>, host: String?) {
    count += 1
    if let host { hosts.insert(host) } else { byNames.append(assumed) }
    // What a folder contains is what servers sent.
    if host != nil, assumed.file == path, assumed.chain.certificates.first?.certificate.isCA == true { authority = assumed }
  }

  /// Whether it has a chain for a host, whose key in the table is `endpoint` if the port matters.
  func fits(_ name: String, _ endpoint: String) -> Bool {
    if hosts.contains(name) || hosts.contains(endpoint) { return true }
    let host = HostIdentity(name)
    return byNames.contains { SuppliedChains.names($0, host) }
  }

  /// The warning that the chain for a host begins with a CA that does not name it; nil if it does not.
  func warning(for name: String) -> String? {
    guard let authority, !SuppliedChains.names(authority, HostIdentity(name)) else { return nil }
    return "\(DisplayText.escaped(path)): the first certificate is a CA and does not name \(DisplayText.escaped(name)); "
      + "put the server's certificate first"
  }

  /// The warning that its chain settles no session with a host that it fits.
  func warning(unsettled name: String) -> String {
    "\(DisplayText.escaped(path)): not used for \(DisplayText.escaped(name)): Encrypted ClientHello may hide another host (--keylog shows it), "
      + "or the server has a raw public key"
  }

  /// The maximum number of hosts that a warning names.
  private static let maximumNames = 3

  /// The warning that no session has one of its hosts.
  var warning: String {
    let leaves = byNames.lazy.compactMap { $0.chain.certificates.first?.certificate }
    let names = hosts.union(leaves.flatMap(\.dnsNames)).sorted()
    let shown = names.map(DisplayText.escaped).joined(first: ChainArgument.maximumNames)
    let which = names.count == 1 ? "which is not" : "none of which is"
    let whose = names.isEmpty ? ", whose leaves name no host" : " for \(shown), \(which) in the captures"
    return "\(DisplayText.escaped(path)): has \(count.counted("chain{s}"))\(whose)"
  }
}
