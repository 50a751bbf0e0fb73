import ByteParsing

/// The digests of NSPinnedDomains, which are written in base64 (RFC 4648 §4).
enum PinDigest {
  /// The bytes in hexadecimal; nil if the text is not base64, or is longer than any digest.
  static func hexadecimal(fromBase64 text: String) -> String? {
    guard text.utf8.count <= 128, text.utf8.count % 4 == 0 else { return nil }
    var bytes = Bytes()
    var bits: UInt32 = 0
    var bitCount = 0
    var isPadded = false
    for character in text.utf8 {
      if character == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let value = value(of: character) else { return nil }
      bits = bits << 6 & 0xFFFF | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return ByteParsing.hexadecimal(bytes)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
