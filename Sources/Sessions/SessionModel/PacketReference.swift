public import Values

/// A packet of a capture: its frame number and its time.
@usableFromInline package struct PacketReference: Sendable {
  /// Counts the packets of the capture from 1.
  @usableFromInline package var frame: UInt64

  /// When it was captured; nil where the capture does not say. Spelled out: `Timestamp?` would have nil for a beginning, which each
  /// packet then asks another module for.
  @usableFromInline package var time: Optional<Timestamp>

  /// Creates a reference.
  @inlinable
  package init(frame: UInt64, time: Timestamp?) {
    self.frame = frame
    self.time = time
  }
}
