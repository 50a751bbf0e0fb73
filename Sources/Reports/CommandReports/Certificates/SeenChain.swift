import InfoPlistReading
import PolicyResolution
import PropertyLists
package import SessionModel
import SessionRecords
import Values

/// A chain that servers sent, with the hosts of their sessions.
package struct SeenChain: Sendable {
  /// The SHA-256 digest of the concatenated certificates, 64 hexadecimal digits.
  package let identifier: String

  package let chain: CertificateChain

  /// The capture of the first session with the chain.
  package let file: String

  package let firstFrame: UInt64
  package var sessions = 0

  /// The hosts of the sessions with the chain, by name or else by address, in the order of their first sessions.
  package private(set) var hosts: [String] = []

  /// The number of further hosts: beyond the limit, each session with a host that is not listed counts.
  package private(set) var furtherHosts = 0

  /// The maximum number of hosts kept for a chain; no known certificate has more names.
  package static let maximumHosts = 4096

  private var seen: Set<String> = []

  package init(identifier: String, chain: CertificateChain, file: String, firstFrame: UInt64) {
    self.identifier = identifier
    self.chain = chain
    self.file = file
    self.firstFrame = firstFrame
  }

  package mutating func note(host: String) {
    sessions += 1
    if seen.contains(host) { return }
    guard hosts.count < SeenChain.maximumHosts else {
      furtherHosts += 1
      return
    }
    seen.insert(host)
    hosts.append(host)
  }
}

/// The pins for the observed keys of hosts: an NSPinnedDomains dictionary (policy text B.4).
struct PinProposal {
  /// The entries by host, with the keys of CAs if a chain contains any, otherwise with those of leaves.
  private(set) var hosts: [PinnedDomain] = []

  /// Creates pins for the keys of chains; only hosts in `names`, which clients named, get pins.
  init(_ chains: [SeenChain], names: Set<String>) {
    let uses = chains.flatMap { seen in
      seen.hosts.filter(names.contains).map { (host: $0, digests: seen.chain.certificates.map(\.pin)) }
    }
    var seen: Set<String> = []
    for (host, uses) in uses.grouped(by: \.host) {
      let authorities = uses.flatMap { $0.digests.dropFirst().compactMap(\.self) }.distinct()
      let leaves = uses.compactMap { $0.digests.first ?? nil }.distinct()
      let hasAuthority = !authorities.isEmpty
      guard hasAuthority || !leaves.isEmpty, seen.insert(host.lowercased()).inserted else { continue }
      hosts.append(
        PinnedDomain(key: host.lowercased(), leafDigests: hasAuthority ? nil : leaves, caDigests: hasAuthority ? authorities : nil))
    }
  }

  /// The value of NSAppTransportSecurity: `{"NSPinnedDomains": …}`.
  var dictionary: PropertyListDictionary {
    let domains = hosts.map { ($0.key, PropertyListValue.dictionary($0.propertyList)) }
    return PropertyListDictionary([(ATSKeys.pinnedDomains, .dictionary(PropertyListDictionary(domains)))])
  }
}
