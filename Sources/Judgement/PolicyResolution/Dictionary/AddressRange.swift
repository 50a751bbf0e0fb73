import ByteParsing
package import Values

/// An address range as a key of NSExceptionDomains (policy text B.8).
package struct AddressRange: Hashable, Sendable {
  /// The network address, with the host bits cleared.
  package var network: IPAddress

  /// The prefix length in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
  package var prefixLength: Int

  /// Whether bits after the prefix were set in the text; they are ignored.
  package var hadHostBits: Bool

  /// Whether the prefix length had a leading zero and was therefore read as octal.
  package var hadOctalPrefix: Bool

  /// The network of that length that contains an address.
  package init(_ address: IPAddress, prefixLength: Int) {
    network = AddressRange.masked(address, to: prefixLength)
    self.prefixLength = prefixLength
    hadHostBits = false
    hadOctalPrefix = false
  }

  /// The range as a key. The system's parser refuses the dotted notation of an IPv4-mapped network, so that is in hexadecimal.
  package var key: String {
    guard network.isIPv6, network.high == 0, network.low >> 32 == 0xFFFF else { return "\(network)/\(prefixLength)" }
    let groups = [network.low >> 16 & 0xFFFF, network.low & 0xFFFF].map { String($0, radix: 16) }
    return "::ffff:\(groups.joined(separator: ":"))/\(prefixLength)"
  }

  /// Why the system's parser refuses a key, in the order of its checks.
  package enum Refusal: Error, Hashable, Sendable {
    /// No slash, or more than one.
    case slashes
    /// A character other than hexadecimal digits, dots, colons and the slash.
    case character
    /// A dot at the start, immediately before the slash, or together with colons or hexadecimal letters.
    case dots
    /// More than one `::`, or a single colon immediately before the slash.
    case colons
    /// No digits after the slash, or other characters there.
    case noPrefixLength
    /// A prefix longer than an address of the family.
    case prefixTooLong
    /// More characters before the slash than fit the parser's buffer: 13 for IPv4, 37 for IPv6.
    case addressTooLong
    /// The text before the slash is not an address.
    case notAnAddress
  }

  /// Parses a key as the system's parser does, including its quirks.
  package init(key: String) throws(Refusal) {
    let bytes = Array(key.utf8)
    guard bytes.count(where: { $0 == UInt8(ascii: "/") }) == 1,
      let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
    else { throw .slashes }
    let address = bytes[..<slash]
    let digits = bytes[(slash + 1)...]
    guard
      address.allSatisfy({ isHexadecimalDigit($0) || $0 == AddressRange.dot || $0 == AddressRange.colon }
      )
    else { throw .character }
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { throw .noPrefixLength }
    let isIPv4 = try AddressRange.checkSyntax(address)

    guard address.count <= (isIPv4 ? 13 : 37) else { throw .addressTooLong }
    let length = AddressRange.readLikeC(digits)
    guard length <= (isIPv4 ? 32 : 128) else { throw .prefixTooLong }
    guard let whole = IPAddress(AddressRange.completed(address, isIPv4: isIPv4)), whole.isIPv6 != isIPv4
    else { throw .notAnAddress }
    network = AddressRange.masked(whole, to: length)
    prefixLength = length
    hadHostBits = network != whole
    hadOctalPrefix = digits.count > 1 && digits.first == 0x30
  }

  package func contains(_ address: IPAddress) -> Bool {
    address.isIPv6 == network.isIPv6 && AddressRange.masked(address, to: prefixLength) == network
  }
}

extension AddressRange {
  private static let dot = UInt8(ascii: ".")
  private static let colon = UInt8(ascii: ":")

  /// Checks the positions of dots and colons, and returns whether the text counts as IPv4.
  private static func checkSyntax(_ address: ArraySlice<UInt8>) throws(Refusal) -> Bool {
    let hasDots = address.contains(dot)
    let isIPv4 = address.allSatisfy { isDigit($0) || $0 == dot }
    guard address.first != dot, address.last != dot, !hasDots || isIPv4 else { throw .dots }
    var gaps = 0
    var previousWasColon = false
    for byte in address {
      if byte == colon, previousWasColon { gaps += 1 }
      previousWasColon = byte == colon
    }
    // `::` may come directly before the slash, a single colon may not.
    let endsInOneColon = address.last == colon && address.dropLast().last != colon
    guard gaps <= 1, !endsInOneColon else { throw .colons }
    return isIPv4
  }

  /// The address with what the parser adds: zero octets, or `::` at the end.
  private static func completed(_ address: ArraySlice<UInt8>, isIPv4: Bool) -> String {
    var text = String(decoding: address, as: UTF8.self)
    guard !address.isEmpty else { return text }
    if isIPv4 {
      for _ in address.count(where: { $0 == dot })..<max(3, address.count(where: { $0 == dot })) {
        text += ".0"
      }
    } else if !text.contains("::"), address.count(where: { $0 == colon }) < 7 {
      text += "::"
    }
    return text
  }

  /// Parses digits like a C integer literal: a leading zero means octal, and an octal number ends before an 8 or 9.
  ///
  /// The value is capped above every valid prefix length, so that it cannot overflow.
  private static func readLikeC(_ digits: ArraySlice<UInt8>) -> Int {
    let base = digits.first == 0x30 ? 8 : 10
    var value = 0
    for digit in digits {
      guard Int(digit - 0x30) < base else { break }
      value = min(value * base + Int(digit - 0x30), 1000)
    }
    return value
  }

  private static func masked(_ address: IPAddress, to length: Int) -> IPAddress {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : UInt64.max << UInt64(64 - min(bits, 64)) }
    if address.isIPv6 { return IPAddress(v6: address.high & mask(length), address.low & mask(length - 64)) }
    // An IPv4 address is in the lowest 32 bits, so its mask starts at bit 32.
    return IPAddress(v4: UInt32(truncatingIfNeeded: address.low & (mask(32 + length) & 0xFFFF_FFFF)))
  }
}
