import ByteParsing
public import CaptureFormats

/// One file, pipe or standard input to be read; opened when it is its turn.
public struct InputFile: Hashable, Sendable {
  /// How the file was come by, which decides what may be behind its name.
  enum Location: Hashable, Sendable {
    case standardInput

    /// Named by the user: links are followed, a FIFO is welcome.
    case named(FilePath)

    /// Found below a directory: a regular file and nothing else, even if something has taken its place since.
    case found(FilePath)
  }

  /// How reports name the file: the argument as it was given, plus `/relative/path` below a directory.
  ///
  /// Bytes of a name that are not UTF-8 are replaced.
  public let displayName: String

  let location: Location

  /// The files of an argument that is no directory: `-` is the standard input.
  init(argument: String) {
    displayName = argument
    location =
      ["-", "/dev/stdin", "/dev/fd/0"].contains(argument)
      ? .standardInput : .named(FilePath(argument))
  }

  init(displayName: String, found path: FilePath) {
    self.displayName = displayName
    location = .found(path)
  }

  /// Opens the file for reading and tells its kind.
  ///
  /// Throws unless it is a capture or saved sessions.
  public func open() throws(InputError) -> OpenedInput {
    let opened = try openAnyKind()
    switch opened.kind {
    case .capture, .savedSessions: return opened
    case .compressed(let form): throw InputError(.compressed(form), path: displayName)
    case .archive(let form): throw InputError(.archive(form), path: displayName)
    case .empty: throw InputError(.empty, path: displayName)
    case .unknown(let start): throw InputError(.notACapture(start: start), path: displayName)
    }
  }

  /// Opens the file and tells its kind, whatever it is.
  func openAnyKind() throws(InputError) -> OpenedInput {
    let descriptor = try openDescriptor()
    var prefix = Bytes()
    do throws(SystemError) {
      let kind = try InputFile.detectKind(of: descriptor, prefix: &prefix)
      return OpenedInput(kind: kind, source: PrefixedSource(prefix, before: FileSource(descriptor)))
    } catch {
      throw error.inputError(path: displayName)
    }
  }

  /// Opens the file if its type is one that may be opened.
  func openDescriptor() throws(InputError) -> FileDescriptor {
    do throws(SystemError) {
      switch location {
      case .standardInput: return .standardInput()
      case .named(let path):
        // Asked before opening, because opening alone makes some devices act.
        try requireReadable(try path.type(followingLinks: true))
        return try FileDescriptor(opening: path)
      case .found(let path):
        let descriptor = try FileDescriptor(opening: path, flags: FileDescriptor.neverWaitNorFollow)
        guard try descriptor.type() == .regular else { throw SystemError.notRegular }
        return descriptor
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

  /// Reads until the kind is plain; `prefix` is then what was read.
  private static func detectKind(
    of descriptor: FileDescriptor, prefix: inout Bytes
  ) throws(SystemError) -> InputKind {
    var buffer = Bytes(repeating: 0, count: 4096)
    var count = 0
    while true {
      if count == buffer.count {
        buffer.append(contentsOf: repeatElement(0, count: buffer.count))
      }
      let read = try descriptor.read(into: &buffer, from: count)
      count += read
      if let kind = InputKind.detect(buffer.span.extracting(first: count), atEnd: read == 0) {
        buffer.removeLast(buffer.count - count)
        prefix = buffer
        return kind
      }
    }
  }
}

/// An open input, with nothing of it lost.
public struct OpenedInput {
  /// What it holds.
  public let kind: InputKind

  /// All its bytes from the first on.
  public var source: any ByteSource
}
