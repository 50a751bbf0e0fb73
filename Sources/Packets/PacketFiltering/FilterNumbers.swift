import ByteParsing
import Values

/// Distinguishes numbers and addresses from names.
enum FilterNumbers {
  static func decimal(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int(text)
  }

  /// Whether the text is a decimal number, or hexadecimal digits after `0x`.
  static func isNumber(_ text: Substring) -> Bool {
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      let digits = text.dropFirst(2)
      return !digits.isEmpty && digits.utf8.count <= 8 && digits.utf8.allSatisfy(isHexadecimalDigit)
    }
    return decimal(text) != nil
  }

  /// Whether the text is two to four numbers separated by dots: an IPv4 address, or a prefix of one.
  static func isDotted(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return (2...4).contains(parts.count) && parts.allSatisfy { decimal($0).map { $0 < 256 } ?? false }
  }

  /// Whether the text is six hexadecimal bytes separated by colons.
  static func isHardwareAddress(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 6
      && parts.allSatisfy { (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isHexadecimalDigit) }
  }

  /// Whether the text is an IPv6 address in hexadecimal groups only, without a zone: the compiler scans dotted decimal parts as separate
  /// words.
  static func isIPv6(_ text: String) -> Bool { !text.contains(".") && IPAddress(text)?.isIPv6 == true }
}
