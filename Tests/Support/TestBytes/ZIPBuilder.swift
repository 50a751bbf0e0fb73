package import ByteParsing

/// Writes a ZIP archive, member by member.
package struct ZIPBuilder {
  private var output = Bytes()
  private var directory = Bytes()
  private var count = 0

  package init() {}

  /// Adds a stored member.
  package mutating func add(_ name: String, _ content: Bytes) {
    add(name, packed: content, method: 0, crc: ArchiveBuilder.crc32(content), size: UInt32(content.count))
  }

  /// Adds a member of packed bytes; its header may give a wrong size and checksum of the unpacked ones. With `lengthsBehind` these and the
  /// packed size are in a data descriptor after the data, not in the local header.
  package mutating func add(
    _ name: String, packed: Bytes, method: Int, crc: UInt32, size: UInt32, flags: Int = 0x0800, lengthsBehind: Bool = false
  ) {
    let offset = output.count
    let common: Bytes = little(20, 2) + little(flags | (lengthsBehind ? 8 : 0), 2) + little(method, 2) + little(0, 2) + little(0x21, 2)
    let sizes = little(Int(crc), 4) + little(packed.count, 4) + little(Int(size), 4)
    let length = little(name.utf8.count, 2)
    output += [0x50, 0x4B, 3, 4] + common
    output += lengthsBehind ? Bytes(repeating: 0, count: 12) : sizes
    output += length + [0, 0] + Bytes(name.utf8) + packed
    if lengthsBehind { output += [0x50, 0x4B, 7, 8] + sizes }
    directory += [0x50, 0x4B, 1, 2, 20, 0] + common + sizes
    directory += length + little(0, 12) + little(offset, 4) + Bytes(name.utf8)
    count += 1
  }

  /// Adds a member that unpacks to 1 + 258 × `copies` zeros, from about a hundredth of that size.
  package mutating func addZeros(_ name: String, copies: Int, crc: UInt32) {
    add(name, packed: ZIPBuilder.zeros(copies: copies), method: 8, crc: crc, size: UInt32(1 + copies * 258))
  }

  /// The whole archive.
  package var bytes: Bytes {
    var bytes: Bytes = output + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    bytes += little(count, 2) + little(count, 2)
    bytes += little(directory.count, 4) + little(output.count, 4) + [0, 0]
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
}
