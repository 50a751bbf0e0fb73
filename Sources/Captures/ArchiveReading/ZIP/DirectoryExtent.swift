import ByteParsing

/// The range of a ZIP's directory, from the record at its end.
struct DirectoryExtent {
  let range: Range<Int>

  /// The number of bytes before the archive, which is added to its offsets.
  let base: Int

  /// The number of members in the record, and the mask of its known bits.
  let entryCount: UInt64
  let entryCountMask: UInt64

  /// Whether offsets are only known modulo 2^32: some programs write large archives without zip64.
  let losesUpperBits: Bool

  /// A fault that does not prevent reading the directory; nil if there is none.
  private(set) var fault: ArchiveError.Reason?

  private static let misplaced = ArchiveError.Reason.damaged("its directory is not at the offset that its end gives")
  private static let twice = ArchiveError.Reason.damaged("it has two directories")

  /// Parses the 22-byte end record at `end`, and the zip64 records before it (APPNOTE 4.3.14, 4.3.15).
  init(_ record: Bytes, at end: Int, in file: inout ZIPFile) throws(ArchiveError) {
    func narrow(_ offset: Int, _ count: Int) -> UInt64 { record.littleEndian(at: offset, count) ?? 0 }
    var (count, size, start) = (narrow(10, 2), narrow(12, 4), narrow(16, 4))
    var directoryEnd = end
    var fault: ArchiveError.Reason?
    var isWide = false
    if end >= 20 + 56, case let locator = try file.bytes(at: end - 20, count: 20), locator.littleEndian(at: 0, 4) == 0x0706_4B50 {
      isWide = true
      let stated = Int(clamping: locator.littleEndian(at: 8, 8) ?? 0)
      let wide: Bytes
      (directoryEnd, wide) = try DirectoryExtent.wideRecord(before: end - 20, stated: stated, in: &file)
      if stated != directoryEnd, stated < directoryEnd, try DirectoryExtent.isRecord(at: stated, in: &file) {
        fault = DirectoryExtent.twice
      }
      func choose(_ value: UInt64, _ unknown: UInt64, _ offset: Int) -> UInt64 {
        let other = wide.littleEndian(at: offset, 8) ?? 0
        if value == unknown { return other }
        if value != other { fault = .damaged("its two end records disagree about its directory") }
        return value
      }
      count = choose(count, 0xFFFF, 32)
      size = choose(size, 0xFFFF_FFFF, 40)
      start = choose(start, 0xFFFF_FFFF, 48)
    }
    let disks = [narrow(4, 2), narrow(6, 2)]
    guard disks.allSatisfy({ $0 == 0 || (isWide && $0 == 0xFFFF) }) else {
      throw ArchiveError(.damaged("it is one part of a multi-file archive"), at: end)
    }
    guard let size = Int(exactly: size), let stated = Int(exactly: start), size <= directoryEnd,
      directoryEnd - size >= stated
    else { throw ArchiveError(DirectoryExtent.misplaced, at: end) }
    range = (directoryEnd - size)..<directoryEnd
    let before = range.lowerBound - stated
    losesUpperBits = !isWide && before > 0 && before & 0xFFFF_FFFF == 0
    base = losesUpperBits ? 0 : before
    // Readers differ in which of the two they use.
    if base > 0, !range.isEmpty, try file.bytes(at: stated, count: 4).littleEndian(at: 0, 4) == ZIPEntry.directorySignature {
      fault = DirectoryExtent.twice
    }
    (entryCount, entryCountMask) = (count, isWide ? .max : 0xFFFF)
    self.fault = fault
  }

  /// The zip64 record that ends where its locator begins, and its offset.
  private static func wideRecord(before locator: Int, stated: Int, in file: inout ZIPFile) throws(ArchiveError) -> (Int, Bytes) {
    for offset in [locator - 56, stated] where offset >= 0 && offset <= locator - 56 {
      let record = try file.bytes(at: offset, count: 56)
      // Its length excludes its first twelve bytes.
      if record.littleEndian(at: 0, 4) == 0x0606_4B50, record.littleEndian(at: 4, 8) == UInt64(locator - offset - 12) {
        return (offset, record)
      }
    }
    throw ArchiveError(.damaged("the end of its directory is misplaced"), at: locator)
  }

  private static func isRecord(at offset: Int, in file: inout ZIPFile) throws(ArchiveError) -> Bool {
    try file.bytes(at: offset, count: 4).littleEndian(at: 0, 4) == 0x0606_4B50
  }
}
