package import ByteParsing

package struct MemorySource: ByteSource {
  let bytes: Bytes
  let chunk: Int
  var position = 0

  /// Creates a source that returns at most `chunk` bytes (at least one) at a time.
  package init(_ bytes: Bytes, chunk: Int = .max) {
    self.bytes = bytes
    self.chunk = max(1, chunk)
  }

  /// Copies as many bytes as fit.
  package mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    let count = try read(into: &buffer, from: start, at: position)
    position += count
    return count
  }
}

extension MemorySource: SeekableSource {
  /// The total number of bytes, read or not.
  package var byteCount: Int? { bytes.count }

  /// Copies as many bytes as fit.
  package func read(into buffer: inout Bytes, from start: Int, at offset: Int) throws(CaptureError) -> Int {
    guard offset >= 0, offset < bytes.count, start >= 0 else { return 0 }
    let count = min(bytes.count - offset, buffer.count - start, chunk)
    guard count > 0 else { return 0 }
    for index in 0..<count { buffer[start + index] = bytes[offset + index] }
    return count
  }
}
