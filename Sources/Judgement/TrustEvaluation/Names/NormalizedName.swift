import ByteParsing
import CertificateParsing

/// A Name in a form that is equal for all Names that the system considers equal (`createNormalizedX501Name`). The comparison is byte by
/// byte, except that PrintableString ignores letter case and repeated spaces; string types are distinguished.
struct NormalizedName: Hashable, Sendable {
  /// The RelativeDistinguishedNames, the least specific first, encoded so that none is a prefix of another.
  private let key: ByteKey

  /// Parses the DER of a Name; one that cannot be parsed becomes a single part with its bytes.
  init(_ der: Bytes) {
    key = ByteKey((try? NormalizedName.read(der.span)) ?? NormalizedName.unreadable(der.span))
  }

  var isEmpty: Bool { key.bytes.isEmpty }

  // The marks before each attribute, after the last one of a RelativeDistinguishedName, and before a Name that cannot be parsed.
  private static let attributeMark: UInt8 = 1
  private static let endMark: UInt8 = 0
  private static let unreadableMark: UInt8 = 2

  private static func read(_ der: Span<UInt8>) throws(ParseError) -> Bytes {
    var name = Bytes()
    name.reserveCapacity(2 * der.count)
    var outer = DERReader(der)
    var sets = DERReader(try outer.next("sequence", 0x30).contents)
    while !sets.isAtEnd {
      var attributes = DERReader(try sets.next("set", 0x31).contents)
      while !attributes.isAtEnd {
        var fields = DERReader(try attributes.next("sequence", 0x30).contents)
        name.append(attributeMark)
        append(try fields.next("object identifier", 0x06).contents.rest, to: &name)
        let value = try fields.next("value")
        name.append(value.tag)
        if value.tag == 0x13 {
          appendPrintable(value.contents.rest, to: &name)
        } else {
          append(value.contents.rest, to: &name)
        }
      }
      name.append(endMark)
    }
    return name
  }

  private static func unreadable(_ der: Span<UInt8>) -> Bytes {
    var name: Bytes = [unreadableMark]
    append(der, to: &name)
    return name
  }

  /// Appends the number of bytes, then the bytes.
  private static func append(_ bytes: Span<UInt8>, to name: inout Bytes) {
    appendCount(bytes.count, to: &name)
    name.append(copying: bytes)
  }

  /// Appends a PrintableString in lowercase, trimmed, and with runs of spaces collapsed.
  private static func appendPrintable(_ text: Span<UInt8>, to name: inout Bytes) {
    let start = name.count
    appendCount(0, to: &name)
    let first = name.count
    var isAfterBlank = true
    for index in text.indices {
      let byte = text[index]
      let isBlank = isWSP(byte)
      if isBlank && isAfterBlank { continue }
      isAfterBlank = isBlank
      name.append(isBlank ? 0x20 : asciiLowercased(byte))
    }
    if isAfterBlank, name.count > first { name.removeLast() }
    let count = name.count - first
    for byte in 0..<4 { name[start + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
  }

  private static func appendCount(_ count: Int, to name: inout Bytes) {
    for byte in 0..<4 { name.append(UInt8(truncatingIfNeeded: count >> (8 * byte))) }
  }
}
