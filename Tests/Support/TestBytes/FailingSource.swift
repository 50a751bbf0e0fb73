package import ByteParsing
package import CaptureFormats

/// Fails with a read error after its last byte.
package struct FailingSource: ByteSource {
  private var source: MemorySource

  package init(_ bytes: Bytes) { source = MemorySource(bytes) }

  package mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    let count = try source.read(into: &buffer, from: start)
    if count == 0 { throw CaptureError(.readFailed(code: 5), at: 0) }
    return count
  }
}
