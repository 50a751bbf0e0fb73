import ByteParsing

/// Makes archives and gzip files without compression.
enum Packed {
  static func crc32(_ bytes: Bytes) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func little(_ value: UInt32, _ count: Int) -> Bytes {
    Bytes((0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) })
  }

  /// A ZIP file of stored members.
  static func zip(_ members: [(name: String, bytes: Bytes)]) -> Bytes {
    var out = Bytes()
    var directory = Bytes()
    for (name, bytes) in members {
      let offset = UInt32(out.count)
      let checksum = crc32(bytes)
      let sizes =
        little(checksum, 4) + little(UInt32(bytes.count), 4) + little(UInt32(bytes.count), 4)
      let common =
        little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2)
        + little(0x21, 2)
      out += [0x50, 0x4B, 3, 4] + common
      out += sizes
      out += little(UInt32(name.utf8.count), 2) + little(0, 2) + Bytes(name.utf8) + bytes
      directory += [0x50, 0x4B, 1, 2] + little(20, 2) + common + sizes
      directory += little(UInt32(name.utf8.count), 2) + little(0, 12)
      directory += little(offset, 4) + Bytes(name.utf8)
    }
    let start = UInt32(out.count)
    out += directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    out += little(UInt32(members.count), 2) + little(UInt32(members.count), 2)
    out += little(UInt32(directory.count), 4) + little(start, 4) + little(0, 2)
    return out
  }

  /// A POSIX tar file; `type` is the type flag: `0` a file, `2` a symbolic link, `5` a directory.
  static func tar(_ members: [(name: String, bytes: Bytes, type: Character)], ended: Bool = true) -> Bytes {
    var out = Bytes()
    for (name, bytes, type) in members {
      var header = Bytes(repeating: 0, count: 512)
      func put(_ text: String, at offset: Int) {
        for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
      }
      let size = String(bytes.count, radix: 8)
      put(name, at: 0)
      put("0000644\u{0}0000000\u{0}0000000\u{0}", at: 100)
      put(String(repeating: "0", count: 11 - size.count) + size + "\u{0}00000000000\u{0}        ", at: 124)
      put(String(type), at: 156)
      put("target", at: 157)
      put("ustar\u{0}00", at: 257)
      let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
      put(String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ", at: 148)
      out += header + bytes
      while out.count % 512 != 0 { out.append(0) }
    }
    return ended ? out + Bytes(repeating: 0, count: 1024) : out
  }

  /// A gzip file of stored blocks (RFC 1951 §3.2.4).
  static func gzip(_ bytes: Bytes) -> Bytes {
    var out: Bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var start = 0
    repeat {
      let count = min(bytes.count - start, 0xFFFF)
      let length = UInt32(count)
      out.append(start + count == bytes.count ? 1 : 0)
      out += little(length, 2) + little(~length, 2) + bytes[start..<(start + count)]
      start += count
    } while start < bytes.count
    return out + little(crc32(bytes), 4) + little(UInt32(bytes.count), 4)
  }
}
