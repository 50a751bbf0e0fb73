import CAppleTrust

/// The bytes of `apple-trust.bin`, which are part of the program.
enum EmbeddedData {
  /// Calls `body` with the bytes, which the system reads from the program's file on demand.
  static func read<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
    let buffer = unsafe UnsafeBufferPointer(start: atscope_apple_trust_bytes(), count: atscope_apple_trust_count())
    return try unsafe body(buffer.span)
  }
}
