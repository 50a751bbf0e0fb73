public import Values

/// A packet's place and time.
public struct Moment: Sendable {
  /// Counts the packets of the capture from 1.
  public var frame: UInt64

  /// When it was captured; nil where the capture does not say. Spelled out: `Timestamp?` would have nil for a beginning, which each
  /// packet then asks another module for.
  public var time: Optional<Timestamp>

  /// Creates a moment.
  @inlinable
  public init(frame: UInt64, time: Timestamp?) {
    self.frame = frame
    self.time = time
  }
}
