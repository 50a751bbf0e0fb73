import ByteParsing

/// A Name in a form that is equal for names that are equal (RFC 5280 §7.1): letters of ASCII in lower case, runs of
/// spaces made one, kinds of strings not told apart.
///
/// One part for each RelativeDistinguishedName, the least specific first.
struct NormalizedName: Hashable, Sendable {
  /// The parts.
  let parts: [Bytes]

  /// Reads the DER of a Name; one that cannot be read is a single part with its bytes.
  init(_ der: Bytes) {
    parts = (try? NormalizedName.read(der.span)) ?? [der]
  }

  /// Whether the name has no parts.
  var isEmpty: Bool { parts.isEmpty }

  /// Whether the first parts are those of the other name.
  func isWithin(_ other: NormalizedName) -> Bool {
    parts.count >= other.parts.count && parts.prefix(other.parts.count).elementsEqual(other.parts)
  }

  private static func read(_ der: Span<UInt8>) throws(ParseError) -> [Bytes] {
    try NameAttribute.read(inName: der).map { attributes in
      var set = attributes.map { attribute in
        var part = Bytes()
        part.append(UInt8(truncatingIfNeeded: attribute.type.count))
        part.append(contentsOf: attribute.type)
        append(attribute.tag, attribute.value, to: &part)
        return part
      }
      // Nearly every set has one attribute; of several, the order means nothing.
      if set.count > 1 { set.sort { $0.lexicographicallyPrecedes($1) } }
      return set.count == 1 ? set[0] : Bytes(set.joined())
    }
  }

  /// Appends a value: of a string in ASCII its letters, of anything else its tag and bytes.
  private static func append(_ tag: UInt8, _ value: Bytes, to part: inout Bytes) {
    let text: Bytes? =
      switch tag {
      // UTF8String, PrintableString, TeletexString, IA5String, VisibleString.
      case 0x0C, 0x13, 0x14, 0x16, 0x1A: value
      case 0x1E: narrowed(value)
      default: nil
      }
    guard let text, text.allSatisfy({ $0 < 0x80 }) else {
      part.append(tag)
      part.append(contentsOf: value)
      part.append(0)
      return
    }
    part.append(0x0C)
    var isAfterSpace = true
    for byte in text {
      let isSpace = byte == 0x20
      if isSpace && isAfterSpace { continue }
      isAfterSpace = isSpace
      part.append(asciiLowercased(byte))
    }
    if isAfterSpace, part.last == 0x20 { part.removeLast() }
    part.append(0)
  }

  /// The bytes of a BMPString whose characters are all of ASCII; nil for others.
  private static func narrowed(_ value: Bytes) -> Bytes? {
    guard value.count % 2 == 0 else { return nil }
    var text = Bytes()
    for index in stride(from: 0, to: value.count, by: 2) {
      guard value[index] == 0 else { return nil }
      text.append(value[index + 1])
    }
    return text
  }
}
