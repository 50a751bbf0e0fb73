package import SessionModel
package import Values

/// Bytes of one direction whose copies disagree where no checksum decides.
package struct ContestedBytes {
  /// The direction in which they were sent.
  package var direction: Direction
  /// Where they are, counted back from the end of what was read: 1 is the last byte.
  var beforeEnd: ClosedRange<Int>
  /// The packets that carry the copies.
  package var frames: FrameList

  /// Creates the bytes of a contest.
  package init(direction: Direction, beforeEnd: ClosedRange<Int>, frames: FrameList) {
    self.direction = direction
    self.beforeEnd = beforeEnd
    self.frames = frames
  }
}
