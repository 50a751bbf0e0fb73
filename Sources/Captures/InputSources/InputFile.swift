import ByteParsing
import SystemCalls
package import CaptureFormats

/// A file, pipe, standard input, archive member or block of memory, which is opened when it is read.
package struct InputFile: Hashable, Sendable {
  /// The way in which the file was found, which determines whether links and FIFOs are allowed.
  indirect enum Location: Hashable, Sendable {
    case standardInput

    /// Named by the user: links are followed, and a FIFO is allowed.
    case named(FilePath)

    /// Found below a directory: must still be a regular file when it is opened.
    case found(FilePath)

    /// Expected at this path: links are followed, but must lead to a regular file.
    case expected(FilePath)

    case memory(Bytes)

    /// A regular file in an archive, by its index.
    case member(of: InputFile, index: Int)
  }

  /// The name of the file in reports: the argument as given, plus `/relative/path` below a directory, plus `!member` in an archive.
  ///
  /// Bytes that are not UTF-8 are represented as in `InputText`. A number follows if another file has the name, such as an earlier version
  /// in the same tar.
  package internal(set) var displayName: String

  let location: Location

  /// The size in bytes; nil if it is not known without reading the file.
  package internal(set) var size: UInt64?

  /// Whether the file can be opened more than once: it is known to be a regular file or to be in one.
  var isRepeatable = false

  /// Whether it is a member that can only be read after those before it.
  private(set) var isSequential = false

  /// Whether the bytes are in memory, under a name that other bytes may have, too.
  var isInMemory: Bool {
    if case .memory = location { true } else { false }
  }

  /// Creates a file from an argument that is not a directory; `-` is standard input.
  init(argument: String, displayName: String? = nil) {
    self.displayName = displayName ?? argument
    location = ["-", "/dev/stdin", "/dev/fd/0"].contains(argument) ? .standardInput : .named(FilePath(argument))
  }

  /// Creates a file in memory, or one that is known to be regular.
  init(displayName: String, at location: Location, size: UInt64? = nil) {
    self.displayName = displayName
    self.location = location
    self.size = size
    isRepeatable = true
  }

  package init(displayName: String, in archive: InputFile, index: Int, size: UInt64?, isSequential: Bool) {
    self.init(displayName: displayName, at: .member(of: archive, index: index), size: size)
    self.isSequential = isSequential
  }

  /// The location, regardless of how the file was found.
  var canonicalLocation: Location {
    switch location {
    case .found(let path), .expected(let path): .named(path)
    case .member(let archive, let index): .member(of: InputFile(displayName: "", at: archive.canonicalLocation), index: index)
    case .named, .standardInput, .memory: location
    }
  }

  package var isStandardInput: Bool { location == .standardInput }

  /// Whether the user named the file, rather than a folder or an archive that contains it. Files in an archive from a pipe count as named:
  /// they cannot be examined before they are read either.
  var isNamed: Bool {
    switch location {
    case .named, .standardInput, .memory: true
    case .member(let archive, _): !archive.isRepeatable
    case .found, .expected: false
    }
  }

  /// The archive that contains it, and its index there.
  package var membership: (archive: InputFile, index: Int)? {
    guard case .member(let archive, let index) = location else { return nil }
    return (archive, index)
  }

  /// Opens the file and detects its kind.
  ///
  /// Throws unless it is a capture, saved sessions or an archive.
  package func open() throws(InputError) -> OpenedInput { try InputOpener().open(self) }

  /// Returns a reader of the file's packets; nil if it cannot be opened, or is not a capture. The opener keeps an archive open for files
  /// that follow in it.
  package func captureReader(_ opener: InputOpener) -> CaptureReader? {
    guard let opened = try? opener.open(self), case .capture = opened.kind else { return nil }
    return try? CaptureReader(opened.source)
  }

  /// Whether the file would be read if its folder were searched: it is a capture, or may contain captures.
  package static func mayBeSearched(_ path: String) -> Bool {
    guard let opened = try? InputFile(argument: path).openAnyKind() else { return true }
    return switch opened.kind {
    case .capture, .archive, .compressed: true
    case .savedSessions, .empty, .unknown: false
    }
  }

  /// Whether the file at this path can be read twice: it is a regular file or a folder, and not a pipe.
  package static func canBeReadTwice(_ path: String) -> Bool {
    guard path != "-", let type = try? FilePath(path).type(followingLinks: true) else { return false }
    return type == .regular || type == .directory
  }

  /// Opens the file and detects its kind, whatever it is, without unpacking.
  func openAnyKind() throws(InputError) -> OpenedInput {
    try OpenedInput(detecting: openSource(), named: displayName)
  }

  func openSource(_ interruption: Interruption? = nil) throws(InputError) -> any SeekableSource {
    if case .memory(let bytes) = location { return MemorySource(bytes) }
    return FileSource(try openDescriptor(interruption), interruption, isStandardInput: isStandardInput)
  }

  /// Opens the file if its type is allowed.
  func openDescriptor(_ interruption: Interruption? = nil) throws(InputError) -> FileDescriptor {
    do throws(SystemError) {
      switch location {
      case .standardInput: return .standardInput()
      case .named(let path):
        // Checked before opening, because opening a device can have side effects.
        try requireReadable(try path.type(followingLinks: true))
        return try FileDescriptor(opening: path) { interruption?.isPending == true }
      case .found(let path), .expected(let path):
        let isFound = location == .found(path)
        let descriptor = try FileDescriptor(opening: path, flags: isFound ? FileDescriptor.neverWaitNorFollow : FileDescriptor.neverWait)
        guard try descriptor.type() == .regular else { throw SystemError.notRegular }
        return descriptor
      case .member, .memory: throw SystemError.notRegular
      }
    } catch {
      throw error.inputError(path: displayName)
    }
  }

  private func requireReadable(_ type: FileType) throws(SystemError) {
    switch type {
    case .regular, .fifo: break
    case .directory: throw SystemError.isDirectory
    default: throw SystemError.notRegular
    }
  }
}
