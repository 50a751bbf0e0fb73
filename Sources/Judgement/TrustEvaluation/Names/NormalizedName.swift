import ByteParsing

/// A Name in a form that is equal for names that are equal (RFC 5280 §7.1): letters of ASCII in lower case, runs of
/// spaces made one, kinds of strings not told apart.
struct NormalizedName: Equatable, Sendable {
  /// The RelativeDistinguishedNames, the least specific first, each written so that no other begins with it.
  private let bytes: Bytes

  /// A hash for tables, which differs from run to run.
  let digest: Int

  private static let seed = UInt64.random(in: .min ... .max)

  /// Reads the DER of a Name; one that cannot be read is a single part with its bytes.
  init(_ der: Bytes) {
    let bytes = (try? NormalizedName.read(der.span)) ?? NormalizedName.unreadable(der.span)
    digest = Int(truncatingIfNeeded: seededHash(of: bytes.span, seed: NormalizedName.seed))
    self.bytes = bytes
  }

  /// Whether the name has no parts.
  var isEmpty: Bool { bytes.isEmpty }

  /// Whether the first parts are those of the other name.
  func isWithin(_ other: NormalizedName) -> Bool {
    bytes.count >= other.bytes.count
      && isEqual(bytes.span.extracting(0..<other.bytes.count), other.bytes.span)
  }

  static func == (a: NormalizedName, b: NormalizedName) -> Bool {
    a.digest == b.digest && isEqual(a.bytes.span, b.bytes.span)
  }

  // What stands before each attribute, behind the last one of a RelativeDistinguishedName, and before a Name that cannot
  // be read.
  private static let attributeMark: UInt8 = 1
  private static let endMark: UInt8 = 0
  private static let unreadableMark: UInt8 = 2

  private static func read(_ der: Span<UInt8>) throws(ParseError) -> Bytes {
    var name = Bytes()
    name.reserveCapacity(2 * der.count)
    var starts: [Int] = []
    var outer = ElementReader(der)
    var sets = ElementReader(try outer.next(0x30).contents)
    while !sets.isAtEnd {
      starts.removeAll(keepingCapacity: true)
      var attributes = ElementReader(try sets.next(0x31).contents)
      while !attributes.isAtEnd {
        var fields = ElementReader(try attributes.next(0x30).contents)
        starts.append(name.count)
        name.append(attributeMark)
        append(try fields.next(0x06).contents.rest, to: &name)
        let value = try fields.next()
        append(value.tag, value.contents.rest, to: &name)
      }
      if starts.count > 1 { sort(&name, starts) }
      name.append(endMark)
    }
    return name
  }

  private static func unreadable(_ der: Span<UInt8>) -> Bytes {
    var name: Bytes = [unreadableMark]
    append(der, to: &name)
    return name
  }

  /// Brings the last attributes into an order of their own: in a set, theirs means nothing. Nearly every set has one.
  private static func sort(_ name: inout Bytes, _ starts: [Int]) {
    let ends = starts.dropFirst() + [name.count]
    let attributes = zip(starts, ends).map { Bytes(name[$0..<$1]) }
    name.removeSubrange(starts[0]...)
    for attribute in attributes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      name.append(contentsOf: attribute)
    }
  }

  /// Appends bytes behind their number.
  private static func append(_ bytes: Span<UInt8>, to name: inout Bytes) {
    appendCount(bytes.count, to: &name)
    name.append(copying: bytes)
  }

  /// Appends a value: of a string in ASCII its letters, of anything else its tag and bytes.
  private static func append(_ tag: UInt8, _ value: Span<UInt8>, to name: inout Bytes) {
    switch tag {
    // UTF8String, PrintableString, TeletexString, IA5String, VisibleString.
    case 0x0C, 0x13, 0x14, 0x16, 0x1A: if appendText(value, to: &name) { return }
    case 0x1E: if let text = narrowed(value), appendText(text.span, to: &name) { return }
    default: break
    }
    name.append(tag)
    append(value, to: &name)
  }

  /// Appends the letters of a text in ASCII; appends nothing and returns false for any other.
  private static func appendText(_ text: Span<UInt8>, to name: inout Bytes) -> Bool {
    for index in text.indices where text[index] >= 0x80 { return false }
    name.append(0x0C)
    let start = name.count
    appendCount(0, to: &name)
    let first = name.count
    var isAfterSpace = true
    for index in text.indices {
      let byte = text[index]
      let isSpace = byte == 0x20
      if isSpace && isAfterSpace { continue }
      isAfterSpace = isSpace
      name.append(asciiLowercased(byte))
    }
    if isAfterSpace, name.count > first { name.removeLast() }
    let count = name.count - first
    for place in 0..<4 { name[start + place] = UInt8(truncatingIfNeeded: count >> (8 * place)) }
    return true
  }

  private static func appendCount(_ count: Int, to name: inout Bytes) {
    for place in 0..<4 { name.append(UInt8(truncatingIfNeeded: count >> (8 * place))) }
  }

  /// The bytes of a BMPString whose characters are all of ASCII; nil for others.
  private static func narrowed(_ value: Span<UInt8>) -> Bytes? {
    guard value.count % 2 == 0 else { return nil }
    var text = Bytes()
    for index in stride(from: 0, to: value.count, by: 2) {
      guard value[index] == 0 else { return nil }
      text.append(value[index + 1])
    }
    return text
  }
}
