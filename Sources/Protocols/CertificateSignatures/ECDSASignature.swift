import ByteParsing
import CertificateParsing

/// Decodes `Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3) strictly.
///
/// The library returns a Bool, which does not distinguish a malformed signature from a wrong one, and its treatment of encodings that DER
/// does not allow is unspecified.
///
/// - Returns: r and s, each with the length of the field; nil if the signature is malformed, or a number is zero or too large.
func rawECDSASignature(_ der: ArraySlice<UInt8>, fieldByteCount: Int) -> Bytes? {
  let der = Bytes(der)
  var outer = DERReader(der.span)
  guard let sequence = try? outer.next("Ecdsa-Sig-Value", 0x30), sequence.hasShortestLength, outer.isAtEnd else { return nil }
  var numbers = DERReader(sequence.contents)
  var raw = Bytes()
  for _ in 0..<2 {
    guard let number = try? numbers.next("INTEGER", 0x02), number.hasShortestLength else { return nil }
    var digits = Bytes(copying: number.bytes)[...]
    // A leading zero is only allowed, and then required, before a number whose first bit is set; r and s are never zero.
    if digits.first == 0 {
      digits = digits.dropFirst()
      guard let second = digits.first, second >= 0x80 else { return nil }
    } else if digits.first ?? 0x80 >= 0x80 {
      return nil
    }
    guard digits.count <= fieldByteCount else { return nil }
    raw += Bytes(repeating: 0, count: fieldByteCount - digits.count) + digits
  }
  return numbers.isAtEnd ? raw : nil
}
