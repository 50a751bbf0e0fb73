package import Values

/// Recognizes local destinations, which Apple's code calls *direct* (policy text A.4).
package enum LocalDestination {
  /// Whether a name is local: a single label, or a name under `.local`.
  package static func isDirect(name: String) -> Bool {
    if name.isEmpty { return false }
    // Any dot counts, even at the end: `nas.` is not local.
    guard name.utf8.contains(UInt8(ascii: ".")) else { return true }
    let lower = name.lowercased()
    return lower.hasSuffix(".local") || lower.hasSuffix(".local.")
  }

  package static func isDirect(address: IPAddress) -> Bool {
    if address.isIPv6 {
      let isLoopback = address.high == 0 && address.low == 1
      return isLoopback || address.high >> 54 == 0xFE80 >> 6
    }
    let bits = UInt32(truncatingIfNeeded: address.low)
    return bits >> 24 == 127 || bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8 || isLinkLocal(bits)
  }

  package static func hasDirectAddress(_ range: AddressRange) -> Bool {
    isDirect(address: range.network) || directNetworks.contains { range.contains($0) }
  }

  private static let directNetworks = [
    IPAddress(v4: 0x7F00_0000), IPAddress(v4: 0x0A00_0000), IPAddress(v4: 0xAC10_0000),
    IPAddress(v4: 0xC0A8_0000), IPAddress(v4: 0xA9FE_0000), IPAddress(v6: 0, 1),
    IPAddress(v6: 0xFE80 << 48, 0),
  ]

  /// A remark on addresses that are local only by assumption; nil for all others.
  package static func assumption(address: IPAddress) -> String? {
    if !address.isIPv6, isLinkLocal(UInt32(truncatingIfNeeded: address.low)) {
      return "169.254.0.0/16 is assumed to be local; no source settles it"
    }
    if address.isIPv6, address.high >> 57 == 0xFC00 >> 9 { return "fc00::/7 is assumed not to be local; no source settles it" }
    return nil
  }

  private static func isLinkLocal(_ bits: UInt32) -> Bool { bits >> 16 == 0xA9FE }
}
