import ByteParsing
import CaptureFormats

/// The members in the central directory of a ZIP, each compared with its local header.
///
/// Only the directory decides what the archive contains, as for iOS and unzip. Anything that another reader could treat as further
/// or other members is a fault: two directories, entries that overlap, and entries that the directory does not list.
struct ZIPDirectory {
  /// The members in stored order.
  private(set) var entries: [ZIPEntry] = []

  /// The first fault that does not concern a single member; nil if there is none.
  private(set) var fault: ArchiveError.Reason?

  /// The size of the end record (APPNOTE 4.3.16): signature (4), this disk (2), disk of the directory (2), entries on this disk (2),
  /// entries (2), size (4) and offset (4) of the directory, length of the comment (2).
  private static let endRecordSize = 22

  private static let endSignature: UInt64 = 0x0605_4B50

  /// The maximum number of zeros that may fill a block after the end.
  private static let padding = 4096

  /// Reads the directory and all local headers; throws if there is no directory.
  init(_ file: inout ZIPFile, limits: ArchiveLimits) throws(ArchiveError) {
    guard let end = try ZIPDirectory.end(of: &file) else { throw ArchiveError(.truncated, at: file.byteCount) }
    fault = end.fault
    let record = try file.bytes(at: end.offset, count: ZIPDirectory.endRecordSize)
    var extent = try DirectoryExtent(record, at: end.offset, in: &file)
    keep(extent.fault)
    try readEntries(&extent, &file, limits)
    // Equal offsets remain in the directory's order.
    let order = entries.indices.sorted {
      (entries[$0].headerOffset, $0) < (entries[$1].headerOffset, $1)
    }
    entries = order.map { entries[$0] }
    try checkEntries(before: extent.range.lowerBound, &file)
  }

  private mutating func keep(_ reason: ArchiveError.Reason?) {
    if fault == nil { fault = reason }
  }

  // MARK: The end

  /// Whether a source ends like a ZIP; its beginning is not examined.
  static func isPresent(in source: any SeekableSource) -> Bool {
    guard var file = try? ZIPFile(source, limits: ArchiveLimits()), let end = try? end(of: &file), end.fault == nil,
      let record = try? file.bytes(at: end.offset, count: endRecordSize),
      let extent = try? DirectoryExtent(record, at: end.offset, in: &file), !extent.range.isEmpty
    else { return false }
    return (try? file.bytes(at: extent.range.lowerBound, count: 4))?.littleEndian(at: 0, 4) == ZIPEntry.directorySignature
  }

  /// The offset of the last end record, which readers use; nil if there is none.
  private static func end(of file: inout ZIPFile) throws(ArchiveError) -> (offset: Int, fault: ArchiveError.Reason?)? {
    let size = min(file.byteCount, endRecordSize + 0xFFFF + padding)
    let first = file.byteCount - size
    let tail = try file.bytes(at: first, count: size)
    let used = (tail.lastIndex { $0 != 0 } ?? -1) + 1
    var last: (offset: Int, end: Int)?
    for start in stride(from: size - endRecordSize, through: 0, by: -1)
    where tail[start] == 0x50 && tail.littleEndian(at: start, 4) == endSignature {
      let end = start + endRecordSize + Int(tail.littleEndian(at: start + 20, 2) ?? 0)
      guard let last else {
        if end > size { return nil }
        last = (start, end)
        continue
      }
      // An end record whose comment contains the other one.
      if end >= used, end <= size { return (first + last.offset, .damaged("it has two end records, each with a directory")) }
    }
    guard let last else { return nil }
    return (first + last.offset, last.end < used ? ArchiveEnding.followed : nil)
  }

  // MARK: The directory

  private mutating func readEntries(_ extent: inout DirectoryExtent, _ file: inout ZIPFile, _ limits: ArchiveLimits) throws(ArchiveError) {
    var offset = extent.range.lowerBound
    let end = extent.range.upperBound
    var names: Set<Bytes> = []
    var shift = extent.base
    // One more than the limit, so that the reader reports it.
    while offset < end, entries.count <= limits.members {
      let size = ZIPEntry.directoryHeaderSize
      let header = end - offset >= size ? try file.bytes(at: offset, count: size) : []
      let lengths = [28, 30, 32].map { Int(header.littleEndian(at: $0, 2) ?? 0) }
      let total = size + lengths.reduce(0, +)
      guard header.littleEndian(at: 0, 4) == ZIPEntry.directorySignature, total <= end - offset else {
        keep(.damaged("its directory is truncated at offset \(offset)"))
        return
      }
      let name = try file.bytes(at: offset + size, count: lengths[0])
      let extra = try file.bytes(at: offset + size + lengths[0], count: lengths[1])
      guard var entry = ZIPEntry(header: header, name: name, extra: extra) else {
        keep(.damaged("its directory is truncated at offset \(offset)"))
        return
      }
      if extent.losesUpperBits, let last = entries.last, entry.offset(after: shift) < last.headerOffset { shift += 1 << 32 }
      entry.headerOffset = entry.offset(after: shift)
      if !names.insert(name).inserted {
        keep(.damaged("its directory lists one name twice, at offset \(offset)"))
      }
      entries.append(entry)
      offset += total
    }
    if entries.count <= limits.members, extent.entryCount != UInt64(entries.count) & extent.entryCountMask {
      keep(.damaged("its directory lists \(entries.count) members, its end record \(extent.entryCount)"))
    }
  }

  // MARK: The members

  private mutating func checkEntries(before end: Int, _ file: inout ZIPFile) throws(ArchiveError) {
    var covered = 0
    for index in entries.indices {
      let offset = entries[index].headerOffset
      guard offset >= covered else {
        let overlap = ArchiveError.Reason.damaged("this member overlaps another one")
        entries[index].fault = overlap
        if entries[index - 1].fault == nil { entries[index - 1].fault = overlap }
        continue
      }
      try search(covered, min(offset, end), &file)
      entries[index].fault = try entries[index].check(in: &file, before: end)
      let entry = entries[index]
      covered =
        entry.dataOffset > offset && entry.dataOffset <= end - entry.packedSize ? entry.dataOffset + entry.packedSize : min(offset, end) + 1
    }
    try search(covered, end, &file)
  }

  /// Searches for members that the directory does not list, which a reader that ignores the directory would find.
  private mutating func search(_ first: Int, _ end: Int, _ file: inout ZIPFile) throws(ArchiveError) {
    var start = first
    let size = ZIPEntry.localHeaderSize
    while end - start > size {
      let block = try file.bytes(at: start, count: min(64 * 1024, end - start))
      for index in 0...(block.count - size) where block[index] == 0x50 && block.littleEndian(at: index, 4) == ZIPEntry.localSignature {
        guard isPlausible(block, at: index) else { continue }
        keep(.damaged("a member at offset \(start + index) is not in its directory"))
        return
      }
      start += block.count - size + 1
    }
  }

  /// Whether bytes that begin like a local header are one. A self-extracting program also contains the signature.
  private func isPlausible(_ bytes: Bytes, at index: Int) -> Bool {
    func number(_ offset: Int, _ count: Int) -> UInt64 { bytes.littleEndian(at: index + offset, count) ?? 0 }
    let method = number(8, 2)
    return number(4, 1) <= 63 && number(26, 2) > 0 && (method <= 20 || (92...99).contains(method))
  }
}
