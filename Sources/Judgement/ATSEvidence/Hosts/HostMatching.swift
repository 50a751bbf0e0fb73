import ByteParsing
package import CertificateParsing
package import PolicyResolution
package import Values

/// Compares the names of a leaf with a host as the system's TLS policy does (policy text D.7).
package enum HostMatching {
  /// Whether the leaf names the host. With `readsCommonName`, a subject without DNS names in subjectAltName is matched by its common names,
  /// as before iOS 13 and macOS 10.15.
  package static func matches(_ host: HostIdentity, _ leaf: Certificate, readsCommonName: Bool) -> Bool {
    matches(host, names(of: leaf, readsCommonName: readsCommonName), addresses(of: leaf))
  }

  package static func matches(_ host: HostIdentity, _ names: [String], _ addresses: [IPAddress]) -> Bool {
    switch host {
    case .address(let address, _): addresses.contains(address) || !address.isIPv6 && names.contains(address.description)
    case .name(let name): names.contains { matches(name, pattern: $0) }
    case .unknown: false
    }
  }

  /// The names that count. If a dNSName is not UTF-8, the system reads no name (`appendDNSNamesFromGeneralNames`).
  ///
  /// Releases that read common names read every dNSName, whatever its form, and common names only if there is none
  /// (`SecCertificateCopyDNSNames`). An IPv4 address may be such a name.
  package static func names(of leaf: Certificate, readsCommonName: Bool) -> [String] {
    if leaf.has(.invalidTextInName) { return [] }
    guard readsCommonName else { return leaf.dnsNames.filter { isUsable($0) } }
    guard leaf.dnsNameCount == 0, let commonName = leaf.commonName else { return leaf.dnsNames }
    return (leaf.otherCommonNames + [commonName]).filter { isUsable($0, isCommonName: true) }
  }

  /// The addresses that count. If an iPAddress has neither 4 nor 16 bytes, the system reads no address
  /// (`appendIPAddressesFromGeneralNames`).
  package static func addresses(of leaf: Certificate) -> [IPAddress] {
    leaf.has(.invalidAddressLength) ? [] : leaf.ipAddresses
  }

  /// Whether a name counts as a DNS name (`SecFrameworkIsDNSName`): at most 255 bytes, in labels of 1 to 63 letters, digits, hyphens, `_`
  /// and `*`. No label begins or ends with a hyphen, and the last contains a letter, so no address counts.
  package static func isUsable(_ name: String) -> Bool { isUsable(name, isCommonName: false) }

  /// Releases that read common names know no `_` in them, and require no letter in the last label (`isDNSName`).
  private static func isUsable(_ name: String, isCommonName: Bool) -> Bool {
    var labelLength = 0
    var hasLetter = false
    var last = dot
    guard name.utf8.count <= 255 else { return false }
    for byte in name.utf8 {
      switch byte {
      case dot:
        guard (1...63).contains(labelLength), last != hyphen else { return false }
        (labelLength, hasLetter) = (-1, false)
      case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "*"): hasLetter = true
      case 0x30...0x39: break
      case UInt8(ascii: "_") where !isCommonName: break
      case hyphen where labelLength > 0: break
      default: return false
      }
      labelLength += 1
      last = byte
    }
    return (1...63).contains(labelLength) && last != hyphen && (hasLetter || isCommonName)
  }

  /// Whether a certificate's name covers a host, compared label by label from the right, without regard to ASCII case.
  ///
  /// `*` stands for one whole label. It must be the leftmost of at least three and must not be directly above a known public suffix.
  package static func matches(_ host: String, pattern: String) -> Bool {
    var host = host.utf8[...]
    if host.last == dot { host.removeLast() }
    guard !host.isEmpty, !hasEmptyLabel(host) else { return false }
    var pattern = pattern.utf8[...]
    let isWildcard = pattern.starts(with: "*.".utf8)
    if isWildcard {
      guard let end = host.firstIndex(of: dot) else { return false }
      host = host[host.index(after: end)...]
      pattern = pattern.dropFirst(2)
      guard pattern.contains(dot) else { return false }
    }
    return isEqual(host, pattern) && !pattern.contains(UInt8(ascii: "*")) && !(isWildcard && isPublicSuffix(pattern))
  }

  private static func hasEmptyLabel(_ name: Substring.UTF8View) -> Bool {
    var isEmpty = true
    for byte in name {
      if byte == dot, isEmpty { return true }
      isEmpty = byte == dot
    }
    return isEmpty
  }

  private static func isPublicSuffix(_ name: Substring.UTF8View) -> Bool {
    let labels = name.split(separator: dot, maxSplits: 2, omittingEmptySubsequences: false)
    guard labels.count == 2, labels[1].count == 2 else { return false }
    let texts = labels.map { String(decoding: $0.asciiLowercase, as: UTF8.self) }
    return CountryCodeSuffixes.contains(texts[0], under: texts[1])
  }

  /// Whether only a wildcard covers the host that may be directly above a public suffix: one above two short labels that are not known
  /// here, such as `*.abc.de`.
  package static func restsOnShortWildcard(_ host: String, _ leaf: Certificate) -> Bool {
    guard leaf.dnsNames.contains(where: isShortWildcard) else { return false }
    let matching = leaf.dnsNames.filter { isUsable($0) && matches(host, pattern: $0) }
    return !matching.isEmpty && matching.allSatisfy(isShortWildcard)
  }

  private static func isShortWildcard(_ name: String) -> Bool {
    guard name.utf8.starts(with: "*.".utf8) else { return false }
    let labels = name.utf8.split(separator: dot, omittingEmptySubsequences: false)
    return labels.count == 3 && labels[1].count <= 3 && labels[2].count == 2
  }

  private static let dot = UInt8(ascii: ".")
  private static let hyphen = UInt8(ascii: "-")

  private static func isEqual(_ a: Substring.UTF8View, _ b: Substring.UTF8View) -> Bool {
    a.elementsEqual(b) { asciiLowercased($0) == asciiLowercased($1) }
  }
}
