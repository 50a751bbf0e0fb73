import ByteParsing
import SwiftASN1

/// A Name (RFC 5280 §4.1.2.4) as text.
struct DistinguishedName {
  /// Value text beyond this many bytes is left out; upper bounds of RFC 5280 are below 33,000, those in use below 200.
  static let valueByteCountLimit = 4096

  /// RFC 4514, the most specific part first.
  var text = ""

  /// The most specific commonName.
  var commonName: String?

  /// Whether a value was longer than is kept; `…` stands for the rest.
  var isShortened = false

  /// Reads `RDNSequence`.
  init(_ node: ASN1Node, _ field: StaticString) throws(ParseError) {
    var parts: [String] = []
    var names = try NodeFields(node, field)
    while !names.isAtEnd {
      var attributes = try NodeFields(try names.next(field, Tag.set), field)
      var part = ""
      while !attributes.isAtEnd {
        if !part.isEmpty { part += "+" }
        part += try attribute(try attributes.next(field, Tag.sequence), field)
      }
      parts.append(part)
    }
    text = parts.reversed().joined(separator: ",")
  }

  /// Reads `AttributeTypeAndValue`: `type=value`.
  private mutating func attribute(_ node: ASN1Node, _ field: StaticString) throws(ParseError) -> String {
    var fields = try NodeFields(node, field)
    let type = try fields.next(field).objectIdentifier(field)
    let value = try fields.next(field)
    let name = DistinguishedName.shortNames[type] ?? type
    guard let plain = plainText(of: value) else {
      // RFC 4514 §2.4: what is not a string is written as its encoding.
      if value.encodedBytes.count > DistinguishedName.valueByteCountLimit { isShortened = true }
      return name + "=#" + hexadecimal(value.encodedBytes.prefix(DistinguishedName.valueByteCountLimit))
        + (value.encodedBytes.count > DistinguishedName.valueByteCountLimit ? "…" : "")
    }
    if type == "2.5.4.3" { commonName = plain }
    return name + "=" + escapedForRFC4514(plain)
  }

  /// The text of a string type; nil for other types.
  private mutating func plainText(of node: ASN1Node) -> String? {
    guard case .primitive(let contents) = node.content else { return nil }
    let limit = DistinguishedName.valueByteCountLimit
    let kept = contents.prefix(limit)
    let text: String? =
      switch node.identifier {
      case .utf8String, .printableString, .ia5String, .teletexString, .numericString, .visibleString,
        .generalString, .graphicString, .videotexString:
        CertificateParsing.text(ofBytes: kept)
      case .bmpString: CertificateParsing.text(ofBytes: kept, unitByteCount: 2)
      case .universalString: CertificateParsing.text(ofBytes: kept, unitByteCount: 4)
      default: nil
      }
    guard let text, contents.count > limit else { return text }
    isShortened = true
    return text + "…"
  }

  /// The attribute types that RFC 4514 §3 gives short names; all others stand as numbers.
  private static let shortNames = [
    "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
    "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
  ]
}

/// An attribute value with the escapes of RFC 4514 §2.4; of the control characters only NUL is one that it names.
func escapedForRFC4514(_ value: String) -> String {
  var escaped = [UInt8]()
  let bytes = Array(value.utf8)
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
