package import SessionModel

/// Bytes of one direction whose copies disagree where no checksum decides.
package struct ContestedBytes {
  /// Whether the lower end sent them.
  package var fromLower: Bool
  /// Where they are, counted back from the end of what was read: 1 is the last byte.
  var beforeEnd: ClosedRange<Int>
  /// The packets that carry the copies.
  package var frames: FrameList

  /// Creates the bytes of a contest.
  package init(fromLower: Bool, beforeEnd: ClosedRange<Int>, frames: FrameList) {
    self.fromLower = fromLower
    self.beforeEnd = beforeEnd
    self.frames = frames
  }
}
