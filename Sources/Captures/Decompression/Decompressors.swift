package import ByteParsing
import CBrotli
import CLZMA
import CZlib
import CZstd

// The only file that calls zlib, zstd, liblzma and brotli, which are C libraries. Each `unsafe` below is safe because pointers are set for
// each call, point only to memory that lives until it returns, and have its actual size, and because each state is freed exactly once.

/// Lends part of an array for reading, and the rest of another for writing.
private func lend(
  _ input: Bytes, _ part: Range<Int>, _ room: inout Bytes, from first: Int = 0,
  _ body: (UnsafeMutableBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> Void
) {
  unsafe input.withUnsafeBufferPointer { bytes in
    unsafe room.withUnsafeMutableBufferPointer { free in
      let from = unsafe UnsafeMutableBufferPointer(mutating: UnsafeBufferPointer(rebasing: bytes[part]))
      let to = unsafe UnsafeMutableBufferPointer(rebasing: free[first...])
      unsafe body(from, to)
    }
  }
}

/// Decodes gzip (RFC 1952), or deflate without a wrapper (RFC 1951) as in ZIP.
@safe
package final class GzipDecoder: StreamDecoder {
  private var stream = unsafe z_stream()
  private let isReady: Bool
  private let hasWrapper: Bool

  /// Creates a decoder of gzip, or without a wrapper of deflate.
  package init(hasWrapper: Bool = true) {
    self.hasWrapper = hasWrapper
    // A window of 15 bits; 16 more for parsing and checking gzip's header and trailer, negative for neither.
    isReady = unsafe inflateInit2_(&stream, hasWrapper ? 15 + 16 : -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { _ = unsafe inflateEnd(&stream) }
  }

  package func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard isReady else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = Z_OK
    unsafe lend(input, packed, &room, from: first) { from, to in
      unsafe stream.next_in = from.baseAddress
      unsafe stream.avail_in = UInt32(clamping: from.count)
      unsafe stream.next_out = to.baseAddress
      unsafe stream.avail_out = UInt32(clamping: to.count)
      status = unsafe inflate(&stream, Z_NO_FLUSH)
      step.produced = unsafe to.count - Int(stream.avail_out)
      step.consumed = unsafe from.count - Int(stream.avail_in)
    }
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: step.state = .memberEnded
    default:
      step.state = .failed(unsafe stream.msg.map { unsafe String(cString: $0) } ?? "zlib error \(status)")
    }
    return step
  }

  package func canBegin(with byte: UInt8) -> Bool { hasWrapper && byte == 0x1F }

  package func begin() { _ = unsafe inflateReset(&stream) }

  /// The CRC-32 of a range of bytes, continued from that of the bytes before; initially 0.
  package static func checksum(_ bytes: Bytes, _ range: Range<Int>, after checksum: UInt32) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { all in
      let part = unsafe UnsafeBufferPointer(rebasing: all[range])
      return unsafe UInt32(truncatingIfNeeded: crc32(uLong(checksum), part.baseAddress, UInt32(clamping: part.count)))
    }
  }
}

@safe
package final class XZDecoder: StreamDecoder {
  private var stream = unsafe lzma_stream()
  private var isReady = false

  /// The maximum memory that a stream may require: several times what the strongest preset (`xz -9`) needs.
  private static let maximumMemory: UInt64 = 256 << 20

  package init() { begin() }

  deinit { unsafe lzma_end(&stream) }

  package func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard isReady else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = LZMA_OK
    unsafe lend(input, packed, &room, from: first) { from, to in
      unsafe stream.next_in = UnsafePointer(from.baseAddress)
      unsafe stream.avail_in = from.count
      unsafe stream.next_out = to.baseAddress
      unsafe stream.avail_out = to.count
      status = unsafe lzma_code(&stream, LZMA_RUN)
      step.produced = unsafe to.count - stream.avail_out
      step.consumed = unsafe from.count - stream.avail_in
    }
    switch status {
    case LZMA_OK, LZMA_BUF_ERROR: break
    case LZMA_STREAM_END: step.state = .memberEnded
    case LZMA_MEMLIMIT_ERROR:
      step.state = .exceedsMemory("a dictionary of more than \(XZDecoder.maximumMemory >> 20) MiB")
    default: step.state = .failed(words(status))
    }
    return step
  }

  private func words(_ status: lzma_ret) -> String {
    switch status {
    case LZMA_MEM_ERROR: "no memory"
    case LZMA_FORMAT_ERROR: "not an xz stream"
    case LZMA_OPTIONS_ERROR: "unknown xz options"
    case LZMA_DATA_ERROR: "corrupt input"
    default: "liblzma error \(status.rawValue)"
    }
  }

  package func canBegin(with byte: UInt8) -> Bool { byte == 0xFD }

  package func begin() { isReady = unsafe lzma_stream_decoder(&stream, XZDecoder.maximumMemory, 0) == LZMA_OK }
}

