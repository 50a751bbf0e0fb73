import ArchiveReading
package import CaptureFormats

/// Opens inputs one after another.
///
/// It keeps the archive that was used last open, so that members opened in stored order take one pass. The source of a member is valid
/// until the next input is opened.
package final class InputOpener {
  /// The archive that was used last, the number of members read, and whether they can only be read in order.
  private var cursor: (file: InputFile, archive: ArchiveReader, passed: Int, isSequential: Bool)?

  /// The request that may end reading early; nil if there is none.
  private let interruption: Interruption?

  package init(interruption: Interruption? = nil) { self.interruption = interruption }

  /// Opens a file and detects its kind.
  ///
  /// Throws unless it is a capture, saved sessions or an archive. `watch` receives the stored bytes of the file as they are read, before
  /// unpacking.
  package func open(_ file: InputFile, watch: (any ByteSource) -> any ByteSource = { $0 }) throws(InputError) -> OpenedInput {
    let opened = try openAnyKind(file, watch: watch)
    switch opened.kind {
    case .capture, .savedSessions: return opened
    case .archive:
      if file.membership != nil { throw InputError(.nestedArchive, path: file.displayName) }
      return opened
    case .compressed:
      throw InputError(.packedTwice, path: file.displayName)
    case .empty: throw InputError(.empty, path: file.displayName)
    case .unknown(let start): throw InputError(.notACapture(start: start), path: file.displayName)
    }
  }

  /// Opens a file that is not in an archive, for its stored bytes.
  package func openAsStored(_ file: InputFile) throws(InputError) -> any ByteSource {
    try file.openSource()
  }

  /// Opens a file, unpacks it if it is compressed, and detects its kind, whatever that is.
  package func openAnyKind(_ file: InputFile, watch: (any ByteSource) -> any ByteSource = { $0 }) throws(InputError) -> OpenedInput {
    let stored: any ByteSource
    if let (archive, index) = file.membership {
      stored = try member(index, of: archive, named: file.displayName)
    } else {
      stored = try file.openSource(interruption)
    }
    return try OpenedInput(unpacking: watch(stored), named: file.displayName)
  }

  private func member(_ index: Int, of file: InputFile, named name: String) throws(InputError) -> any ByteSource {
    let archive: ArchiveReader
    var passed = 0
    if let cursor, cursor.file == file, cursor.passed <= index || !cursor.isSequential {
      (archive, passed) = (cursor.archive, cursor.passed)
    } else {
      cursor = nil
      archive = try ArchiveReader(OpenedInput(unpacking: file.openSource(interruption), named: name))
    }
    let isSequential: Bool
    do throws(ArchiveError) {
      isSequential = try !archive.seek(to: index)
      if !isSequential { passed = index }
      while passed <= index {
        // Faults in a member's content do not affect the next one.
        guard try archive.nextReadable() != nil else { break }
        passed += 1
      }
    } catch {
      throw InputError(.archive(error), path: name)
    }
    // The archive has changed since it was listed.
    guard passed > index else { throw InputError(.noSuchFile, path: name) }
    cursor = (file, archive, passed, isSequential)
    return archive.member
  }
}

extension ArchiveReader {
  /// Creates a reader for an input that is an archive; any other input is reported as damaged.
  convenience init(_ opened: OpenedInput) {
    self.init(opened.source, format: opened.kind == .archive(.zip) ? .zip : .tar)
  }

  /// The next member, skipping faults of the current one.
  func nextReadable() throws(ArchiveError) -> ArchiveMember? {
    while true {
      do throws(ArchiveError) {
        return try next()
      } catch  where !error.isFatal {
        continue
      }
    }
  }
}

extension InputOpener {
  /// Opens the file at this path, or standard input for `-`, for its stored bytes.
  package func openAsStored(path: String) throws(InputError) -> any ByteSource {
    try openAsStored(InputFile(argument: path))
  }
}
