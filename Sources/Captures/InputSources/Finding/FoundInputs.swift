/// What the arguments of a command come to.
package struct FoundInputs: Sendable {
  /// The captures and other files to read, in the order of the arguments and below a directory or in an archive by the
  /// bytes of their paths.
  package internal(set) var groups: [InputGroup] = []

  /// Files below directories and in archives that are not captures, at most `InputFinder.listedSkips`.
  package internal(set) var skipped: [SkippedFile] = []

  /// How many such files there are.
  package internal(set) var skippedCount = 0

  /// Arguments, or files and folders below them, that cannot be used.
  package internal(set) var errors: [InputError] = []

  /// What is read otherwise than it could be, and why.
  package internal(set) var warnings: [InputError] = []

  /// The archives whose members are among the files.
  package internal(set) var archives: [InputFile] = []

  package var files: [InputFile] { groups.flatMap(\.files) }

  mutating func skip(_ file: SkippedFile) {
    skippedCount += 1
    if skipped.count < InputFinder.listedSkips { skipped.append(file) }
  }
}

/// The files that make one capture: one, or those of a rotated series in the order of their first packets.
package struct InputGroup: Hashable, Sendable {
  /// The files, one at least.
  package let files: [InputFile]

  /// Whether the files are one capture that was written in parts.
  package var isSeries: Bool { files.count > 1 }
}

/// A file below a directory or in an archive that is left alone.
package struct SkippedFile: Hashable, Sendable {
  /// Why a file is left alone.
  package enum Reason: Hashable, Sendable {
    /// It is a link, which is not followed.
    case symbolicLink

    /// It is a FIFO, a device or a socket, which is not opened.
    case specialFile

    /// It is a folder below `InputFinder.maximumDepth` others.
    case tooDeep

    /// It is of this kind, not a capture.
    case kind(InputKind)
  }

  /// The argument as it was given, plus `/relative/path`, plus `!member`.
  package let displayName: String

  package let reason: Reason

  /// Whether it is an archive, which may contain captures; archives within archives are not opened.
  package var isArchive: Bool {
    if case .kind(.archive) = reason { return true }
    return false
  }
}
