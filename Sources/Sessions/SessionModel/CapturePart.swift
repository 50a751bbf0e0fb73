/// A file of a rotated capture.
public struct CapturePart: Hashable, Sendable {
  /// The file, by its display name.
  public var file: String

  /// Packets of the parts before it: a frame's number in its own file is smaller by as many.
  public var framesBefore: UInt64

  /// Creates a part.
  public init(file: String, framesBefore: UInt64) {
    self.file = file
    self.framesBefore = framesBefore
  }
}
