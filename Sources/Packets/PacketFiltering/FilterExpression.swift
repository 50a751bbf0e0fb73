import ByteParsing

/// A filter expression without any word that the compiler would look up.
///
/// libpcap's compiler resolves names, host names through DNS, which uses the network. The words are therefore checked first: names of
/// services and protocols are replaced by numbers, and any other name is rejected.
struct FilterExpression: Hashable, Sendable {
  /// The expression for the compiler.
  let compilable: String

  /// The maximum length of an expression in bytes; longer ones are lists, not filters.
  static let maximumByteCount = 16 * 1024

  init(_ text: String) throws(PacketFilterError) {
    guard text.utf8.count <= FilterExpression.maximumByteCount else {
      throw PacketFilterError("is longer than \(FilterExpression.maximumByteCount) bytes")
    }
    var check = WordCheck(bytes: Array(text.utf8))
    try check.run()
    compilable = check.output
  }
}

/// Splits an expression into the same words as the compiler's scanner.
private struct WordCheck {
  let bytes: [UInt8]
  var position = 0
  var output = ""

  /// The previous word, if only blanks are between.
  private var previous = ""

  /// The last keyword except `and`, `or` and `not`, which determines the meaning of a following number or name.
  private var qualifier = ""

  /// The keyword before that one.
  private var outerQualifier = ""

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func run() throws(PacketFilterError) {
    while position < bytes.count {
      let byte = bytes[position]
      if isAlphanumeric(byte) || startsAddress {
        try scanWord()
      } else if byte == UInt8(ascii: "\\") {
        try scanEscape()
      } else {
        try scanSymbol(byte)
      }
    }
  }

  /// Whether an IPv6 address begins here with `::`.
  private var startsAddress: Bool {
    bytes[position] == UInt8(ascii: ":") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: ":")
  }

  /// Reads the longest text that the scanner could treat as one word, or as an address.
  private mutating func scanWord() throws(PacketFilterError) {
    let start = position
    while position < bytes.count, isInWord(bytes[position]) {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if text.contains(":") {
      try scanColons(text)
    } else {
      try scanSimple(text)
    }
  }

  /// Whether a byte is allowed within names and addresses; all but letters and digits may be operators elsewhere.
  private func isInWord(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-_.:".utf8.contains(byte) }

  private mutating func scanColons(_ text: String) throws(PacketFilterError) {
    if FilterNumbers.isHardwareAddress(text) || FilterNumbers.isIPv6(text) {
      append(text)
      return
    }
    // Within brackets, as in `tcp[12:1]`.
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard
      parts.allSatisfy({
        $0.isEmpty || FilterNumbers.isNumber($0) || FilterWords.keywords.contains(String($0))
      }),
      !text.contains("::")
    else { throw WordCheck.refusal(text) }
    output += text
    previous = ""
  }

  private mutating func scanSimple(_ text: String) throws(PacketFilterError) {
    if FilterWords.keywords.contains(text) {
      append(text)
      if !FilterWords.connectives.contains(text) { (outerQualifier, qualifier) = (qualifier, text) }
      return
    }
    if FilterNumbers.isNumber(text[...]) || FilterNumbers.isDotted(text) {
      append(text)
      return
    }
    if previous == "portrange", let range = WordCheck.range(text) {
      append(range)
      return
    }
    if qualifier == "port", let port = FilterWords.ports[text] {
      append(String(port))
      return
    }
    throw WordCheck.refusal(text)
  }

  /// Converts `80-90` or `http-https` to numbers; nil for other text.
  private static func range(_ text: String) -> String? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    let ports = ends.map { FilterNumbers.decimal($0) ?? FilterWords.ports[String($0)] }
    guard let first = ports[0], let last = ports[1], first <= 0xFFFF, last <= 0xFFFF else { return nil }
    return "\(first)-\(last)"
  }

  /// Reads `\tcp`: a protocol name that is also a keyword.
  private mutating func scanEscape() throws(PacketFilterError) {
    let start = position
    position += 1
    while position < bytes.count, isInWord(bytes[position]) {
      position += 1
    }
    let name = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
    let isLink = outerQualifier == "ether" || outerQualifier == "link"
    let numbers = isLink ? FilterWords.etherTypes : FilterWords.protocols
    guard qualifier == "proto" || qualifier == "protochain", let number = numbers[name] else { throw WordCheck.refusal("\\" + name) }
    append(String(number))
  }

  private mutating func scanSymbol(_ byte: UInt8) throws(PacketFilterError) {
    if isWSPOrLineEnd(byte) {
      output += " "
    } else if "()[]<>=!&|^+-*/%:".utf8.contains(byte) {
      output.unicodeScalars.append(UnicodeScalar(byte))
      previous = ""
    } else {
      throw PacketFilterError("has an invalid character at byte \(position + 1)")
    }
    position += 1
  }

  private mutating func append(_ word: String) {
    output += word
    previous = word
  }

  private static func refusal(_ word: String) -> PacketFilterError {
    PacketFilterError("'\(word)' is not a known keyword, and names are never looked up: write a number or an address")
  }
}
