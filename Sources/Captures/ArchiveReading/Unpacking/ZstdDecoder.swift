import ByteParsing
import CZstd

/// Decodes zstd (RFC 8878).
///
/// The one place of this module that calls libzstd. Each `unsafe` below holds because the library is given pointers only to what
/// lives until it returns, and because its state is freed exactly once.
@safe
final class ZstdDecoder: StreamDecoder {
  private let stream: OpaquePointer?

  init() { unsafe stream = ZSTD_createDStream() }

  deinit { _ = unsafe ZSTD_freeDStream(stream) }

  func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard unsafe stream != nil else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = 0
    unsafe input.withUnsafeBytes { bytes in
      unsafe room.withUnsafeMutableBytes { free in
        let to = unsafe UnsafeMutableRawBufferPointer(rebasing: free[first...])
        var from = unsafe ZSTD_inBuffer(
          src: bytes.baseAddress, size: packed.upperBound, pos: packed.lowerBound)
        var out = unsafe ZSTD_outBuffer(dst: to.baseAddress, size: to.count, pos: 0)
        status = unsafe ZSTD_decompressStream(stream, &out, &from)
        step.produced = unsafe out.pos
        step.consumed = unsafe from.pos - packed.lowerBound
      }
    }
    if ZSTD_isError(status) != 0 {
      step.state = .failed(unsafe ZSTD_getErrorName(status).map { unsafe String(cString: $0) } ?? "an error")
    } else if status == 0 {
      step.state = .memberEnded
    }
    return step
  }

  /// Of a frame, or of one that is to be skipped (RFC 8878 §3.1).
  func canBegin(with byte: UInt8) -> Bool { byte == 0x28 || (0x50...0x5F).contains(byte) }

  /// A frame that has ended leaves the library ready for the next.
  func begin() {}
}
