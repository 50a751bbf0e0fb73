package import ByteParsing

/// Encodes elements in DER, for the few structures that are rebuilt.
package enum DEREncoding {
  /// Encodes an element: its identifier octet, a length in the shortest form, and the parts as its contents.
  package static func element(_ tag: UInt8, _ parts: Bytes...) -> Bytes {
    let count = parts.reduce(0) { $0 + $1.count }
    var encoded: Bytes = [tag]
    encoded.reserveCapacity(count + 10)
    if count < 0x80 {
      encoded.append(UInt8(count))
    } else {
      let octetCount = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
      encoded.append(0x80 | UInt8(octetCount))
      for index in (0..<octetCount).reversed() {
        encoded.append(UInt8(truncatingIfNeeded: count >> (8 * index)))
      }
    }
    for part in parts { encoded += part }
    return encoded
  }

  /// Encodes an INTEGER from an unsigned number, most significant byte first.
  package static func unsignedInteger(_ magnitude: some Collection<UInt8>) -> Bytes {
    var contents = Bytes(magnitude.drop { $0 == 0 })
    if contents.first ?? 0x80 >= 0x80 { contents.insert(0, at: 0) }
    return element(Tag.integer, contents)
  }
}
