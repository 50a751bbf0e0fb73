import ByteParsing

/// Detects a truncated tar: without the zeros at its end, it may have been truncated after any member.
struct ArchiveEnding {
  /// The last bytes of the archive.
  private var tail = Bytes()

  /// Bytes of the archive so far.
  private var byteCount = 0

  /// More than half of what the library reads ahead.
  private static let tailSize = 68 * 1024

  /// Appends the next `count` bytes of the archive.
  mutating func append(_ bytes: borrowing Bytes, count: Int) {
    byteCount += count
    // Moved rarely: a pipe may bring a byte at a time.
    if tail.count + count > 4 * ArchiveEnding.tailSize {
      tail.removeFirst(max(0, tail.count - ArchiveEnding.tailSize))
    }
    tail.append(copying: bytes.span.extracting(first: count))
  }

  /// What is amiss with the end of a tar of which the library has read `consumed` bytes; nil for nothing.
  func fault(consumed: Int) -> ArchiveError.Reason? {
    // One block of zeros is enough, though there should be two (POSIX, pax interchange format).
    let block = 512
    let end = tail.count - (byteCount - consumed)
    guard end >= block, end <= tail.count, tail[(end - block)..<end].allSatisfy({ $0 == 0 }) else {
      return .cutOff
    }
    return tail[end...].allSatisfy { $0 == 0 } ? nil : ArchiveEnding.followed
  }

  /// Something that is not read follows an archive.
  static let followed = ArchiveError.Reason.damaged("trailing data after the archive")
}
