import ByteParsing

extension Certificate {
  /// `authorityCertSerialNumber` of authorityKeyIdentifier in hexadecimal, as encoded; nil if it is absent or cannot be decoded (RFC 5280
  /// §4.2.1.1). Decoded on each access, since it is rarely needed.
  package var authorityCertSerialNumber: String? {
    guard let value = extensionValue("2.5.29.35") else { return nil }
    var outer = DERReader(value.span)
    guard let list = try? outer.next("authorityKeyIdentifier", Tag.sequence) else { return nil }
    var fields = DERReader(list.contents)
    while let field = try? fields.next("authorityKeyIdentifier") {
      if field.tag == Tag.context(2) { return hexadecimal(Bytes(copying: field.bytes)) }
    }
    return nil
  }
}
