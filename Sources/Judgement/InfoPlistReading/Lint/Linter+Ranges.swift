import PolicyResolution
import Values

/// Checks address ranges.
extension Linter {
  mutating func checkRanges() {
    var networks: [AddressRange: ExceptionEntry] = [:]
    for (entry, isRead) in listedEntries
    where entry.isRange && !HostKeyFault.isURL(entry.key) && !HostKeyFault.hasBuildVariable(entry.key) {
      let path = Linter.exceptions / entry.key
      checkAddressTarget(at: path)
      checkSubdomains(of: entry, at: path)
      let range: AddressRange
      do throws(AddressRange.Refusal) {
        range = try AddressRange(key: entry.key)
      } catch {
        add(
          .rangeInvalid, at: path, "the system rejects the range, so the entry never matches: \(Linter.words(error, for: entry.key))",
          suggestion: Linter.replacement(forRange: entry.key))
        continue
      }
      checkRange(range, entry, at: path)
      guard isRead else { continue }
      var normalized = range
      normalized.hadHostBits = false
      normalized.hadOctalPrefix = false
      if let other = networks[normalized] {
        if !Linter.haveSameSettings(other, entry) {
          add(
            .rangeTie, at: path,
            "the range is the same network as \(other.key), with different settings; which of them "
              + "applies is undefined", suggestion: "keep one of the two")
        }
      } else {
        networks[normalized] = entry
      }
    }
  }

  private mutating func checkRange(_ range: AddressRange, _ entry: ExceptionEntry, at path: SettingPath) {
    let real = range.key
    if range.hadOctalPrefix {
      add(
        .rangeOctal, at: path, "a prefix length that begins with 0 is read as octal: the range is \(real)",
        suggestion: "write \(real), or the prefix length that was meant without the zero")
    }
    if range.hadHostBits {
      add(.rangeHostBits, at: path, "the range is \(real)", suggestion: "write \(real)")
    }
    let narrowest = range.network.isIPv6 ? 16 : 8
    if range.prefixLength < narrowest, entry.allowsInsecureHTTPLoads(in: release)?.value == true {
      add(
        .rangeWide, at: path, "cleartext is allowed for \(real), which is a large part of all addresses",
        suggestion: "narrow the range to the network that needs it")
    }
  }

  private static func haveSameSettings(_ a: ExceptionEntry, _ b: ExceptionEntry) -> Bool {
    var b = b
    b.key = a.key
    return a == b
  }

  private static func words(_ refusal: AddressRange.Refusal, for key: String) -> String {
    switch refusal {
    case .slashes: "it has more than one slash"
    case .character: "it has an invalid character"
    case .dots: "a dot is misplaced"
    case .colons: "a colon is misplaced"
    case .noPrefixLength: key.hasSuffix("/") ? "no number follows the slash" : "only digits may follow the slash"
    case .prefixTooLong: "the number after the slash is too large"
    case .addressTooLong:
      "the address is longer than the system's parser allows (13 characters for IPv4, 37 for IPv6)"
    case .notAnAddress: "no address precedes the slash"
    }
  }
}
