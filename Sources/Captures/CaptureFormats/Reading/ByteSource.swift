package import ByteParsing

/// The source of a capture's bytes: a file, a pipe, a decompressor, memory.
package protocol ByteSource {
  /// Writes the next bytes into `buffer`, from index `start` on and never beyond its end.
  ///
  /// Returns the number of bytes written: 0 at the end of the input or without room, and otherwise possibly less than there is room for.
  /// The size of `buffer` does not change.
  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int
}

/// A source that can be read at any offset.
package protocol SeekableSource: ByteSource {
  /// The total number of bytes; nil if the source cannot be read at any offset, such as a pipe.
  var byteCount: Int? { get }

  /// Writes the bytes from `offset` on into `buffer`, from index `start` on and never beyond its end.
  ///
  /// Returns the number of bytes written: 0 at the end of the input. Does not affect what `read(into:from:)` returns next.
  func read(into buffer: inout Bytes, from start: Int, at offset: Int) throws(CaptureError) -> Int
}
