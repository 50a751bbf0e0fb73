import ByteParsing

/// Detects a truncated tar: without the zeros at its end, it may be truncated after any member.
struct ArchiveEnding {
  /// The last bytes of the archive.
  private var tail = Bytes()

  /// The number of bytes so far.
  private var byteCount = 0

  /// The maximum length of the tail; more than half of what the library reads ahead.
  private static let tailSize = 68 * 1024

  /// Appends the next `count` bytes of the archive.
  mutating func append(_ bytes: borrowing Bytes, count: Int) {
    byteCount += count
    // Trimmed rarely, since a pipe may deliver one byte at a time.
    if tail.count + count > 4 * ArchiveEnding.tailSize {
      tail.removeFirst(max(0, tail.count - ArchiveEnding.tailSize))
    }
    tail.append(copying: bytes.span.extracting(first: count))
  }

  /// The fault at the end of a tar of which the library has read `consumed` bytes; nil if there is none.
  func fault(consumed: Int) -> ArchiveError.Reason? {
    // One block of zeros suffices, although there should be two (POSIX, pax interchange format).
    let block = 512
    let end = tail.count - (byteCount - consumed)
    guard end >= block, end <= tail.count, tail[(end - block)..<end].allSatisfy({ $0 == 0 }) else { return .truncated }
    return tail[end...].allSatisfy { $0 == 0 } ? nil : ArchiveEnding.followed
  }

  /// The fault for data after an archive.
  static let followed = ArchiveError.Reason.damaged("trailing data after the archive")
}
