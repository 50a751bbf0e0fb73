import ByteParsing
import CaptureFormats

/// The bytes of a ZIP, read at any offset.
struct ZIPFile {
  let source: any SeekableSource
  let byteCount: Int

  /// The bytes that were read last, and their offset; headers are often close to each other.
  private var block = Bytes()
  private var blockOffset = 0

  private static let blockSize = 4096

  /// Uses a source that can be read at any offset directly, and reads any other into memory.
  init(_ source: any ByteSource, limits: ArchiveLimits) throws(ArchiveError) {
    if let seekable = source as? any SeekableSource, let count = seekable.byteCount {
      self.source = seekable
      byteCount = count
      return
    }
    var source = source
    var held = Bytes()
    var buffer = Bytes(repeating: 0, count: 64 * 1024)
    while true {
      let count: Int
      do throws(CaptureError) {
        count = try source.read(into: &buffer, from: 0)
      } catch {
        throw ArchiveError(.unreadable(error), at: held.count)
      }
      if count <= 0 { break }
      guard held.count + count <= limits.heldBytes else { throw ArchiveError(.tooLongToHold(limit: limits.heldBytes), at: held.count) }
      held.append(copying: buffer.span.extracting(first: count))
    }
    byteCount = held.count
    self.source = MemorySource(held)
  }

  /// The bytes at an offset; throws if they are not all present.
  mutating func bytes(at offset: Int, count: Int) throws(ArchiveError) -> Bytes {
    guard offset >= 0, count >= 0, count <= byteCount, offset <= byteCount - count else { throw ArchiveError(.truncated, at: byteCount) }
    if offset < blockOffset || offset + count > blockOffset + block.count {
      // One buffer, which grows to the largest size requested.
      let size = min(max(count, ZIPFile.blockSize), byteCount - offset)
      block = Bytes(repeating: 0, count: size)
      blockOffset = offset
      var filled = 0
      while filled < size {
        let read: Int
        do throws(CaptureError) {
          read = try source.read(into: &block, from: filled, at: offset + filled)
        } catch {
          throw ArchiveError(.unreadable(error), at: offset + filled)
        }
        // The file has been truncated meanwhile, or reading was interrupted.
        if read <= 0 {
          block.removeLast(size - filled)
          break
        }
        filled += read
      }
      guard count <= filled else { throw ArchiveError(.truncated, at: offset + filled) }
    }
    let start = offset - blockOffset
    return Bytes(block[start..<(start + count)])
  }
}

/// A range of a ZIP as a stream.
struct ZIPRange: ByteSource {
  let source: any SeekableSource
  var range: Range<Int>

  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    guard start >= 0, start < buffer.count, !range.isEmpty else { return 0 }
    if range.count >= buffer.count - start {
      let count = try source.read(into: &buffer, from: start, at: range.lowerBound)
      range = (range.lowerBound + count)..<range.upperBound
      return count
    }
    // The bytes of `buffer` beyond the returned count must not change.
    var part = Bytes(repeating: 0, count: range.count)
    let count = try source.read(into: &part, from: 0, at: range.lowerBound)
    for index in 0..<count { buffer[start + index] = part[index] }
    range = (range.lowerBound + count)..<range.upperBound
    return count
  }
}

extension Bytes {
  /// The little-endian number of up to eight bytes; nil unless all are present.
  func littleEndian(at offset: Int, _ count: Int) -> UInt64? {
    guard offset >= 0, offset + count <= self.count else { return nil }
    return (0..<count).reduce(UInt64(0)) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
  }
}
