import Values

/// Why an entry with this key applies to no host: hosts are compared as text, in lowercase and as A-labels (policy text B.7).
package enum HostKeyFault: Error, Hashable, Sendable {
  /// An asterisk, which has no special meaning.
  case wildcard
  /// A scheme, port, path, bracket or space.
  case url
  /// A character outside ASCII.
  case notASCII
  /// An address range that the system's parser refuses.
  case refusedRange(AddressRange.Refusal)
  case capital
  /// An empty key, a dot at the start, or two dots in a row.
  case emptyLabel

  /// The first fault of an NSExceptionDomains key; nil if it can apply to a host.
  package init?(_ key: String) {
    if let fault = HostKeyFault(syntaxOf: key) {
      self = fault
    } else if key.utf8.contains(UInt8(ascii: "/")) {
      do throws(AddressRange.Refusal) {
        _ = try AddressRange(key: key)
        return nil
      } catch {
        self = .refusedRange(error)
      }
    } else if key.utf8.contains(where: { (0x41...0x5A).contains($0) }) {
      self = .capital
    } else if HostKeyFault.hasEmptyLabel(key) {
      self = .emptyLabel
    } else {
      return nil
    }
  }

  /// The fault that makes a key neither a host in any letter case nor a range; nil if it may be one.
  package init?(syntaxOf key: String) {
    if key.utf8.contains(UInt8(ascii: "*")) {
      self = .wildcard
    } else if HostKeyFault.isURL(key) {
      self = .url
    } else if key.utf8.contains(where: { $0 >= 0x80 }) {
      self = .notASCII
    } else {
      return nil
    }
  }

  /// The fault of an NSPinnedDomains key; letter case does not matter there, and ranges are not read.
  package init?(pinned key: String) {
    if let fault = HostKeyFault(syntaxOf: key) {
      self = fault
    } else if key.utf8.contains(UInt8(ascii: "/")) {
      self = .url
    } else {
      return nil
    }
  }

  /// The consequence of the fault, as words that follow the key.
  package var consequence: String {
    switch self {
    case .wildcard: "an asterisk has no meaning here, so the entry never matches"
    case .url:
      "a host has no scheme, port, path, brackets or blanks, so the entry never matches"
    case .notASCII: "hosts are compared in A-labels, so the entry never matches"
    case .refusedRange: "the system rejects the range, so the entry never matches"
    case .capital: "hosts are compared in lower case, so the entry never matches"
    case .emptyLabel: "the host has an empty label, so the entry never matches"
    }
  }

  package static func hasEmptyLabel(_ key: String) -> Bool {
    key.isEmpty || key.hasPrefix(".") || key.contains("..")
  }

  private static func isURL(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) || key.contains("[") || key.contains("]") {
      return true
    }
    if key.contains("@") || key.contains("?") || key.contains("#") { return true }
    if bytes.contains(UInt8(ascii: "/")) { return !looksLikeRange(key) }
    let colons = bytes.count { $0 == UInt8(ascii: ":") }
    // One colon separates a port; two or more may be an IPv6 address.
    return colons == 1 || (colons > 1 && IPAddress(key) == nil)
  }

  private static func looksLikeRange(_ key: String) -> Bool {
    let address = key.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") }
    let isDotted = address.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    let hasColon = address.contains(UInt8(ascii: ":"))
    let isHexadecimal = address.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) || byte == UInt8(ascii: ":")
        || hasColon && byte == UInt8(ascii: ".")
    }
    return isDotted || isHexadecimal
  }

  /// The host that a URL or a part of one names, in the form that matches; nil if there is none.
  package static func host(in key: String) -> String? {
    var rest = key.drop { $0.isWhitespace }
    if let slash = rest.firstIndex(of: "/"), rest[..<slash].last == ":" {
      // `//` after the scheme begins the authority.
      rest = rest[slash...].drop { $0 == "/" }
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" && !$0.isWhitespace }
    guard let host = HostIdentity(String(rest)).text, host != key else { return nil }
    return host
  }
}