/// Decodes zstd (RFC 8878).
@safe
package final class ZstdDecoder: StreamDecoder {
  private let stream: OpaquePointer?

  /// The binary logarithm of the largest window that a frame may require: that of the strongest level (`zstd --ultra -22`).
  private static let maximumWindowLog: CInt = 27

  package init() {
    unsafe stream = ZSTD_createDStream()
    _ = unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, ZstdDecoder.maximumWindowLog)
  }

  deinit { _ = unsafe ZSTD_freeDStream(stream) }

  package func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard unsafe stream != nil else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = 0
    unsafe lend(input, packed, &room, from: first) { from, to in
      var source = unsafe ZSTD_inBuffer(src: from.baseAddress, size: from.count, pos: 0)
      var out = unsafe ZSTD_outBuffer(dst: to.baseAddress, size: to.count, pos: 0)
      status = unsafe ZSTD_decompressStream(stream, &out, &source)
      step.produced = unsafe out.pos
      step.consumed = unsafe source.pos
    }
    if ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge {
      step.state = .exceedsMemory("a window of more than \(1 << (ZstdDecoder.maximumWindowLog - 20)) MiB")
    } else if ZSTD_isError(status) != 0 {
      step.state = .failed(unsafe ZSTD_getErrorName(status).map { unsafe String(cString: $0) } ?? "an error")
    } else if status == 0 {
      step.state = .memberEnded
    }
    return step
  }

  /// Whether a frame, or a skippable one, may begin with this byte (RFC 8878 §3.1).
  package func canBegin(with byte: UInt8) -> Bool { byte == 0x28 || (0x50...0x5F).contains(byte) }

  /// After the end of a frame, the library is ready for the next.
  package func begin() {}
}

/// Unpacks data whose unpacked size is known in one step.
package enum Decompressors {
  /// Unpacks zlib data; nil unless the result has exactly `byteCount` bytes.
  package static func zlib(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(compressed, byteCount) { source, room in
      var written = uLongf(room.count)
      let status = unsafe uncompress(room.baseAddress, &written, source.baseAddress, uLong(source.count))
      return status == Z_OK ? Int(clamping: written) : nil
    }
  }

  /// Unpacks brotli data; nil unless the result has exactly `byteCount` bytes.
  package static func brotli(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(compressed, byteCount) { source, room in
      var written = room.count
      let status = unsafe BrotliDecoderDecompress(source.count, source.baseAddress, &written, room.baseAddress)
      return status == BROTLI_DECODER_RESULT_SUCCESS ? written : nil
    }
  }

  /// Unpacks zstd data; nil unless the result has exactly `byteCount` bytes.
  package static func zstd(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(compressed, byteCount) { source, room in
      let written = unsafe ZSTD_decompress(room.baseAddress, room.count, source.baseAddress, source.count)
      return ZSTD_isError(written) == 0 ? written : nil
    }
  }

  private static func unpack(
    _ compressed: Bytes, _ byteCount: Int, _ body: (UnsafeMutableBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> Int?
  ) -> Bytes? {
    var room = Bytes(repeating: 0, count: byteCount)
    var written: Int?
    unsafe lend(compressed, compressed.indices, &room) { source, free in written = unsafe body(source, free) }
    return written == byteCount ? room : nil
  }
}
