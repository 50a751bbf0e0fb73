import ByteParsing

/// One attribute of a Name (RFC 5280 §4.1.2.4).
struct NameAttribute {
  /// The contents of its object identifier.
  let type: Bytes

  /// The identifier octet of its value.
  let tag: UInt8

  /// The contents of its value.
  let value: Bytes

  /// The attributes of a Name in DER by RelativeDistinguishedName, the least specific first.
  static func read(inName der: Span<UInt8>) throws(ParseError) -> [[NameAttribute]] {
    var outer = ElementReader(der)
    var names = ElementReader(try outer.next(0x30).contents)
    var result: [[NameAttribute]] = []
    while !names.isAtEnd {
      var attributes = ElementReader(try names.next(0x31).contents)
      var set: [NameAttribute] = []
      while !attributes.isAtEnd {
        var fields = ElementReader(try attributes.next(0x30).contents)
        let type = try fields.next(0x06).bytes
        let value = try fields.next()
        set.append(NameAttribute(type: type, tag: value.tag, value: value.bytes))
      }
      result.append(set)
    }
    return result
  }
}
