import ByteParsing
import CaptureFormats
import Decompression

/// Unpacks a stream in a format that has a `StreamDecoder`.
///
/// libarchive could do so as well. But for truncated or damaged input, it drops the bytes unpacked from the last block, which may be a
/// whole small capture, and it checks neither gzip's checksum nor the bytes after the data.
final class StreamUnpacker {
  private let decoder: any StreamDecoder
  private var source: any ByteSource
  private var input = Bytes(repeating: 0, count: StreamUnpacker.blockSize)
  private var start = 0
  private var end = 0
  private let limits: ArchiveLimits
  private var unpacked = 0
  private var fault: ArchiveError?

  /// Whether a member of the file is incomplete. A file may have several, which form one stream.
  private var isInMember = true

  /// Whether the decoder filled the available space, and may have more output without more input.
  private var mayHoldMore = false

  /// The number of bytes of the source that were read.
  private(set) var bytesTaken = 0

  private static let blockSize = 128 * 1024

  init(_ source: any ByteSource, decoder: any StreamDecoder, limits: ArchiveLimits) {
    self.source = source
    self.decoder = decoder
    self.limits = limits
  }

  /// Unpacks the next bytes; returns 0 at the end.
  func read(into buffer: inout Bytes, from first: Int) throws(ArchiveError) -> Int {
    guard first >= 0, first < buffer.count else { return 0 }
    if let fault { throw fault }
    while true {
      if start == end, !mayHoldMore, try !refill() {
        if isInMember { throw ArchiveError(.truncated, at: bytesTaken) }
        return 0
      }
      if !isInMember, try !beginMember() { continue }
      let count = try decodeOnce(into: &buffer, from: first)
      guard count > 0 else { continue }
      unpacked += count
      guard limits.allow(unpacked, from: bytesTaken) else { throw ArchiveError(.expandsTooFar(limits), at: bytesTaken) }
      return count
    }
  }

  /// Calls the decoder once; returns the number of bytes unpacked.
  private func decodeOnce(into buffer: inout Bytes, from first: Int) throws(ArchiveError) -> Int {
    let step = decoder.decode(input, start..<end, into: &buffer, from: first)
    let isStuck = start < end && step.consumed == 0 && step.produced == 0
    start += step.consumed
    mayHoldMore = first + step.produced == buffer.count
    switch step.state {
    case .goesOn where isStuck:
      throw ArchiveError(.damaged("no progress is possible"), at: bytesTaken)
    case .goesOn: break
    case .memberEnded: (isInMember, mayHoldMore) = (false, false)
    case .failed(let words): try end(.damaged(words), after: step.produced)
    case .exceedsMemory(let words): try end(.exceedsMemory(words), after: step.produced)
    }
    return step.produced
  }

  /// Ends reading for a reason; the bytes before the fault are returned first.
  private func end(_ reason: ArchiveError.Reason, after produced: Int) throws(ArchiveError) {
    let fault = ArchiveError(reason, at: bytesTaken)
    if produced == 0 { throw fault }
    self.fault = fault
  }

  /// Reads the bytes after a member: another member, or zeros that fill a tape block. Returns whether another member begins.
  private func beginMember() throws(ArchiveError) -> Bool {
    if input[start] == 0 {
      start += 1
      return false
    }
    guard decoder.canBegin(with: input[start]) else {
      throw ArchiveError(.damaged("trailing data after the compressed data"), at: bytesTaken)
    }
    isInMember = true
    decoder.begin()
    return true
  }

  private func refill() throws(ArchiveError) -> Bool {
    do throws(CaptureError) {
      let count = try source.read(into: &input, from: 0)
      (start, end) = (0, min(max(count, 0), input.count))
      bytesTaken += end
      return end > 0
    } catch {
      throw ArchiveError(.unreadable(error), at: bytesTaken)
    }
  }
}
