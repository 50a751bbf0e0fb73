import CertificateParsing
import CertificateSignatures
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
  /// The entries by host: the keys of CAs if each leaf of the host has a known issuer, otherwise the keys of the leaves.
  private(set) var hosts: [PinnedDomain] = []

  /// Creates pins for the keys of chains; only hosts in `names`, which clients named, get pins.
  init(_ chains: [SeenChain], names: Set<String>) {
    let uses = chains.flatMap { seen in
      let use = (leaf: seen.chain.certificates.first?.pin, authorities: seen.chain.issuers.compactMap(\.pin))
      return seen.hosts.filter(names.contains).map { (key: PinProposal.key(for: $0), keys: use) }
    }
    for (key, uses) in uses.grouped(by: \.key) {
      let authorities = uses.flatMap(\.keys.authorities).distinct()
      let leaves = uses.compactMap(\.keys.leaf).distinct()
      // A truncated chain may have the leaf of a whole one.
      let issued = Set(uses.filter { !$0.keys.authorities.isEmpty }.compactMap(\.keys.leaf))
      let hasAuthorities = leaves.allSatisfy(issued.contains)
      guard !(hasAuthorities ? authorities : leaves).isEmpty else { continue }
      hosts.append(PinnedDomain(key: key, leafDigests: hasAuthorities ? nil : leaves, caDigests: hasAuthorities ? authorities : nil))
    }
  }

  /// The key that applies to a host: the system removes a final dot from the host, but not from the key.
  private static func key(for host: String) -> String { String(host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased() }

  /// The value of NSAppTransportSecurity: `{"NSPinnedDomains": …}`.
  var dictionary: PropertyListDictionary {
    let domains = hosts.map { ($0.key, PropertyListValue.dictionary($0.propertyList)) }
    return PropertyListDictionary([(ATSKeys.pinnedDomains, .dictionary(PropertyListDictionary(domains)))])
  }
}

extension CertificateChain {
  /// The maximum number of signatures verified in a chain; five certificates above the leaf in any order take 15.
  private static let maximumSignatures = 16

  /// The certificates that issued the leaf, directly or through others. Only their keys are certain to be in a path from the leaf: a server
  /// may send other CAs too.
  fileprivate var issuers: [ObservedCertificate] {
    guard var issued = certificates.first?.certificate else { return [] }
    var others = Array(certificates.dropFirst())
    var issuers: [ObservedCertificate] = []
    var rest = CertificateChain.maximumSignatures
    func isIssuer(_ other: ObservedCertificate) -> Bool {
      guard other.certificate.subject == issued.issuer, rest > 0 else { return false }
      rest -= 1
      return issued.verifySignature(by: other.certificate).isValid
    }
    while let index = others.firstIndex(where: isIssuer) {
      issuers.append(others.remove(at: index))
      issued = issuers[issuers.count - 1].certificate
    }
    return issuers
  }
}
