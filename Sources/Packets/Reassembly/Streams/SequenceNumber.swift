/// A TCP sequence number, which counts bytes modulo 2³² (RFC 9293 §3.4).
public struct SequenceNumber: Hashable, Sendable {
  /// The number as it stands in the header.
  public var rawValue: UInt32

  /// Takes the number.
  @inlinable
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Bytes from `self` forward to `other`; negative when `other` is the earlier one.
  @inlinable
  public func distance(to other: SequenceNumber) -> Int {
    Int(Int32(bitPattern: other.rawValue &- rawValue))
  }

  /// The number `count` bytes further on.
  @inlinable
  public func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt32(truncatingIfNeeded: count))
  }
}

/// Bytes that follow one another in a stream.
public struct SequenceRange: Hashable, Sendable {
  /// Number of the first byte.
  public var start: SequenceNumber
  /// How many they are.
  public var count: Int

  /// Creates a range.
  public init(start: SequenceNumber, count: Int) {
    self.start = start
    self.count = count
  }

  /// Number behind the last byte.
  public var end: SequenceNumber { start.advanced(by: count) }

  /// Whether two ranges have a byte in common.
  public func overlaps(_ other: SequenceRange) -> Bool {
    start.distance(to: other.end) > 0 && other.start.distance(to: end) > 0
  }

  /// Whether all bytes of another range are in this one.
  public func contains(_ other: SequenceRange) -> Bool {
    start.distance(to: other.start) >= 0 && other.end.distance(to: end) >= 0
  }
}
