import ByteParsing

extension Certificate {
  /// `authorityCertSerialNumber` of authorityKeyIdentifier in hexadecimal, as encoded; nil if it is absent or cannot be decoded (RFC 5280
  /// §4.2.1.1). Decoded on each access, since it is rarely needed.
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
  /// Reads a DER length of at most two bytes after the first.
  fileprivate mutating func readShortLength() throws(ParseError) -> Int {
    let first = try readUInt8("length")
    guard first & 0x80 != 0 else { return Int(first) }
    return Int(try readInteger(byteCount: min(max(Int(first & 0x7F), 1), 2), "length"))
  }
}
