import ByteParsing

/// `Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), read strictly.
///
/// The library's answer is a Bool, which would not tell a malformed signature from a wrong one; and what it makes of
/// encodings that DER does not allow is its own affair.
struct ECDSASignature {
  /// r and s one after the other, each of as many bytes as the field has.
  let raw: Bytes

  /// Reads a signature for a field of so many bytes; nil where it is malformed or a number is too great or zero.
  init?(_ der: ArraySlice<UInt8>, fieldByteCount: Int) {
    var reader = StrictReader(der)
    guard let length = reader.header(0x30), length == reader.remaining else { return nil }
    guard let r = reader.unsignedInteger(byteCount: fieldByteCount),
      let s = reader.unsignedInteger(byteCount: fieldByteCount), reader.remaining == 0
    else { return nil }
    raw = r + s
  }
}

/// Reads the few elements of a signature, in the one form that DER has for each.
private struct StrictReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - position }

  /// Reads identifier and length; nil where it is another element or the length is not in its shortest form.
  mutating func header(_ tag: UInt8) -> Int? {
    guard remaining >= 2, bytes[position] == tag else { return nil }
    let first = Int(bytes[position + 1])
    position += 2
    if first < 0x80 { return first <= remaining ? first : nil }
    // The signature of a field of 521 bits has 139 bytes at most.
    guard first == 0x81, remaining >= 1 else { return nil }
    let length = Int(bytes[position])
    position += 1
    return length >= 0x80 && length <= remaining ? length : nil
  }

  /// Reads a positive INTEGER and fills it up with zeros in front.
  mutating func unsignedInteger(byteCount: Int) -> Bytes? {
    guard let length = header(0x02), length > 0 else { return nil }
    var digits = bytes[position..<(position + length)]
    position += length
    guard let first = digits.first, first < 0x80 else { return nil }
    if first == 0 {
      digits = digits.dropFirst()
      // A zero comes before a number whose first bit is set, and nowhere else; zero itself is no r or s.
      guard let second = digits.first, second >= 0x80 else { return nil }
    }
    guard digits.count <= byteCount else { return nil }
    return Bytes(repeating: 0, count: byteCount - digits.count) + digits
  }
}
