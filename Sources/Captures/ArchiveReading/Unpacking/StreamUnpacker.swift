import ByteParsing
import CaptureFormats
import Decompression

/// Unpacks a stream in a format that has a decoder here.
///
/// libarchive can too, but when the input is truncated or damaged it drops what it has unpacked of the last block, which may be all
/// of a small capture, and it checks neither gzip's checksum nor what follows the data.
final class StreamUnpacker {
  private let decoder: any StreamDecoder
  private var source: any ByteSource
  private var input = Bytes(repeating: 0, count: StreamUnpacker.blockSize)
  private var start = 0
  private var end = 0
  private let limits: ArchiveLimits
  private var unpacked = 0
  private var fault: ArchiveError?

  /// Whether a member of the file has been begun and not ended: one file may hold several, which are one stream.
  private var isInMember = true

  /// Whether the decoder filled the room that it had, and may have more without more input.
  private var mayHoldMore = false

  /// Bytes of the source that were taken in.
  private(set) var bytesTaken = 0

  private static let blockSize = 128 * 1024

  init(_ source: any ByteSource, decoder: any StreamDecoder, limits: ArchiveLimits) {
    self.source = source
    self.decoder = decoder
    self.limits = limits
  }

  /// Unpacks the next bytes; 0 at the end.
  func read(into buffer: inout Bytes, from first: Int) throws(ArchiveError) -> Int {
    guard first >= 0, first < buffer.count else { return 0 }
    if let fault { throw fault }
    while true {
      if start == end, !mayHoldMore, try !refill() {
        if isInMember { throw ArchiveError(.cutOff, at: bytesTaken) }
        return 0
      }
      if !isInMember, try !beginMember() { continue }
      let count = try decodeOnce(into: &buffer, from: first)
      guard count > 0 else { continue }
      unpacked += count
      guard limits.allow(unpacked, from: bytesTaken) else {
        throw ArchiveError(.expandsTooFar(limits), at: bytesTaken)
      }
      return count
    }
  }

  /// Calls the decoder once; returns how many bytes came out.
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
    case .failed(let words):
      let fault = ArchiveError(.damaged(words), at: bytesTaken)
      if step.produced == 0 { throw fault }
      // What came out before the fault is handed on first.
      self.fault = fault
    }
    return step.produced
  }

  /// Reads what follows a member: another member, or zeros that fill a tape's block. Returns whether another member begins.
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
