import ByteParsing
import CaptureFormats

/// A source that returns bytes already read, and then those of the underlying source.
struct PrefixedSource: ByteSource {
  private var prefix: MemorySource?
  private var rest: any ByteSource

  init(_ prefix: Bytes, before rest: any ByteSource) {
    self.prefix = MemorySource(prefix)
    self.rest = rest
  }

  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    if start < buffer.count, let count = try prefix?.read(into: &buffer, from: start) {
      if count > 0 { return count }
      prefix = nil
    }
    return try rest.read(into: &buffer, from: start)
  }
}
