import PolicyResolution
import Values

/// Tells a host from a URL or a part of one.
enum HostKeyForm {
  /// Whether a key has parts of a URL that no host has.
  static func isURL(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) || key.contains("[") || key.contains("]") {
      return true
    }
    if key.contains("@") || key.contains("?") || key.contains("#") { return true }
    if bytes.contains(UInt8(ascii: "/")) { return !looksLikeRange(key) }
    let colons = bytes.count { $0 == UInt8(ascii: ":") }
    // A name and a port; two colons and more are an address of IPv6.
    return colons == 1 || (colons > 1 && IPAddress(key) == nil)
  }

  /// Whether there is a host, as loaders write hosts, that an entry with this key serves.
  static func canMatch(_ key: String) -> Bool {
    if key.utf8.contains(UInt8(ascii: "/")) { return (try? AddressRange(key: key)) != nil }
    let isLowercaseASCII = key.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
    return !key.isEmpty && isLowercaseASCII && !key.utf8.contains(UInt8(ascii: "*")) && !isURL(key)
  }

  /// Whether a key with a slash was meant as a range of addresses.
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

  /// The host that a URL or a part of one names, in the form that matches.
  static func host(in key: String) -> String? {
    var rest = key.drop { $0.isWhitespace }
    if let slash = rest.firstIndex(of: "/"), rest[..<slash].last == ":" {
      // Behind the scheme, `//` opens the authority.
      rest = rest[slash...].drop { $0 == "/" }
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" && !$0.isWhitespace }
    guard let host = HostIdentity(String(rest)).text, host != key else { return nil }
    return host
  }
}
