package import Values

/// A packet of a capture: its frame number and its time.
package struct PacketReference: Sendable {
  /// The number of the packet, counted from 1.
  package var frame: UInt64

  /// The capture time; nil if the capture has none. The type is written as `Optional`, because `Timestamp?` would have a default value of
  /// nil, and each packet would then call another module for it.
  package var time: Optional<Timestamp>

  package init(frame: UInt64, time: Timestamp?) {
    self.frame = frame
    self.time = time
  }
}
