import CAppleTrust

/// The bytes of `apple-trust.bin`, which the program contains.
enum EmbeddedData {
  /// Calls `body` with the bytes, which are read from the program's file as they are needed.
  static func read<Result, Failure>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = unsafe UnsafeBufferPointer(
      start: atscope_apple_trust_bytes(), count: atscope_apple_trust_count())
    return try unsafe body(buffer.span)
  }
}
