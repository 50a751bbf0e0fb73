public import ByteParsing

/// The part of the capture in memory: one buffer that the source fills and that is parsed in place.
///
///     0                   lead                                        storage.count
///     |        | unfinished | what the next read brings                           |
///              position     end
///
/// When the bytes run out, an unfinished record moves to just before `lead`, and the next read goes to `lead`. Reads are therefore large
/// and aligned, and only unfinished bytes are copied.
@usableFromInline struct CaptureBuffer: ~Copyable {
  /// The number of bytes that one read requests.
  private let readSize: Int

  /// The space before the read position. Longer unfinished records move to the buffer's start, and the buffer may grow.
  private let lead: Int

  @usableFromInline var storage: Bytes

  /// The index of the first unparsed byte.
  @usableFromInline var position: Int

  /// The index after the last byte that was read.
  @usableFromInline private(set) var end: Int

  /// The offset in the capture of index 0; negative at first, while the lead is empty.
  private var base: Int

  private var source: any ByteSource
  private var sourceHasEnded = false

  init(_ source: consuming any ByteSource, readSize: Int) {
    self.source = source
    self.readSize = max(readSize, 64)
    lead = self.readSize / 4
    storage = Bytes(repeating: 0, count: lead + self.readSize)
    position = lead
    end = lead
    base = -lead
  }

  /// Everything in memory, with indices like `position`.
  @usableFromInline var bytes: RawSpan {
    @_lifetime(borrow self)
    @inlinable
    @inline(__always)
    get { storage.raw }
  }

  /// The bytes of a packet record's range; empty if it is no longer in the buffer.
  @_lifetime(borrow self)
  @inlinable
  func span(from start: Int, count: Int) -> Span<UInt8> {
    let whole = storage.span
    guard start >= 0, count >= 0, start <= whole.count, count <= whole.count - start else { return whole.extracting(first: 0) }
    return whole.extracting(start..<(start + count))
  }

  /// The number of unparsed bytes in memory.
  @usableFromInline var available: Int {
    @inlinable
    @inline(__always)
    get { end - position }
  }

  /// The offset of `position` in the capture.
  var offset: Int { base + position }

  /// The error for a capture that ends within the structure at `position`.
  func truncated(needed: Int) -> CaptureError {
    CaptureError(.truncated(needed: needed, available: available), at: offset)
  }

  /// Reads until `count` bytes are available, which may move `position`; returns false if the source ends first.
  @inline(never)
  mutating func fill(to count: Int) throws(CaptureError) -> Bool {
    while available < count {
      if sourceHasEnded { return false }
      makeRoom(for: count)
      do throws(CaptureError) {
        let room = storage.count - end
        let read = try source.read(into: &storage, from: end)
        sourceHasEnded = read <= 0
        end += min(max(read, 0), room)
      } catch {
        sourceHasEnded = true
        throw CaptureError(error.reason, at: base + end)
      }
    }
    return true
  }

  /// Makes space after `end`, if possible for the whole unfinished record.
  private mutating func makeRoom(for count: Int) {
    let unread = available
    if unread > 0, end < storage.count, count <= storage.count - position { return }
    if unread <= lead, count - unread <= readSize {
      let start = lead - unread
      if storage.count > lead + readSize {
        shrink(keepingUnreadAt: start)
      } else {
        storage.move(position..<end, to: start)
      }
      moved(to: start)
    } else if position > 0 {
      storage.move(position..<end, to: 0)
      moved(to: 0)
    }
    if end == storage.count {
      // The buffer grows only with bytes that have arrived, never because of an announced length alone.
      storage.append(contentsOf: repeatElement(0, count: min(storage.count, max(count - storage.count, 1))))
    }
  }

  /// Shrinks the buffer after one long record, so that reads stay within the caches.
  private mutating func shrink(keepingUnreadAt start: Int) {
    var smaller = Bytes(repeating: 0, count: lead + readSize)
    for index in 0..<available {
      smaller[start + index] = storage[position + index]
    }
    storage = smaller
  }

  private mutating func moved(to start: Int) {
    base += position - start
    end -= position - start
    position = start
  }
}
