import ByteParsing

extension Certificate {
  /// `authorityCertSerialNumber` of authorityKeyIdentifier in hexadecimal, as it stands; nil where it is absent or cannot
  /// be read (RFC 5280 §4.2.1.1). Looked for when it is requested, as of few certificates it is.
  public var authorityCertSerialNumber: String? {
    guard let known = extensions.first(where: { $0.objectIdentifier == "2.5.29.35" }) else { return nil }
    let value = bytes(known.valueRange)
    var fields = ByteReader(value.span)
    do throws(ParseError) {
      guard try fields.readUInt8("identifier") == 0x30 else { return nil }
      var list = try fields.readBody(byteCount: try fields.readShortLength(), "AuthorityKeyIdentifier")
      while list.remaining > 0 {
        let tag = try list.readUInt8("identifier")
        let contents = try list.readBody(byteCount: try list.readShortLength(), "AuthorityKeyIdentifier")
        if tag == 0x82 { return hexadecimal(Bytes(copying: contents.rest)) }
      }
    } catch {
      return nil
    }
    return nil
  }
}

extension ByteReader {
  /// Reads a length of DER that takes two bytes at most after the first.
  fileprivate mutating func readShortLength() throws(ParseError) -> Int {
    let first = try readUInt8("length")
    guard first & 0x80 != 0 else { return Int(first) }
    return Int(try readInteger(byteCount: min(max(Int(first & 0x7F), 1), 2), "length"))
  }
}
