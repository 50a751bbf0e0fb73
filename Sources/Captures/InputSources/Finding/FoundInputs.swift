/// What the arguments of a command come to.
public struct FoundInputs: Sendable {
  /// The files to read, in the order of the arguments and below a directory by the bytes of their paths.
  public internal(set) var files: [InputFile] = []

  /// Files below directories that are no captures, `InputFinder.listedSkips` of them at most.
  public internal(set) var skipped: [SkippedFile] = []

  /// How many such files there are.
  public internal(set) var skippedCount = 0

  /// Arguments, or files and folders below them, that cannot be used.
  public internal(set) var errors: [InputError] = []
}

/// A file below a directory that is left alone.
public struct SkippedFile: Hashable, Sendable {
  /// Why a file is left alone.
  public enum Reason: Hashable, Sendable {
    /// It is a link, which is not followed.
    case symbolicLink

    /// It is a FIFO, a device or a socket, which is not opened.
    case specialFile

    /// It is a folder below `InputFinder.deepest` others.
    case tooDeep

    /// It is no capture, but this.
    case kind(InputKind)
  }

  /// The argument as it was given, plus `/relative/path`.
  public let displayName: String

  /// Why it is left alone.
  public let reason: Reason
}
