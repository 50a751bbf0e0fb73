import ByteParsing

/// A member of a ZIP, as the central directory describes it.
struct ZIPEntry {
  let name: Bytes
  let kind: ArchiveMember.Kind
  let flags: UInt16
  let method: UInt16
  let checksum: UInt32
  let packedSize: Int
  let size: Int
  var headerOffset: Int

  /// The offset of its packed bytes, once its local header was read.
  var dataOffset = 0

  /// The fault that prevents reading it; nil if there is none.
  var fault: ArchiveError.Reason?

  static let directorySignature: UInt64 = 0x0201_4B50
  static let localSignature: UInt64 = 0x0403_4B50

  /// The size of a directory header (APPNOTE 4.3.12) before the name.
  static let directoryHeaderSize = 46

  /// The size of a local header (APPNOTE 4.3.7) before the name.
  static let localHeaderSize = 30

  var isEncrypted: Bool { flags & 0x2041 != 0 }

  /// Parses a directory header: `header` is its fixed part, `extra` the extra field.
  ///
  /// Nil if a number is too large for any file.
  init?(header: Bytes, name: Bytes, extra: Bytes) {
    func number(_ offset: Int, _ count: Int) -> UInt64 { header.littleEndian(at: offset, count) ?? 0 }
    flags = UInt16(truncatingIfNeeded: number(8, 2))
    method = UInt16(truncatingIfNeeded: number(10, 2))
    checksum = UInt32(truncatingIfNeeded: number(16, 4))
    self.name = name
    let sizes = ZIPEntry.wide([number(24, 4), number(20, 4), number(42, 4)], extra: extra)
    guard let size = Int(exactly: sizes[0]), let packedSize = Int(exactly: sizes[1]),
      let offset = Int(exactly: sizes[2])
    else { return nil }
    (self.size, self.packedSize, headerOffset) = (size, packedSize, offset)
    let stated = ZIPEntry.kind(name: name, system: UInt8(truncatingIfNeeded: number(5, 1)), attributes: number(38, 4))
    // A folder has no content. Other programs unpack the content of such a member.
    kind = stated == .directory && size > 0 ? .regular : stated
  }

  /// The offset of its local header if this number of bytes precedes the archive; beyond any file if the sum overflows.
  func offset(after count: Int) -> Int {
    let (sum, overflow) = headerOffset.addingReportingOverflow(count)
    return overflow ? .max : sum
  }

  /// 32-bit numbers with those that are all ones replaced from the zip64 extra field, in its order (APPNOTE 4.5.3).
  static func wide(_ numbers: [UInt64], extra: Bytes) -> [UInt64] {
    guard numbers.contains(0xFFFF_FFFF) else { return numbers }
    var numbers = numbers
    var start = 0
    while let id = extra.littleEndian(at: start, 2), let length = extra.littleEndian(at: start + 2, 2) {
      start += 4
      let end = start + Int(length)
      if id == 1 {
        for index in numbers.indices where numbers[index] == 0xFFFF_FFFF && start + 8 <= end {
          numbers[index] = extra.littleEndian(at: start, 8) ?? numbers[index]
          start += 8
        }
        return numbers
      }
      start = end
    }
    return numbers
  }

  private static func kind(name: Bytes, system: UInt8, attributes: UInt64) -> ArchiveMember.Kind {
    if name.last == UInt8(ascii: "/") { return .directory }
    // UNIX and macOS store the file type in the upper half; an archive without types contains only files.
    guard system == 3 || system == 19 else { return attributes & 0x10 != 0 ? .directory : .regular }
    switch attributes >> 16 & 0o170000 {
    case 0, 0o100000: return .regular
    case 0o040000: return .directory
    case 0o120000: return .link
    default: return .special
    }
  }

  /// The fault of its local header and data descriptor; nil if there is none. Sets `dataOffset`.
  ///
  /// The directory counts (APPNOTE 4.3.2), but a reader that follows the local headers would find something else if they disagree.
  mutating func check(in file: inout ZIPFile, before end: Int) throws(ArchiveError) -> ArchiveError.Reason? {
    let size = ZIPEntry.localHeaderSize
    guard headerOffset <= end - size else { return .damaged("the directory points to no local header") }
    let header = try file.bytes(at: headerOffset, count: size)
    func number(_ offset: Int, _ count: Int) -> UInt64 { header.littleEndian(at: offset, count) ?? 0 }
    guard number(0, 4) == ZIPEntry.localSignature else { return .damaged("the directory points to no local header") }
    let (nameLength, extraLength) = (Int(number(26, 2)), Int(number(28, 2)))
    dataOffset = headerOffset + size + nameLength + extraLength
    guard dataOffset <= end, packedSize <= end - dataOffset else {
      return .damaged("the member is longer than what precedes the directory")
    }
    guard nameLength == name.count,
      try file.bytes(at: headerOffset + size, count: nameLength) == name
    else { return disagreement("name") }
    let localFlags = UInt16(truncatingIfNeeded: number(6, 2))
    guard number(8, 2) == method else { return disagreement("compression method") }
    guard (localFlags ^ flags) & 1 == 0 else { return disagreement("encryption") }
    // A masked header (APPNOTE 4.4.4, bit 13) contains no sizes.
    if isEncrypted { return .encrypted }
    var sizes = [number(22, 4), number(18, 4)]
    if sizes.contains(0xFFFF_FFFF) {
      let extra = try file.bytes(at: headerOffset + size + nameLength, count: extraLength)
      sizes = ZIPEntry.wide(sizes, extra: extra)
    }
    let expected = [UInt64(self.size), UInt64(packedSize)]
    if sizes == expected, number(14, 4) == checksum { return nil }
    // Bit 3 moves the sizes and the checksum to a descriptor after the data (APPNOTE 4.3.9).
    guard localFlags & 8 != 0 else { return disagreement(sizes == expected ? "checksum" : "size") }
    guard zip(sizes, expected).allSatisfy({ $0 == 0 || $0 == $1 }),
      number(14, 4) == 0 || number(14, 4) == checksum
    else { return disagreement("size") }
    return try hasDescriptor(in: &file, before: end) ? nil : disagreement("size", part: "data descriptor")
  }

  private func disagreement(_ what: String, part: String = "local header") -> ArchiveError.Reason {
    .damaged("the \(part) and the archive's directory disagree about the \(what) of this member")
  }

  /// Whether the descriptor after the data agrees with the directory, in any of its four formats.
  private func hasDescriptor(in file: inout ZIPFile, before end: Int) throws(ArchiveError) -> Bool {
    let start = dataOffset + packedSize
    let bytes = try file.bytes(at: start, count: min(24, end - start))
    return [0, 4].contains { checksumOffset in
      if checksumOffset == 4, bytes.littleEndian(at: 0, 4) != 0x0807_4B50 { return false }
      return [4, 8].contains { width in
        bytes.littleEndian(at: checksumOffset, 4) == UInt64(checksum)
          && bytes.littleEndian(at: checksumOffset + 4, width) == UInt64(packedSize)
          && bytes.littleEndian(at: checksumOffset + 4 + width, width) == UInt64(size)
      }
    }
  }
}
