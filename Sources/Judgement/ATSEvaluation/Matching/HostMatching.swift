import ByteParsing
package import CertificateParsing
package import PolicyResolution
import Values

/// Whether a leaf names a host, as the system's TLS policy compares them (policy text D.7).
package enum HostMatching {
  /// Whether the leaf names the host. `readsCommonName` is for systems before iOS 13 and macOS 10.15, which
  /// fall back to the subject's common name where subjectAltName has no DNS name.
  package static func matches(_ host: HostIdentity, _ leaf: Certificate, readsCommonName: Bool) -> Bool {
    switch host {
    case .address(let address, _): leaf.ipAddresses.contains(address)
    case .name(let name):
      names(of: leaf, readsCommonName: readsCommonName).contains { matches(name, pattern: $0) }
    case .unknown: false
    }
  }

  /// The names that a host is compared with.
  package static func names(of leaf: Certificate, readsCommonName: Bool) -> [String] {
    let names = leaf.dnsNames.filter(isUsable)
    if names.isEmpty, readsCommonName, let commonName = leaf.commonName, isUsable(commonName) {
      return [commonName]
    }
    return names
  }

  /// Whether a DNS name counts: those that look like addresses do not.
  package static func isUsable(_ name: String) -> Bool {
    // No address ends in a letter without holding a colon, and nearly every name does.
    guard let last = name.utf8.last else { return false }
    if !(0x30...0x39).contains(last), !name.utf8.contains(UInt8(ascii: ":")) { return true }
    return IPAddress(name) == nil
  }

  /// Whether a name of a certificate covers a host: label by label, from the right, without regard to ASCII
  /// case.
  ///
  /// `*` stands for a whole label, the leftmost of at least three, and not directly above a public suffix that is
  /// known here.
  package static func matches(_ host: String, pattern: String) -> Bool {
    var hostBytes = Array(host.utf8)
    if hostBytes.last == dot { hostBytes.removeLast() }
    let hostLabels = hostBytes.split(separator: dot, omittingEmptySubsequences: false)
    let patternLabels = Array(pattern.utf8).split(separator: dot, omittingEmptySubsequences: false)
    guard !hostBytes.isEmpty, hostLabels.count == patternLabels.count,
      hostLabels.allSatisfy({ !$0.isEmpty }), patternLabels.allSatisfy({ !$0.isEmpty })
    else { return false }
    for index in hostLabels.indices.reversed() {
      if isWildcard(patternLabels[index]) {
        guard index == 0, patternLabels.count >= 3, !isPublicSuffix(patternLabels[1...]) else { return false }
      } else if patternLabels[index].contains(UInt8(ascii: "*"))
        || !isEqual(hostLabels[index], patternLabels[index])
      {
        return false
      }
    }
    return true
  }

  private static func isPublicSuffix(_ labels: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard labels.count == 2, let label = labels.first, let country = labels.last, country.count == 2 else {
      return false
    }
    func text(_ bytes: ArraySlice<UInt8>) -> String {
      String(decoding: bytes.map(asciiLowercased), as: UTF8.self)
    }
    return CountryCodeSuffixes.contains(text(label), under: text(country))
  }

  /// Whether nothing covers the host but a wildcard that may stand directly above a public suffix: above two
  /// short labels that are not known here, such as `*.abc.de`.
  package static func restsOnShortWildcard(_ host: String, _ leaf: Certificate) -> Bool {
    let matching = leaf.dnsNames.filter { isUsable($0) && matches(host, pattern: $0) }
    return !matching.isEmpty
      && matching.allSatisfy { name in
        let labels = name.utf8.split(separator: dot, omittingEmptySubsequences: false)
        return labels.count == 3 && isWildcard(labels[0]) && labels[1].count <= 3 && labels[2].count == 2
      }
  }

  private static let dot = UInt8(ascii: ".")

  private static func isWildcard(_ label: some Collection<UInt8>) -> Bool {
    label.count == 1 && label.first == UInt8(ascii: "*")
  }

  private static func isEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { asciiLowercased($0) == asciiLowercased($1) }
  }
}
