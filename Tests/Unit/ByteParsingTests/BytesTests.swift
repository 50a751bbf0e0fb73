import ByteParsing
import Testing

@Suite struct BytesTests {
  /// Reads a source that returns at most `step` bytes per call.
  private func read(_ content: Bytes, upTo limit: Int, expected: Int = 0, step: Int = .max) -> Bytes? {
    var position = 0
    return Bytes.reading(upTo: limit, expected: expected) { buffer, start in
      let count = min(content.count - position, buffer.count - start, step)
      for index in 0..<count { buffer[start + index] = content[position + index] }
      position += count
      return count
    }
  }

  @Test(arguments: [1, 7, 4096, .max])
  func `reading returns the whole content, however many bytes each call returns`(step: Int) {
    let content = Bytes((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    #expect(read(content, upTo: 10_000, step: step) == content)
    #expect(read(content, upTo: 10_000, expected: 3, step: step) == content)
    #expect(read(content, upTo: 10_000, expected: 10_000, step: step) == content)
  }

  @Test func `reading an empty source returns no bytes`() { #expect(read([], upTo: 0) == []) }

  @Test func `reading more bytes than the limit returns nil`() { #expect(read(Bytes(repeating: 1, count: 10_000), upTo: 9999) == nil) }

  @Test func `an error thrown while reading is rethrown`() {
    struct Fault: Error {}
    #expect(throws: Fault.self) {
      try Bytes.reading(upTo: 10) { _, _ throws(Fault) in throw Fault() }
    }
  }
}
