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
