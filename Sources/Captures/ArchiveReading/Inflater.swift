import ByteParsing
import CZlib
import CaptureFormats

/// Unpacks gzip (RFC 1952).
///
/// libarchive would too, but it drops what it has unpacked of the last 64 KiB when the input is cut off, which may be all
/// there is of a small capture, and it takes neither the checksum nor what follows the data for anything.
///
/// The one place of this module that calls zlib. Each `unsafe` below holds because zlib's pointers are set anew for each
/// call and point only to what lives until it returns, and because its state is freed exactly once.
@safe
final class Inflater {
  private var stream = unsafe z_stream()
  private var source: any ByteSource
  private var input = Bytes(repeating: 0, count: Inflater.blockSize)
  private var start = 0
  private var end = 0
  private let limits: ArchiveLimits
  private let isReady: Bool
  private var unpacked = 0
  private var fault: ArchiveError?

  /// Whether a member of the file has been begun and not ended: one file may hold several, which are one stream.
  private var isInMember = true

  /// Bytes of the source that were taken in.
  private(set) var bytesTaken = 0

  private static let blockSize = 128 * 1024

  init(_ source: any ByteSource, limits: ArchiveLimits) {
    self.source = source
    self.limits = limits
    // 15 bits of window, and 16 to have gzip's header and trailer read and checked.
    isReady =
      unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { _ = unsafe inflateEnd(&stream) }
  }

  /// Unpacks the next bytes; 0 at the end.
  func read(into buffer: inout Bytes, from first: Int) throws(ArchiveError) -> Int {
    guard first >= 0, first < buffer.count else { return 0 }
    guard isReady else { throw ArchiveError(.damaged("no memory"), at: 0) }
    if let fault { throw fault }
    while true {
      if start == end, try !refill() {
        if isInMember { throw ArchiveError(.cutOff, at: bytesTaken) }
        return 0
      }
      if !isInMember, try !beginMember() { continue }
      let count = try inflateOnce(into: &buffer, from: first)
      guard count > 0 else { continue }
      unpacked += count
      guard limits.allow(unpacked, from: bytesTaken) else {
        throw ArchiveError(.expandsTooFar(limits), at: bytesTaken)
      }
      return count
    }
  }

  /// Calls zlib once; returns how many bytes came out.
  private func inflateOnce(into buffer: inout Bytes, from first: Int) throws(ArchiveError) -> Int {
    var produced = 0
    var status = Z_OK
    unsafe input.withUnsafeMutableBytes { packed in
      unsafe buffer.withUnsafeMutableBytes { room in
        let from = unsafe UnsafeMutableRawBufferPointer(rebasing: packed[start..<end])
        let to = unsafe UnsafeMutableRawBufferPointer(rebasing: room[first...])
        unsafe stream.next_in = from.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_in = UInt32(clamping: from.count)
        unsafe stream.next_out = to.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_out = UInt32(clamping: to.count)
        status = unsafe inflate(&stream, Z_NO_FLUSH)
        produced = unsafe to.count - Int(stream.avail_out)
        start = unsafe end - Int(stream.avail_in)
      }
    }
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isInMember = false
    default:
      let fault = ArchiveError(.damaged(words(status)), at: bytesTaken)
      if produced == 0 { throw fault }
      // What came out before the fault is handed on first.
      self.fault = fault
    }
    return produced
  }

  private func words(_ status: CInt) -> String {
    unsafe stream.msg.map { unsafe String(cString: $0) } ?? "zlib's error \(status)"
  }

  /// Looks at what follows a member: another one, which begins anew, or zeros that fill a tape's block. Returns whether
  /// a member was begun.
  private func beginMember() throws(ArchiveError) -> Bool {
    if input[start] == 0 {
      start += 1
      return false
    }
    guard input[start] == 0x1F else {
      throw ArchiveError(.damaged("something else follows the packed data"), at: bytesTaken)
    }
    isInMember = true
    _ = unsafe inflateReset(&stream)
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
