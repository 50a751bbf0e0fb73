import ByteParsing

extension BinaryPropertyListReader {
  /// Reads an object that contains no references to others.
  mutating func readScalar(at offset: Int) throws(PropertyListError) -> PropertyListValue {
    let marker = bytes[offset]
    switch marker >> 4 {
    case 0x0: return try readConstant(at: offset)
    case 0x1: return .integer(try readInteger(at: offset))
    case 0x2: return .real(try readReal(at: offset))
    case 0x3:
      guard marker == 0x33 else { throw unknownMarker(at: offset) }
      return .date(Double(bitPattern: try integer(at: offset + 1, byteCount: 8)))
    case 0x4:
      let (count, start) = try readCount(at: offset, itemSize: 1)
      try spend(count, at: offset)
      return .data(Bytes(bytes[start..<(start + count)]))
    case 0x5: return .string(try readASCII(at: offset))
    case 0x6: return .string(try readUTF16(at: offset))
    case 0x8:
      guard marker & 0x0F < 8 else { throw unknownMarker(at: offset) }
      return .uid(try integer(at: offset + 1, byteCount: Int(marker & 0x0F) + 1))
    default: throw unknownMarker(at: offset)
    }
  }

  private func readConstant(at offset: Int) throws(PropertyListError) -> PropertyListValue {
    switch bytes[offset] {
    case 0x00: .null
    case 0x08: .boolean(false)
    case 0x09: .boolean(true)
    default: throw unknownMarker(at: offset)
    }
  }

  private func readInteger(at offset: Int) throws(PropertyListError) -> PropertyListInteger {
    // Integers of one, two and four bytes are unsigned, those of eight and sixteen signed.
    switch bytes[offset] & 0x0F {
    case 0...2: PropertyListInteger(try integer(at: offset + 1, byteCount: 1 << Int(bytes[offset] & 0x0F)))
    case 3: PropertyListInteger(Int64(bitPattern: try integer(at: offset + 1, byteCount: 8)))
    case 4:
      PropertyListInteger(
        high: Int64(bitPattern: try integer(at: offset + 1, byteCount: 8)), low: try integer(at: offset + 9, byteCount: 8))
    default: throw unknownMarker(at: offset)
    }
  }

  private func readReal(at offset: Int) throws(PropertyListError) -> Double {
    switch bytes[offset] & 0x0F {
    case 2:
      Double(Float(bitPattern: UInt32(truncatingIfNeeded: try integer(at: offset + 1, byteCount: 4))))
    case 3: Double(bitPattern: try integer(at: offset + 1, byteCount: 8))
    default: throw unknownMarker(at: offset)
    }
  }

  private mutating func readASCII(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try readCount(at: offset, itemSize: 1)
    try spend(count, at: offset)
    let text = bytes[start..<(start + count)]
    guard text.allSatisfy({ $0 < 0x80 }) else {
      throw PropertyListError(.malformed("a byte beyond ASCII in an ASCII string"), at: .byte(offset))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readUTF16(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try readCount(at: offset, itemSize: 2)
    // A UTF-16 unit of two bytes can become three bytes in UTF-8.
    try spend(3 * count, at: offset)
    var units: [UInt16] = []
    units.reserveCapacity(count)
    for index in 0..<count {
      units.append(bytes.raw.big16(start + 2 * index))
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Reads the size of an object and checks that its content exists: `count` items of `itemSize` bytes.
  func readCount(at offset: Int, itemSize: Int) throws(PropertyListError) -> (count: Int, start: Int) {
    var count = UInt64(bytes[offset] & 0x0F)
    var start = offset + 1
    if count == 0x0F {
      // A size above 14 is stored in an integer object that follows.
      guard start < tableOffset, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else {
        throw PropertyListError(.malformed("the size of an object is not an integer"), at: .byte(start))
      }
      let width = 1 << Int(bytes[start] & 0x0F)
      count = try integer(at: start + 1, byteCount: width)
      start += 1 + width
    }
    guard count <= UInt64((tableOffset - start) / itemSize) else {
      throw PropertyListError(.malformed("an object of \(count) items does not fit the file"), at: .byte(offset))
    }
    return (Int(count), start)
  }

  /// The offset of an object, which must be between the header and the table.
  func offset(of number: Int) throws(PropertyListError) -> Int {
    let entry = tableOffset + number * offsetSize
    guard number < objectCount, let value = BinaryPropertyListReader.integer(in: bytes, at: entry, byteCount: offsetSize), value >= 8,
      value < UInt64(tableOffset)
    else { throw PropertyListError(.malformed("the offset of object \(number) is wrong"), at: .byte(entry)) }
    return Int(value)
  }

  func reference(at offset: Int) throws(PropertyListError) -> Int {
    let number = try integer(at: offset, byteCount: referenceSize)
    guard number < UInt64(objectCount) else {
      throw PropertyListError(.malformed("a reference to object \(number) of \(objectCount)"), at: .byte(offset))
    }
    return Int(number)
  }

  /// A big-endian integer of 1 to 8 bytes from the objects.
  private func integer(at offset: Int, byteCount: Int) throws(PropertyListError) -> UInt64 {
    guard offset + byteCount <= tableOffset, let value = BinaryPropertyListReader.integer(in: bytes, at: offset, byteCount: byteCount)
    else { throw PropertyListError(.malformed("an object runs into the offset table"), at: .byte(offset)) }
    return value
  }

  static func integer(in bytes: Bytes, at offset: Int, byteCount: Int) -> UInt64? {
    guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
    return bytes[offset..<(offset + byteCount)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  func unknownMarker(at offset: Int) -> PropertyListError {
    PropertyListError(.malformed("an object of the unknown type 0x\(hexadecimal([bytes[offset]]))"), at: .byte(offset))
  }
}
