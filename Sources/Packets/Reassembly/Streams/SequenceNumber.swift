/// A TCP sequence number, which counts bytes modulo 2³² (RFC 9293 §3.4).
@usableFromInline package struct SequenceNumber: Hashable, Sendable {
  @usableFromInline package var rawValue: UInt32

  @inlinable
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// The number of bytes from `self` forward to `other`; negative if `other` is earlier.
  @inlinable
  package func distance(to other: SequenceNumber) -> Int {
    Int(Int32(bitPattern: other.rawValue &- rawValue))
  }

  /// The sequence number `count` bytes later.
  @inlinable
  package func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt32(truncatingIfNeeded: count))
  }
}

/// A range of bytes in a stream.
package struct SequenceRange: Hashable, Sendable {
  package var start: SequenceNumber
  package var count: Int

  package init(start: SequenceNumber, count: Int) {
    self.start = start
    self.count = count
  }

  /// The sequence number after the last byte.
  package var end: SequenceNumber { start.advanced(by: count) }

  package func overlaps(_ other: SequenceRange) -> Bool {
    start.distance(to: other.end) > 0 && other.start.distance(to: end) > 0
  }

  /// The shortest range that contains this one and another one.
  func union(_ other: SequenceRange) -> SequenceRange {
    let first = start.distance(to: other.start) < 0 ? other.start : start
    let last = end.distance(to: other.end) > 0 ? other.end : end
    return SequenceRange(start: first, count: first.distance(to: last))
  }

  /// Whether another range is within this one.
  package func contains(_ other: SequenceRange) -> Bool {
    start.distance(to: other.start) >= 0 && other.end.distance(to: end) >= 0
  }
}
