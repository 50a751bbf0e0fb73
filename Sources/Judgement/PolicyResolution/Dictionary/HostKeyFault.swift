import ByteParsing
import Values

/// Why an entry with this key applies to no host: hosts are compared as text, in lowercase and as A-labels (policy text B.7).
package enum HostKeyFault: Error, Hashable, Sendable {
  /// A build variable, which Xcode replaces in the built app.
  case buildVariable
  /// An asterisk, which has no special meaning.
  case wildcard
  /// A scheme, port, path, bracket, blank or invisible character; the first such part, as a noun with its article.
  case url(part: String)
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
    if HostKeyFault.hasBuildVariable(key) {
      self = .buildVariable
    } else if key.utf8.contains(UInt8(ascii: "*")) {
      self = .wildcard
    } else if let part = HostKeyFault.foreignPart(of: key) {
      self = .url(part: part)
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
      self = .url(part: "a slash")
    } else {
      return nil
    }
  }

  /// The consequence of the fault, as words that follow the key.
  package var consequence: String {
    switch self {
    case .buildVariable: "Xcode has not replaced the build variable, so the entry never matches"
    case .wildcard: "an asterisk has no meaning here, so the entry never matches"
    case .url(let part): "the key contains \(part), but must be a bare host name, so the entry never matches"
    case .notASCII: "hosts are compared in A-labels, so the entry never matches"
    case .refusedRange: "the system rejects the range, so the entry never matches"
    case .capital: "hosts are compared in lower case, so the entry never matches"
    case .emptyLabel: "the host has an empty label, so the entry never matches"
    }
  }

  /// Whether the text has a variable that Xcode replaces, such as `$(API_HOST)`.
  package static func hasBuildVariable(_ text: String) -> Bool { text.contains("$(") || text.contains("${") }

  package static func hasEmptyLabel(_ key: String) -> Bool {
    key.isEmpty || key.hasPrefix(".") || key.contains("..")
  }

  /// Whether a key without colons looks like an IPv4 address, but is not one that packets show: at least two labels, all of them numbers in
  /// decimal, octal or hexadecimal.
  package static func isFalseAddress(_ key: String) -> Bool {
    let labels = key.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > 1 && IPAddress(key) == nil
      && labels.allSatisfy { label in
        let isHexadecimal = label.starts(with: "0x".utf8) || label.starts(with: "0X".utf8)
        return isHexadecimal ? label.dropFirst(2).allSatisfy(isHexadecimalDigit) : !label.isEmpty && label.allSatisfy(isDigit)
      }
  }

  /// Whether a key has a part that neither a host nor a range has.
  package static func isURL(_ key: String) -> Bool { foreignPart(of: key) != nil }

  /// The first part of a key that neither a host nor a range has; nil if there is none.
  private static func foreignPart(of key: String) -> String? {
    let bytes = Array(key.utf8)
    let blank = UInt8(ascii: " ")
    if bytes.first == blank { return "a blank at its start" }
    if bytes.last == blank { return "a blank at its end" }
    if bytes.contains(blank) { return "a blank" }
    if bytes.contains(where: { $0 < blank || $0 == 0x7F }) { return "a control character" }
    if key.unicodeScalars.contains(where: isInvisible) { return "an invisible character" }
    if key.contains("://") { return "a scheme" }
    if key.contains("[") || key.contains("]") { return "brackets" }
    if key.contains("@") { return "a user name" }
    if key.contains(",") { return "a comma" }
    if key.contains(";") { return "a semicolon" }
    if isAddressSpan(key) { return "two addresses" }
    if key.contains("?") || key.contains("#") { return "a query or fragment" }
    if key.hasPrefix("//") { return "slashes at its start" }
    if bytes.contains(UInt8(ascii: "/")) { return looksLikeRange(key) ? nil : "a path" }
    let colons = bytes.count { $0 == UInt8(ascii: ":") }
    if colons == 1 { return "a port" }
    return colons > 1 && IPAddress(key) == nil ? "colons that are not those of an IPv6 address" : nil
  }

  /// Whether a key is two addresses with a hyphen between them, which is not how the system writes ranges.
  package static func isAddressSpan(_ key: String) -> Bool {
    let ends = key.split(separator: "-")
    return ends.count == 2 && ends.allSatisfy { IPAddress($0) != nil }
  }

  private static func looksLikeRange(_ key: String) -> Bool {
    let address = key.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") }
    if address.isEmpty { return key.utf8.dropFirst().allSatisfy(isDigit) }
    let isDotted = address.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") }
    let hasColon = address.contains(UInt8(ascii: ":"))
    let isHexadecimal = address.allSatisfy { byte in
      isHexadecimalDigit(byte) || byte == UInt8(ascii: ":") || hasColon && byte == UInt8(ascii: ".")
    }
    return isDotted || isHexadecimal
  }

  /// Whether a character beyond ASCII is a blank, or invisible and not a joiner, which names in some scripts contain.
  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x80, scalar.value != 0x200C, scalar.value != 0x200D else { return false }
    return InputText.isHidden(scalar.value) || scalar.properties.isWhitespace
  }

  /// A key without the blanks at its ends, and without invisible characters.
  package static func trimmed(_ key: String) -> Substring {
    let visible = key.unicodeScalars.filter { $0.properties.isWhitespace || !isInvisible($0) }
    var rest = String(String.UnicodeScalarView(visible)).drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }

  /// The host that a URL or a part of one names, in the form that matches; nil if there is none.
  package static func host(in key: String) -> String? {
    var rest = trimmed(key)
    // Text after a blank may be part of the host, and the slash of a range does not begin a path.
    if rest.contains(where: \.isWhitespace) || (try? AddressRange(key: String(rest))) != nil { return nil }
    if let slash = rest.firstIndex(of: "/"), rest[..<slash].last == ":" || rest.hasPrefix("//") {
      // `//` begins the authority, with or without a scheme before it.
      rest = rest[slash...].drop { $0 == "/" }
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let host = HostIdentity(String(rest)).text, host != key, host.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return host
  }
}
