import ByteParsing

/// Makes ZIP archives for tests, with stored members or members that unpack to zeros.
struct ZIPBuilder {
  private var output = Bytes()
  private var directory = Bytes()
  private var count: UInt16 = 0

  /// Adds a stored member.
  mutating func add(_ name: String, _ content: Bytes) {
    add(name, packed: content, method: 0, crc: ZIPBuilder.crc(content), size: UInt32(content.count))
  }

  /// Adds a member of packed bytes; its header may give a wrong size and checksum of the unpacked ones.
  mutating func add(_ name: String, packed: Bytes, method: UInt16, crc: UInt32, size: UInt32) {
    let offset = UInt32(output.count)
    var fields = Bytes()
    fields.append(little: UInt16(20))
    fields.append(little: UInt16(0x0800))
    fields.append(little: method)
    fields.append(little: UInt32(0))
    fields.append(little: crc)
    fields.append(little: UInt32(packed.count))
    fields.append(little: size)
    fields.append(little: UInt16(name.utf8.count))
    fields.append(little: UInt16(0))
    output.append(little: 0x0403_4B50 as UInt32)
    output.append(contentsOf: fields)
    output.append(contentsOf: name.utf8)
    output.append(contentsOf: packed)
    directory.append(little: 0x0201_4B50 as UInt32)
    directory.append(little: UInt16(20))
    directory.append(contentsOf: fields)
    for _ in 0..<3 { directory.append(little: UInt16(0)) }
    directory.append(little: UInt32(0))
    directory.append(little: offset)
    directory.append(contentsOf: name.utf8)
    count += 1
  }

  /// Adds a member that unpacks to 1 + 258 × `copies` zeros, from about a hundredth of that size.
  mutating func addZeros(_ name: String, copies: Int, crc: UInt32) {
    let content = ZIPBuilder.zeros(copies: copies)
    add(name, packed: content, method: 8, crc: crc, size: UInt32(1 + copies * 258))
  }

  /// The whole archive.
  var bytes: Bytes {
    var bytes = output
    bytes.append(contentsOf: directory)
    bytes.append(little: 0x0605_4B50 as UInt32)
    bytes.append(little: UInt32(0))
    bytes.append(little: count)
    bytes.append(little: count)
    bytes.append(little: UInt32(directory.count))
    bytes.append(little: UInt32(output.count))
    bytes.append(little: UInt16(0))
    return bytes
  }

  /// A deflated zero and copies of 258 bytes from one byte back, in the fixed code (RFC 1951 §3.2.6).
  private static func zeros(copies: Int) -> Bytes {
    var bits = Bytes()
    var pending: UInt8 = 0
    var used = 0
    func put(_ bit: Bool) {
      if bit { pending |= 1 << UInt8(used) }
      used += 1
      if used == 8 {
        bits.append(pending)
        (pending, used) = (0, 0)
      }
    }
    func put(_ code: Int, bits count: Int) { for bit in (0..<count).reversed() { put(code >> bit & 1 == 1) } }
    put(0b110, bits: 3)
    put(0b0011_0000, bits: 8)
    for _ in 0..<copies { put(0b1100_0101_0000_0, bits: 13) }
    put(0, bits: 7)
    while used != 0 { put(false) }
    return bits
  }

  private static func crc(_ content: Bytes) -> UInt32 {
    var value: UInt32 = .max
    for byte in content {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~value
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func append<Value: FixedWidthInteger>(little value: Value) {
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }
}
