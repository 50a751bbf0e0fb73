import ByteParsing

/// Base64 as Foundation reads it by default: nothing but the alphabet, padded to groups of four (RFC 4648 §4).
enum Base64 {
  /// The bytes of a text; nil if it is not exactly base64.
  static func decode(_ text: String) -> Bytes? {
    let characters = Bytes(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
    // In the last group, `=` may stand at the end only.
    if padding == 1, characters.last != UInt8(ascii: "=") { return nil }
    var bytes = Bytes()
    var bits: UInt32 = 0
    var bitCount = 0
    for character in characters.dropLast(padding) {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 & 0xFFFF | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

  /// The text of bytes.
  static func encode(_ bytes: Bytes) -> String {
    var text = Bytes()
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let isPadding = index > group.count
        text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * index) & 0x3F)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
