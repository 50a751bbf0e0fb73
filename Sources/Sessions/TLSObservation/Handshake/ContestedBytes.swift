package import SessionModel
package import Values

/// Bytes of one direction whose copies disagree although no checksum decides between them.
package struct ContestedBytes {
  /// The direction in which they were sent.
  package var direction: Direction
  /// Their range, counted backward from the end of the bytes that were read; 1 is the last byte.
  var beforeEnd: ClosedRange<Int>
  /// The packets that carry the copies.
  package var frames: FrameList

  package init(direction: Direction, beforeEnd: ClosedRange<Int>, frames: FrameList) {
    self.direction = direction
    self.beforeEnd = beforeEnd
    self.frames = frames
  }
}
