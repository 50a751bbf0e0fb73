/// A file of a rotated capture.
package struct CapturePart: Hashable, Sendable {
  /// The file, by its display name.
  package var file: String

  /// Packets of the parts before it: a frame's number in its own file is smaller by as many.
  package var framesBefore: UInt64

  /// Creates a part.
  package init(file: String, framesBefore: UInt64) {
    self.file = file
    self.framesBefore = framesBefore
  }
}
