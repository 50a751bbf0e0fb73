import ByteParsing
import CertificateParsing

/// One attribute of a Name (RFC 5280 §4.1.2.4).
struct NameAttribute {
  /// The contents of the attribute's object identifier.
  let type: Bytes
  /// The identifier octet of the value.
  let tag: UInt8

  /// The contents of the value.
  let value: Bytes

  /// The attributes of a Name in DER, grouped by RelativeDistinguishedName, the least specific first.
  static func read(inName der: Span<UInt8>) throws(ParseError) -> [[NameAttribute]] {
    var outer = DERReader(der)
    var names = DERReader(try outer.next("sequence", 0x30).contents)
    var result: [[NameAttribute]] = []
    while !names.isAtEnd {
      var attributes = DERReader(try names.next("set", 0x31).contents)
      var set: [NameAttribute] = []
      while !attributes.isAtEnd {
        var fields = DERReader(try attributes.next("sequence", 0x30).contents)
        let type = Bytes(copying: try fields.next("object identifier", 0x06).bytes)
        let value = try fields.next("value")
        set.append(NameAttribute(type: type, tag: value.tag, value: Bytes(copying: value.bytes)))
      }
      result.append(set)
    }
    return result
  }
}
