/// The files that a command's arguments refer to.
package struct FoundInputs: Sendable {
  /// The captures and other files to read, in the order of the arguments. Below a directory or in an archive, they are sorted by the bytes
  /// of their paths.
  package internal(set) var groups: [InputGroup] = []

  /// Files below directories and in archives that are not captures, at most `InputFinder.maximumListedSkipCount`.
  package internal(set) var skipped: [SkippedFile] = []

  /// The total number of such files.
  package internal(set) var skippedCount = 0

  /// Arguments, or files and folders below them, that cannot be used.
  package internal(set) var errors: [InputError] = []

  /// Warnings about files that are read in another way than might be expected.
  package internal(set) var warnings: [InputError] = []

  /// The archives whose members are among the files.
  package internal(set) var archives: [InputFile] = []

  package var files: [InputFile] { groups.flatMap(\.files) }

  mutating func skip(_ file: SkippedFile) {
    skippedCount += 1
    if skipped.count < InputFinder.maximumListedSkipCount { skipped.append(file) }
  }
}

/// The files of one capture: a single file, or the parts of a rotated series in the order of their first packets.
package struct InputGroup: Hashable, Sendable {
  /// The files, at least one.
  package let files: [InputFile]

  /// Whether the files are parts of one capture.
  package var isSeries: Bool { files.count > 1 }
}

/// A file below a directory or in an archive that is skipped.
package struct SkippedFile: Hashable, Sendable {
  /// The reason why a file is skipped.
  package enum Reason: Hashable, Sendable {
    /// A symbolic link, which is not followed.
    case symbolicLink

    /// A FIFO, a device or a socket, which is not opened.
    case specialFile

    /// A folder more than `InputFinder.maximumDepth` levels deep.
    case tooDeep

    /// A file of this kind, which is not a capture.
    case kind(InputKind)
  }

  /// The argument as given, plus `/relative/path`, plus `!member`.
  package let displayName: String

  package let reason: Reason

  /// Whether it is an archive, which may contain captures; archives within archives are not opened.
  package var isArchive: Bool {
    if case .kind(.archive) = reason { return true }
    return false
  }
}
