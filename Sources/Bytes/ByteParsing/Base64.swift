/// Base64 with padding (RFC 4648 §4).
@usableFromInline package enum Base64 {
  private static let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each character; 0xFF for those outside the alphabet.
  private static let values: Bytes = {
    var values = Bytes(repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Appends the text of `bytes`.
  package static func append(_ bytes: Bytes, to output: inout Bytes) {
    let alphabet = alphabet
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
      for index in 0...3 {
        output.append(index <= count ? alphabet[Int(group >> UInt32(18 - 6 * index) & 0x3F)] : 0x3D)
      }
    }
  }

  /// The text of `bytes`.
  package static func text(of bytes: Bytes) -> String {
    var output = Bytes()
    append(bytes, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The value of a character of the alphabet, 0 to 63; nil for any other, including the padding.
  package static func value(of character: UInt8) -> UInt8? {
    let value = values[Int(character)]
    return value < 64 ? value : nil
  }

  /// The decoded bytes; nil unless the text is exactly what ``append(_:to:)`` writes. `allowingStrayBits` also accepts a last character
  /// with unused bits that are set.
  @usableFromInline package static func decode(_ text: Span<UInt8>, allowingStrayBits: Bool = false) -> Bytes? {
    guard text.count % 4 == 0 else { return nil }
    var padding = 0
    while padding < min(2, text.count), text[text.count - 1 - padding] == 0x3D { padding += 1 }
    let values = values
    var bytes = Bytes()
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    for index in 0..<(text.count - padding) {
      let value = values[Int(text[index])]
      guard value < 64 else { return nil }
      group = group << 6 | UInt32(value)
      guard index & 3 == 3 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
    }
    // Unused bits must be zero, so that each sequence of bytes has only one text.
    switch padding {
    case 1:
      guard allowingStrayBits || group & 0x03 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    case 2:
      guard allowingStrayBits || group & 0x0F == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    default: break
    }
    return bytes
  }
}
