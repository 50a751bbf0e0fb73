/// How inputs are read.
public struct ReadingOptions: Sendable {
  /// Whether a capture that is cut off at its end is no fault.
  public var allowIncomplete = false

  /// Whether the SHA-256 of every input is wanted.
  public var digest = false

  /// Creates the default options.
  public init() {}
}
