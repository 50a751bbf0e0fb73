import ByteParsing
import CertificateParsing

/// What authorityKeyIdentifier says besides the key identifier (RFC 5280 §4.2.1.1).
enum AuthorityKeyIdentifier {
  /// `authorityCertSerialNumber` in hexadecimal, as it stands; nil where it is absent.
  static func serial(of certificate: Certificate) -> String? {
    guard let known = certificate.extensions.first(where: { $0.objectIdentifier == "2.5.29.35" }) else {
      return nil
    }
    let value = certificate.bytes(known.valueRange)
    var fields = ByteReader(value.span)
    do throws(ParseError) {
      guard try fields.readUInt8("identifier") == 0x30 else { return nil }
      var list = try fields.readBody(byteCount: try length(&fields), "AuthorityKeyIdentifier")
      while list.remaining > 0 {
        let tag = try list.readUInt8("identifier")
        let contents = try list.readBody(byteCount: try length(&list), "AuthorityKeyIdentifier")
        if tag == 0x82 { return hexadecimal(Bytes(copying: contents.rest)) }
      }
    } catch {
      return nil
    }
    return nil
  }

  private static func length(_ reader: inout ByteReader) throws(ParseError) -> Int {
    let first = try reader.readUInt8("length")
    guard first & 0x80 != 0 else { return Int(first) }
    return Int(try reader.readInteger(byteCount: min(max(Int(first & 0x7F), 1), 2), "length"))
  }
}
