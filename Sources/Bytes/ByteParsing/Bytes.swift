/// An array of bytes.
///
/// `ContiguousArray`, because its `span` exists on every supported system; `Array.span` requires macOS 26.
public typealias Bytes = ContiguousArray<UInt8>

extension Bytes {
  /// All bytes that `read` returns; nil if those are more than `limit`.
  ///
  /// `read` writes the next bytes from an index on, and returns how many: 0 at the end. `expected` is the number of bytes if that is known.
  @inlinable
  package static func reading<Failure: Error>(
    upTo limit: Int, expected: Int = 0, _ read: (_ buffer: inout Bytes, _ start: Int) throws(Failure) -> Int
  ) throws(Failure) -> Bytes? {
    // With one byte more, the call that returns 0 needs no larger buffer.
    var buffer = Bytes(repeating: 0, count: Swift.max(expected + 1, 4096))
    var count = 0
    while true {
      if count == buffer.count { buffer += Bytes(repeating: 0, count: buffer.count) }
      let added = try read(&buffer, count)
      count += added
      guard count <= limit else { return nil }
      guard added > 0 else { break }
    }
    buffer.removeLast(buffer.count - count)
    return buffer
  }
}
