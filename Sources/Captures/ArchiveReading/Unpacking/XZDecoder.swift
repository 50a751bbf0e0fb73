import ByteParsing
import CLZMA

/// Decodes the container of xz.
///
/// The one place that calls liblzma. Each `unsafe` below holds because its pointers are set anew for each call and point only
/// to what lives until it returns, and because its state is freed exactly once.
@safe
final class XZDecoder: StreamDecoder {
  private var stream = unsafe lzma_stream()
  private var isReady = false

  /// Bytes of memory that a stream may require: several times what the strongest preset (`xz -9`) needs.
  private static let memoryLimit: UInt64 = 256 << 20

  init() { begin() }

  deinit { unsafe lzma_end(&stream) }

  func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep {
    guard isReady else { return DecodingStep(state: .failed("no memory")) }
    var step = DecodingStep()
    var status = LZMA_OK
    unsafe input.withUnsafeBytes { bytes in
      unsafe room.withUnsafeMutableBytes { free in
        let from = unsafe UnsafeRawBufferPointer(rebasing: bytes[packed])
        let to = unsafe UnsafeMutableRawBufferPointer(rebasing: free[first...])
        unsafe stream.next_in = from.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_in = from.count
        unsafe stream.next_out = to.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.avail_out = to.count
        status = unsafe lzma_code(&stream, LZMA_RUN)
        step.produced = unsafe to.count - stream.avail_out
        step.consumed = unsafe from.count - stream.avail_in
      }
    }
    switch status {
    case LZMA_OK, LZMA_BUF_ERROR: break
    case LZMA_STREAM_END: step.state = .memberEnded
    default: step.state = .failed(words(status))
    }
    return step
  }

  private func words(_ status: lzma_ret) -> String {
    switch status {
    case LZMA_MEM_ERROR: "no memory"
    case LZMA_MEMLIMIT_ERROR: "a dictionary of more than \(XZDecoder.memoryLimit >> 20) MiB"
    case LZMA_FORMAT_ERROR: "not an xz stream"
    case LZMA_OPTIONS_ERROR: "unknown xz options"
    case LZMA_DATA_ERROR: "corrupt input"
    default: "liblzma error \(status.rawValue)"
    }
  }

  func canBegin(with byte: UInt8) -> Bool { byte == 0xFD }

  func begin() { isReady = unsafe lzma_stream_decoder(&stream, XZDecoder.memoryLimit, 0) == LZMA_OK }
}
