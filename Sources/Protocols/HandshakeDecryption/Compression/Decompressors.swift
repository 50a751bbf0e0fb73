import ByteParsing
import CBrotli
import CZlib
import CZstd

/// The one place that calls zlib, brotli and zstd.
///
/// All three are C, and unpack at once into room of a fixed size. Each `unsafe` below holds because the pointers are
/// those of arrays that outlive the call, with their true sizes, and the libraries keep none of them.
enum Decompressors {
  /// What zlib unpacks; nil unless it is exactly `byteCount` bytes.
  static func zlib(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(byteCount) { room in
      var written = uLongf(room.count)
      let status = unsafe compressed.withUnsafeBufferPointer { source in
        unsafe uncompress(room.baseAddress, &written, source.baseAddress, uLong(source.count))
      }
      return status == Z_OK ? Int(clamping: written) : nil
    }
  }

  /// What brotli unpacks; nil unless it is exactly `byteCount` bytes.
  static func brotli(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(byteCount) { room in
      var written = room.count
      let status = unsafe compressed.withUnsafeBufferPointer { source in
        unsafe BrotliDecoderDecompress(source.count, source.baseAddress, &written, room.baseAddress)
      }
      return status == BROTLI_DECODER_RESULT_SUCCESS ? written : nil
    }
  }

  /// What zstd unpacks; nil unless it is exactly `byteCount` bytes.
  static func zstd(_ compressed: Bytes, byteCount: Int) -> Bytes? {
    unsafe unpack(byteCount) { room in
      let written = unsafe compressed.withUnsafeBufferPointer { source in
        unsafe ZSTD_decompress(room.baseAddress, room.count, source.baseAddress, source.count)
      }
      return ZSTD_isError(written) == 0 ? written : nil
    }
  }

  private static func unpack(
    _ byteCount: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int?
  ) -> Bytes? {
    var room = Bytes(repeating: 0, count: byteCount)
    let written = unsafe room.withUnsafeMutableBufferPointer { unsafe body($0) }
    return written == byteCount ? room : nil
  }
}
