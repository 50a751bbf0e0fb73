/// An array of bytes.
///
/// `ContiguousArray`, because its `span` exists on every supported system; `Array.span` requires macOS 26.
public typealias Bytes = ContiguousArray<UInt8>

extension Bytes {
  /// All bytes that `read` returns; nil if those are more than `limit`.
  ///
  /// `read` writes the next bytes from an index on, and returns how many: 0 at the end. `expected` is the number of bytes if that is known.
  @inlinable
  package static func reading<Failure: Error>(
    upTo limit: Int, expected: Int = 0, _ read: (_ buffer: inout Bytes, _ start: Int) throws(Failure) -> Int
  ) throws(Failure) -> Bytes? {
    // With one byte more, the call that returns 0 needs no larger buffer.
    var buffer = Bytes(repeating: 0, count: Swift.max(expected + 1, 4096))
    var count = 0
    while true {
      if count == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
      let added = try read(&buffer, count)
      count += added
      guard count <= limit else { return nil }
      guard added > 0 else { break }
    }
    buffer.removeLast(buffer.count - count)
    return buffer
  }
}

/// The lower-case hexadecimal digits of the bytes, two for each.
@inlinable
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text = Bytes()
  text.reserveCapacity(2 * bytes.underestimatedCount)
  for byte in bytes {
    text.append(hexadecimalDigit(byte >> 4))
    text.append(hexadecimalDigit(byte & 0x0F))
  }
  return String(decoding: text, as: UTF8.self)
}

/// The hexadecimal digit of the lowest four bits, in ASCII.
@inlinable
package func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  let nibble = value & 0x0F
  return nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
}

/// Decodes hexadecimal digits; nil if there are other characters, or an odd number of digits.
package func bytes(ofHexadecimal text: String) -> Bytes? {
  var bytes = Bytes()
  var high: UInt8?
  for digit in text.utf8 {
    let value: UInt8
    switch digit {
    case 0x30...0x39: value = digit - 0x30
    case 0x61...0x66: value = digit - 0x61 + 10
    case 0x41...0x46: value = digit - 0x41 + 10
    default: return nil
    }
    if let first = high {
      bytes.append(first << 4 | value)
      high = nil
    } else {
      high = value
    }
  }
  return high == nil ? bytes : nil
}

/// The byte with A to Z converted to lower case.
@inlinable
package func asciiLowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
