/// A file of a rotated capture.
package struct CapturePart: Hashable, Sendable {
  /// The file, by its display name.
  package var file: String

  /// The number of packets in earlier parts. A frame number minus this is the number within the file.
  package var framesBefore: UInt64

  package init(file: String, framesBefore: UInt64) {
    self.file = file
    self.framesBefore = framesBefore
  }
}
