import ByteParsing
import PolicyResolution
import Values

/// Proposes keys in place of faulty ones.
extension Linter {
  /// The fix for a key with a part that neither a host nor a range has.
  static func replacement(forURL key: String, isPin: Bool) -> String {
    let range = String(HostKeyFault.trimmed(key))
    if !isPin, range.contains("/"), !HostKeyFault.isURL(range) {
      if let accepted = try? AddressRange(key: range) { return "write \(accepted.key)" }
      return replacement(forRange: range)
    }
    if HostKeyFault.isAddressSpan(key) { return "write a range with a prefix length, such as 192.168.1.0/24" }
    if key.split(whereSeparator: { $0 == "," || $0 == ";" }).count > 1 { return "write an entry for each host" }
    return HostKeyFault.host(in: key).map { "write \($0)" } ?? "write the host alone"
  }

  /// The fix for a range that the system refuses: a key that it accepts and that contains what the refused one was meant to contain.
  static func replacement(forRange key: String) -> String {
    let parts = key.split(separator: "/").map(String.init)
    // An address has no zone as a key.
    let start = key.hasPrefix("/") ? "" : parts.first.map { String($0.prefix { $0 != "%" }) } ?? ""
    guard let address = IPAddress(start) ?? network(of: start) else { return "write an address, a slash and a prefix length" }
    let longest = address.isIPv6 ? 128 : 32
    guard let last = parts.dropFirst().first, parts.count == 2, let length = prefixLength(last, upTo: longest) else {
      let advice = "write a prefix length of at most \(longest) after the slash"
      guard IPAddress(start) != nil, parts.count < 2 || parts[1].utf8.contains(where: { !isDigit($0) }) else { return advice }
      return parts.count == 1 ? "write the address alone: \(address)" : advice + ", or the address alone: \(address)"
    }
    if length == longest { return "write the address alone: \(address)" }
    for shorter in stride(from: length, through: 0, by: -1) {
      // Each step clears one more bit, so the text becomes shorter at some point.
      let key = AddressRange(address, prefixLength: shorter).key
      guard (try? AddressRange(key: key)) != nil else { continue }
      return shorter == length ? "write \(key)" : "write the wider \(key), or its addresses individually"
    }
    return "write the addresses individually"
  }

  /// The address that begins with these octets or groups, as the parser of ranges completes it.
  private static func network(of start: String) -> IPAddress? {
    ((try? AddressRange(key: start + "/128")) ?? (try? AddressRange(key: start + "/32")))?.network
  }

  /// The number of bits that a prefix length means: a decimal number, one in hexadecimal, or a netmask for IPv4.
  private static func prefixLength(_ text: String, upTo longest: Int) -> Int? {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    if let length = isHexadecimal ? Int(text.dropFirst(2), radix: 16) : Int(text) {
      return (0...longest).contains(length) && (isHexadecimal || text.utf8.allSatisfy(isDigit)) ? length : nil
    }
    guard longest == 32, let mask = IPAddress(text), !mask.isIPv6 else { return nil }
    let bits = UInt32(truncatingIfNeeded: mask.low)
    let length = (~bits).leadingZeroBitCount
    return bits.nonzeroBitCount == length ? length : nil
  }

  /// The fix for a key with an asterisk: the range or the domain that it stands for, unless that is a public suffix.
  func replacement(forWildcard key: String, isPin: Bool) -> String {
    let host = HostKeyFault.host(in: key) ?? key
    let labels = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if !isPin, let range = Linter.range(ofWildcard: labels) {
      return release.readsAddressKeys
        ? "write \(range.key)" : "load from a host name and list it: \(release.displayName) does not read entries for addresses"
    }
    return Linter.parent(ofWildcard: labels).map { "write \($0) with NSIncludesSubdomains YES" }
      ?? Linter.narrowerSuggestion
  }

  /// The range of the IPv4 addresses that begin with these octets, with asterisks for the rest.
  private static func range(ofWildcard labels: [String]) -> AddressRange? {
    let octets = labels.prefix { !$0.contains("*") }
    guard (1...3).contains(octets.count), (octets.count + 1...4).contains(labels.count),
      labels.dropFirst(octets.count).allSatisfy({ $0 == "*" })
    else { return nil }
    let padding = repeatElement("0", count: 4 - octets.count)
    return IPAddress((octets + padding).joined(separator: ".")).map {
      AddressRange($0, prefixLength: 8 * octets.count)
    }
  }

  /// The nearest domain whose entry with NSIncludesSubdomains covers what the asterisks stand for.
  private static func parent(ofWildcard labels: [String]) -> String? {
    guard let index = labels.lastIndex(where: { $0.contains("*") }) else { return nil }
    let after = labels[(index + 1)...].joined(separator: ".")
    if isDomain(after) { return after }
    // `*example.com` lacks the dot after the asterisk.
    let afterAsterisk = labels[index].split(separator: "*", omittingEmptySubsequences: false).last ?? ""
    let whole = "\(afterAsterisk).\(after)"
    return isDomain(whole) ? whole : nil
  }

  /// Whether an entry for the name can cover subdomains and is not for a whole public suffix.
  private static func isDomain(_ name: String) -> Bool {
    guard let first = name.utf8.first, let last = name.utf8.last else { return false }
    // A name that ends in a digit may be part of an address.
    return first != UInt8(ascii: "-") && last != UInt8(ascii: ".") && !isDigit(last) && !name.contains("/")
      && HostKeyFault(name) == nil && !isSuffix(name)
  }
}
