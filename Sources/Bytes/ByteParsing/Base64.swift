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
    var target = output.count
    output.append(contentsOf: repeatElement(0x3D, count: (bytes.count + 2) / 3 * 4))
    var source = 0
    while source + 3 <= bytes.count {
      let group = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
      output[target] = alphabet[Int(group >> 18)]
      output[target + 1] = alphabet[Int(group >> 12 & 0x3F)]
      output[target + 2] = alphabet[Int(group >> 6 & 0x3F)]
      output[target + 3] = alphabet[Int(group & 0x3F)]
      source += 3
      target += 4
    }
    guard source < bytes.count else { return }
    let first = bytes[source]
    let second = source + 1 < bytes.count ? bytes[source + 1] : 0
    output[target] = alphabet[Int(first >> 2)]
    output[target + 1] = alphabet[Int((first & 0x03) << 4 | second >> 4)]
    if source + 1 < bytes.count { output[target + 2] = alphabet[Int((second & 0x0F) << 2)] }
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
    if text.isEmpty { return Bytes() }
    var padding = 0
    while padding < 2, text[text.count - 1 - padding] == 0x3D { padding += 1 }
    let significant = text.count - padding
    var bytes = Bytes(repeating: 0, count: significant / 4 * 3)
    let whole = significant & ~3
    var index = decodeGroups(text.extracting(first: whole), into: &bytes, at: 0)
    guard index == whole else { return nil }
    let values = values
    // Collects the values of characters outside the alphabet.
    var seen: UInt8 = 0
    var group: UInt32 = 0
    while index < significant {
      let value = values[Int(text[index])]
      seen |= value
      group = group << 6 | UInt32(value)
      index += 1
    }
    guard seen < 64 else { return nil }
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

  /// Decodes groups of four characters from the start of `text`, up to the first with an invalid character, or for which `bytes` has no
  /// room after `target`. Returns the number of characters decoded, four for each three bytes.
  private static func decodeGroups(_ text: Span<UInt8>, into bytes: inout Bytes, at target: Int) -> Int {
    let values = values
    let table = values.span
    var output = bytes.mutableSpan
    var index = 0
    var target = target
    while index &+ 4 <= text.count, target &+ 3 <= output.count {
      let first = table[Int(text[index])]
      let second = table[Int(text[index &+ 1])]
      let third = table[Int(text[index &+ 2])]
      let fourth = table[Int(text[index &+ 3])]
      if first | second | third | fourth >= 64 { break }
      output[target] = first << 2 | second >> 4
      output[target &+ 1] = second << 4 | third >> 2
      output[target &+ 2] = third << 6 | fourth
      index &+= 4
      target &+= 3
    }
    return index
  }

  /// Decodes lines of whole four-character groups into the start of `bytes`, up to anything else, or as far as there is room. Returns the
  /// numbers of characters read, bytes decoded and line ends read.
  package static func decodeLines(
    _ text: Span<UInt8>, into bytes: inout Bytes
  ) -> (read: Int, made: Int, lineEnds: Int) {
    var (read, made, lineEnds) = (0, 0, 0)
    while read < text.count {
      let decoded = decodeGroups(text.extracting(read..<text.count), into: &bytes, at: made)
      read += decoded
      made += decoded / 4 * 3
      guard read < text.count, text[read] == 0x0A || text[read] == 0x0D else { break }
      if text[read] == 0x0D, read + 1 < text.count, text[read + 1] == 0x0A { read += 1 }
      read += 1
      lineEnds += 1
    }
    return (read, made, lineEnds)
  }
}
