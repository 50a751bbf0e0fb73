import ByteParsing

/// A Name (RFC 5280 §4.1.2.4) as text.
struct DistinguishedName {
  /// The maximum length of an attribute value's text in bytes. The upper bounds of RFC 5280 are below 33,000, the lengths in use below 200.
  static let maximumValueByteCount = 4096

  /// The maximum size of a name in bytes, which also bounds its text; a hostile one used in tests has 50 KiB.
  static let maximumByteCount = 1 << 16

  /// The name as in RFC 4514, the most specific part first.
  private(set) var text = ""

  /// The most specific commonName; nil if there is none.
  private(set) var commonName: String?

  /// The other commonName values, the least specific first.
  private(set) var otherCommonNames: [String] = []

  /// Whether a value was shortened; `…` represents the rest.
  private(set) var isShortened = false

  /// Decodes an `RDNSequence`, which must be complete.
  init(_ element: borrowing DERElement, _ field: StaticString) throws(ParseError) {
    let limit = DistinguishedName.maximumByteCount
    guard element.bytes.count <= limit else { throw ParseError(.limitReached(limit), in: field, at: element.contents.offset) }
    var parts: [String] = []
    var names = DERReader(element.contents)
    while !names.isAtEnd {
      var attributes = DERReader(try names.next(field, Tag.set).contents)
      var part = ""
      while !attributes.isAtEnd {
        if !part.isEmpty { part += "+" }
        part += try attribute(try attributes.next(field, Tag.sequence), field)
      }
      parts.append(part)
    }
    text = parts.last ?? ""
    for part in parts.dropLast().reversed() { text += "," + part }
  }

  /// Decodes an `AttributeTypeAndValue` as `type=value`.
  private mutating func attribute(_ element: borrowing DERElement, _ field: StaticString) throws(ParseError) -> String {
    var fields = DERReader(element.contents)
    let type = try fields.nextObjectIdentifier(field)
    let value = try fields.next(field)
    try fields.requireEnd(of: field)
    let name = DistinguishedName.shortNames[type] ?? type
    let limit = DistinguishedName.maximumValueByteCount
    let isLong = value.bytes.count > limit
    if isLong { isShortened = true }
    guard let text = text(ofType: value.tag, kept(value)) else {
      // RFC 4514 §2.4: a value that is not a string is written as its encoding.
      let encoding = hexadecimal(Bytes(copying: value.encoded.rest.extracting(first: limit)))
      return name + "=#" + encoding + (isLong ? "…" : "")
    }
    let whole = isLong ? text + "…" : text
    if type == "2.5.4.3" {
      if let commonName { otherCommonNames.append(commonName) }
      commonName = whole
    }
    return name + "=" + escapedForRFC4514(whole)
  }

  /// The contents up to the limit, without an incomplete UTF-8 character at the end.
  @_lifetime(copy value)
  private func kept(_ value: borrowing DERElement) -> Span<UInt8> {
    var end = DistinguishedName.maximumValueByteCount
    guard value.bytes.count > end else { return value.bytes }
    if value.tag != 0x1C, value.tag != 0x1E {
      for _ in 0..<3 where value.bytes[end] & 0xC0 == 0x80 { end -= 1 }
    }
    return value.bytes.extracting(first: end)
  }

  /// The text of a string type; nil for other types.
  private func text(ofType tag: UInt8, _ contents: Span<UInt8>) -> String? {
    switch tag {
    case 0x0C, 0x12...0x16, 0x19...0x1B: CertificateParsing.text(ofBytes: contents)
    case 0x1C: CertificateParsing.text(ofBytes: contents, unitByteCount: 4)
    case 0x1E: CertificateParsing.text(ofBytes: contents, unitByteCount: 2)
    default: nil
    }
  }

  /// The attribute types with short names in RFC 4514 §3; all others are written as OIDs.
  private static let shortNames = [
    "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
    "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
  ]
}

/// An attribute value with the escapes of RFC 4514 §2.4, which escapes no control character except NUL.
func escapedForRFC4514(_ value: String) -> String {
  let bytes = Array(value.utf8)
  let needsNoEscapes = bytes.allSatisfy { $0 > 0x2C && $0 != 0x3B && $0 != 0x3C && $0 != 0x3E && $0 != 0x5C }
  if needsNoEscapes { return value }
  var escaped = [UInt8]()
  escaped.reserveCapacity(bytes.count + 4)
  for (index, byte) in bytes.enumerated() {
    switch byte {
    case 0x00: escaped += [0x5C, 0x30, 0x30]
    case 0x22, 0x2B, 0x2C, 0x3B, 0x3C, 0x3E, 0x5C: escaped += [0x5C, byte]
    case 0x20 where index == 0 || index == bytes.count - 1: escaped += [0x5C, byte]
    case 0x23 where index == 0: escaped += [0x5C, byte]
    default: escaped.append(byte)
    }
  }
  return String(decoding: escaped, as: UTF8.self)
}
