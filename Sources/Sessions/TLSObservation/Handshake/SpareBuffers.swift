import ByteParsing

/// Buffers that are not in use: messages are gathered in one after another, and none of them needs new memory.
struct SpareBuffers {
  private var buffers: ContiguousArray<Bytes> = []

  /// Buffers kept, and the bytes that one may have room for: most messages are shorter.
  private static let limit = (count: 64, capacity: 16 * 1024)

  /// An empty buffer, with room where there is one.
  mutating func take() -> Bytes { buffers.popLast() ?? Bytes() }

  /// Takes a buffer back that is not needed any more, and leaves an empty one in its place.
  mutating func take(back buffer: inout Bytes) {
    var returned = Bytes()
    swap(&returned, &buffer)
    guard returned.capacity > 0, returned.capacity <= SpareBuffers.limit.capacity,
      buffers.count < SpareBuffers.limit.count
    else { return }
    returned.removeAll(keepingCapacity: true)
    buffers.append(consume returned)
  }
}
