import ByteParsing

/// `Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), decoded strictly.
///
/// The library returns a Bool, which does not distinguish a malformed signature from a wrong one, and its treatment of encodings that DER
/// does not allow is unspecified.
struct ECDSASignature {
  /// r and s, each with the length of the field.
  let raw: Bytes

  /// Decodes a signature for a field of this length; nil if it is malformed, or a number is zero or too large.
  init?(_ der: ArraySlice<UInt8>, fieldByteCount: Int) {
    var reader = StrictReader(der)
    guard let length = reader.header(0x30), length == reader.remaining else { return nil }
    guard let r = reader.unsignedInteger(byteCount: fieldByteCount),
      let s = reader.unsignedInteger(byteCount: fieldByteCount), reader.remaining == 0
    else { return nil }
    raw = r + s
  }
}

/// Reads the elements of a signature, in the only encoding that DER allows for each.
private struct StrictReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - position }

  /// Reads identifier and length; nil if it is another element, or the length is not in its shortest form.
  mutating func header(_ tag: UInt8) -> Int? {
    guard remaining >= 2, bytes[position] == tag else { return nil }
    let first = Int(bytes[position + 1])
    position += 2
    if first < 0x80 { return first <= remaining ? first : nil }
    // A signature for a field of 521 bits has at most 139 bytes.
    guard first == 0x81, remaining >= 1 else { return nil }
    let length = Int(bytes[position])
    position += 1
    return length >= 0x80 && length <= remaining ? length : nil
  }

  /// Reads a positive INTEGER and pads it with leading zeros.
  mutating func unsignedInteger(byteCount: Int) -> Bytes? {
    guard let length = header(0x02), length > 0 else { return nil }
    var digits = bytes[position..<(position + length)]
    position += length
    guard let first = digits.first, first < 0x80 else { return nil }
    if first == 0 {
      digits = digits.dropFirst()
      // A leading zero is only allowed before a number whose first bit is set; r and s are never zero.
      guard let second = digits.first, second >= 0x80 else { return nil }
    }
    guard digits.count <= byteCount else { return nil }
    return Bytes(repeating: 0, count: byteCount - digits.count) + digits
  }
}
