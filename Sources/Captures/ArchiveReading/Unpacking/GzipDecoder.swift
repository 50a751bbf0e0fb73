import ByteParsing
import CZlib

/// Decodes gzip (RFC 1952), or deflate without a wrapper (RFC 1951) as ZIP has it.
///
/// The one place of this module that calls zlib. Each `unsafe` below holds because zlib's pointers are set anew for each
/// call and point only to what lives until it returns, and because its state is freed exactly once.
@safe
final class GzipDecoder: StreamDecoder {
  private var stream = unsafe z_stream()
  private let isReady: Bool

  private let hasWrapper: Bool

  init(hasWrapper: Bool = true) {
    self.hasWrapper = hasWrapper
    // 15 bits of window, and 16 to have gzip's header and trailer read and checked; negative for neither.
    isReady =
      unsafe inflateInit2_(
        &stream, hasWrapper ? 15 + 16 : -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { _ = unsafe inflateEnd(&stream) }
  }

  func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard isReady else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = Z_OK
    unsafe input.withUnsafeBytes { bytes in
      unsafe room.withUnsafeMutableBytes { free in
        let from = unsafe UnsafeMutableRawBufferPointer(
          mutating: UnsafeRawBufferPointer(rebasing: bytes[packed]))
        let to = unsafe UnsafeMutableRawBufferPointer(rebasing: free[first...])
        unsafe stream.next_in = from.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_in = UInt32(clamping: from.count)
        unsafe stream.next_out = to.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_out = UInt32(clamping: to.count)
        status = unsafe inflate(&stream, Z_NO_FLUSH)
        step.produced = unsafe to.count - Int(stream.avail_out)
        step.consumed = unsafe from.count - Int(stream.avail_in)
      }
    }
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: step.state = .memberEnded
    default:
      step.state = .failed(unsafe stream.msg.map { unsafe String(cString: $0) } ?? "zlib error \(status)")
    }
    return step
  }

  func canBegin(with byte: UInt8) -> Bool { hasWrapper && byte == 0x1F }

  func begin() { _ = unsafe inflateReset(&stream) }

  /// The CRC-32 of some bytes, continued from that of those before them; 0 to begin with.
  static func checksum(_ bytes: Bytes, _ range: Range<Int>, after checksum: UInt32) -> UInt32 {
    unsafe bytes.withUnsafeBytes { all in
      let part = unsafe UnsafeRawBufferPointer(rebasing: all[range])
      return unsafe UInt32(
        truncatingIfNeeded: crc32(
          uLong(checksum), part.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: part.count)))
    }
  }
}
