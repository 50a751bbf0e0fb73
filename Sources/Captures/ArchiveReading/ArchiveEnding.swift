import ByteParsing

/// Tells from the end of an archive whether all of it was there.
///
/// Members are read in the order in which they are stored. The directory behind those of a ZIP is not needed for that, nor are
/// the zeros behind those of a tar; but without them the archive may have been cut off behind any member.
struct ArchiveEnding {
  /// The last bytes of the archive: enough for the record at its end, the longest comment, and what zip64 adds.
  private var tail = Bytes()

  /// Bytes of the archive so far.
  private var byteCount = 0

  private static let tailSize = recordSize + 0xFFFF + 4096

  /// The record at the end (APPNOTE 4.3.16): signature (4), this disk (2), disk of the directory (2), entries on this disk
  /// (2), entries (2), size (4) and place (4) of the directory, length of the comment (2).
  private static let recordSize = 22

  /// Takes the next `count` bytes of the archive.
  mutating func take(_ bytes: borrowing Bytes, count: Int) {
    byteCount += count
    // Moved rarely: a pipe may bring a byte at a time.
    if tail.count + count > 4 * ArchiveEnding.tailSize {
      tail.removeFirst(max(0, tail.count - ArchiveEnding.tailSize))
    }
    tail.append(copying: bytes.span.extracting(first: count))
  }

  /// What is amiss with the end of a tar of which the library has read `consumed` bytes; nil for nothing.
  func faultOfTar(consumed: Int) -> ArchiveError.Reason? {
    // One block of zeros is enough, though there should be two (POSIX, pax interchange format).
    let block = 512
    let end = tail.count - (byteCount - consumed)
    guard end >= block, end <= tail.count, tail[(end - block)..<end].allSatisfy({ $0 == 0 }) else {
      return .cutOff
    }
    return tail[end...].allSatisfy { $0 == 0 } ? nil : ArchiveEnding.followed
  }

  /// Behind an archive comes something that is not read.
  static let followed = ArchiveError.Reason.damaged("something else follows the archive")

  /// What is amiss with the end of a ZIP in which `members` were met; nil for nothing.
  func faultOfZIP(members: Int) -> ArchiveError.Reason? {
    var isFollowed = false
    var start = tail.count - ArchiveEnding.recordSize
    let first = max(0, start - 0xFFFF - 4096)
    while start >= first {
      defer { start -= 1 }
      guard number(at: start, 4) == 0x0605_4B50 else { continue }
      let end = start + ArchiveEnding.recordSize + number(at: start + 20, 2)
      guard end <= tail.count else { continue }
      // Zeros may fill a block.
      if tail[end...].allSatisfy({ $0 == 0 }) { return fault(at: start, members: members) }
      isFollowed = true
    }
    return isFollowed ? ArchiveEnding.followed : .cutOff
  }

  private func fault(at start: Int, members: Int) -> ArchiveError.Reason? {
    var entries = number(at: start + 10, 2)
    var end = number(at: start + 12, 4) &+ number(at: start + 16, 4)
    var place = start
    // Some programs write large archives without zip64, and lose the upper bits.
    var (entriesMask, placeMask) = (0xFFFF, 0xFFFF_FFFF)
    // zip64 (APPNOTE 4.3.14): a record of 56 bytes or more, and where it is in 20 bytes behind it.
    let locator = start - 20
    if locator >= 0, number(at: locator, 4) == 0x0706_4B50 {
      let record = number(at: locator + 8, 8) - (byteCount - tail.count)
      guard record >= 0, record <= locator - 56, number(at: record, 4) == 0x0606_4B50 else {
        return .damaged("the end of its directory is not where it should be")
      }
      entries = number(at: record + 32, 8)
      end = number(at: record + 40, 8) &+ number(at: record + 48, 8)
      place = record
      (entriesMask, placeMask) = (.max, .max)
    }
    guard end & placeMask == (place + byteCount - tail.count) & placeMask else {
      return .damaged("its directory is not where its end says")
    }
    guard entries == members & entriesMask else {
      return .damaged("its directory lists \(entries) members, and \(members) were found")
    }
    return nil
  }

  /// A little-endian number; -1 for one that is beyond the tail or does not fit.
  private func number(at offset: Int, _ count: Int) -> Int {
    guard offset >= 0, offset + count <= tail.count else { return -1 }
    let value = (0..<count).reduce(UInt64(0)) { $0 | UInt64(tail[offset + $1]) << UInt64(8 * $1) }
    return Int(exactly: value) ?? -1
  }
}
