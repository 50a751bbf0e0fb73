package import ByteParsing

/// Where the bytes of a capture come from: a file, a pipe, a decompressor, memory.
package protocol ByteSource {
  /// Writes the next bytes into `buffer`, from index `start` on and never beyond its end.
  ///
  /// Returns how many bytes were written: 0 at the end of the input and whenever no room is left, and at any
  /// time fewer than there is room for. The size of `buffer` stays as it is.
  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int
}

/// A source that can be read at any offset.
package protocol SeekableSource: ByteSource {
  /// How many bytes there are; nil if this source can be read forwards only, such as a pipe.
  var byteCount: Int? { get }

  /// Writes the bytes from `offset` on into `buffer`, from index `start` on and never beyond its end.
  ///
  /// Returns how many bytes were written: 0 at the end of the input. What `read(into:from:)` returns next is unaffected.
  func read(into buffer: inout Bytes, from start: Int, at offset: Int) throws(CaptureError) -> Int
}
