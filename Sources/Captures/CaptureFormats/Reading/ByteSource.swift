public import ByteParsing

/// Where the bytes of a capture come from: a file, a pipe, a decompressor, memory.
public protocol ByteSource {
  /// Writes the next bytes into `buffer`, from index `start` on and never beyond its end.
  ///
  /// Returns how many bytes were written: 0 at the end of the input and whenever no room is left, and at any
  /// time fewer than there is room for. The size of `buffer` stays as it is.
  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int
}
