package import ByteParsing

/// The maximum number of content bytes of an OBJECT IDENTIFIER; the longest in use have half as many.
private let maximumObjectIdentifierByteCount = 128

extension DERReader {
  /// Reads an OBJECT IDENTIFIER as dotted text.
  mutating func nextObjectIdentifier(_ field: StaticString) throws(ParseError) -> String {
    let element = try next(field, Tag.objectIdentifier)
    return try dottedObjectIdentifier(element.bytes, field, at: element.contents.offset)
  }
}

/// The dotted text of an OBJECT IDENTIFIER's content bytes (X.690 §8.19); arcs may be of any size.
///
/// Arcs with leading zeros are rejected: one identifier would then have several encodings, and software that compares bytes would not
/// recognize an extension.
package func dottedObjectIdentifier(_ contents: Span<UInt8>, _ field: StaticString, at offset: Int) throws(ParseError) -> String {
  guard contents.count <= maximumObjectIdentifierByteCount else {
    throw ParseError(.limitReached(maximumObjectIdentifierByteCount), in: field, at: offset)
  }
  guard contents.count > 0, contents[contents.count - 1] & 0x80 == 0 else {
    throw ParseError(.truncated(needed: 1, available: 0), in: field, at: offset + contents.count)
  }
  var text = ""
  var arc: UInt64 = 0
  var arcStart = 0
  for index in contents.indices {
    let byte = contents[index]
    guard index > arcStart || byte != 0x80 else { throw ParseError(.unexpectedValue(UInt64(byte)), in: field, at: offset + index) }
    // Eight times seven bits fit. Longer arcs, which UUIDs produce, are converted to decimal separately.
    if index - arcStart < 8 { arc = arc << 7 | UInt64(byte & 0x7F) }
    guard byte & 0x80 == 0 else { continue }
    // The first two arcs share one number: 40 times the first (0, 1 or 2) plus the second.
    let first: UInt64? = arcStart > 0 ? nil : min(arc / 40, 2)
    if let first { text += String(first) }
    text +=
      index - arcStart < 8
      ? ".\(arc - 40 * (first ?? 0))" : "." + decimal(longArc: contents.extracting(arcStart..<(index + 1)), minus: first == nil ? 0 : 80)
    arc = 0
    arcStart = index + 1
  }
  return text
}

/// An arc of more than eight bytes in decimal, less a small number.
private func decimal(longArc septets: Span<UInt8>, minus subtrahend: UInt32) -> String {
  // Groups of nine digits, least significant first.
  var groups: [UInt64] = [0]
  for index in septets.indices {
    var carry = UInt64(septets[index] & 0x7F)
    for position in groups.indices {
      let value = groups[position] * 128 + carry
      groups[position] = value % 1_000_000_000
      carry = value / 1_000_000_000
    }
    if carry > 0 { groups.append(carry) }
  }
  var borrow = UInt64(subtrahend)
  for position in groups.indices where borrow > 0 {
    let isLess = groups[position] < borrow
    groups[position] = groups[position] + (isLess ? 1_000_000_000 : 0) - borrow
    borrow = isLess ? 1 : 0
  }
  if groups.count > 1, groups.last == 0 { groups.removeLast() }
  return groups.reversed().enumerated().reduce(into: "") { text, next in
    let digits = String(next.element)
    if next.offset > 0 { text += String(repeating: "0", count: 9 - digits.utf8.count) }
    text += digits
  }
}
