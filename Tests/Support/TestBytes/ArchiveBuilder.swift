package import ByteParsing

/// Makes archives and gzip files without compression.
package enum ArchiveBuilder {
  package static func crc32(_ bytes: Bytes) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  /// A ZIP file of stored members; with `lengthsBehind` the lengths and checksums are in data descriptors after the data, not in the local
  /// headers.
  package static func zip(
    _ members: [(name: String, bytes: Bytes)], lengthsBehind: Bool = false, flags: Int = 0, damagedChecksum: Bool = false
  ) -> Bytes {
    var archive = ZIPBuilder()
    for (name, bytes) in members {
      archive.add(
        name, packed: bytes, method: 0, crc: crc32(bytes) ^ (damagedChecksum ? 1 : 0), size: UInt32(bytes.count), flags: flags,
        lengthsBehind: lengthsBehind)
    }
    return archive.bytes
  }

  /// A POSIX tar file; `type` is the type flag: `0` a file, `2` a symbolic link, `5` a directory.
  package static func tar(_ members: [(name: String, bytes: Bytes, type: Character)], ended: Bool = true) -> Bytes {
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
  package static func gzip(_ bytes: Bytes) -> Bytes {
    var out: Bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var start = 0
    repeat {
      let count = min(bytes.count - start, 0xFFFF)
      out.append(start + count == bytes.count ? 1 : 0)
      out += little(count, 2) + little(~count, 2) + bytes[start..<(start + count)]
      start += count
    } while start < bytes.count
    return out + little(Int(crc32(bytes)), 4) + little(bytes.count, 4)
  }
}
