/// The files that a command's arguments refer to.
package struct FoundInputs: Sendable {
  /// The captures and other files to read, in the order of the arguments. Below a directory or in an archive, they are sorted by the bytes
  /// of their paths.
  package internal(set) var groups: [InputGroup] = []

  /// Files below directories and in archives that are not captures, at most `InputFinder.maximumListedSkipCount`.
  package internal(set) var skipped: [SkippedFile] = []

  /// The numbers of such files.
  package private(set) var skippedByGroup = SkippedCounts()

  /// The total number of such files.
  package var skippedCount: Int { skippedByGroup.total }

  /// Arguments, or files and folders below them, that cannot be used.
  package internal(set) var errors: [InputError] = []

  /// Warnings about files that are read in another way than might be expected.
  package internal(set) var warnings: [InputError] = []

  /// The archives whose members are among the files.
  package internal(set) var archives: [InputFile] = []

  package var files: [InputFile] { groups.flatMap(\.files) }

  mutating func skip(_ file: SkippedFile) {
    skippedByGroup.add(file)
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

  /// The kind of reason, by which skipped files are counted.
  package enum Group: Hashable, Sendable, CaseIterable {
    case other, link, special, tooDeep
  }

  package var group: Group {
    switch reason {
    case .symbolicLink: .link
    case .specialFile: .special
    case .tooDeep: .tooDeep
    case .kind: .other
    }
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

/// The numbers of skipped files.
package struct SkippedCounts: Sendable {
  /// The number and the name of the first, by group.
  package private(set) var groups: [SkippedFile.Group: (count: Int, first: String)] = [:]

  /// The number of archives among them.
  package private(set) var archives = 0

  package private(set) var total = 0

  package init() {}

  package mutating func add(_ file: SkippedFile) {
    total += 1
    groups[file.group, default: (0, file.displayName)].count += 1
    if file.isArchive { archives += 1 }
  }
}
