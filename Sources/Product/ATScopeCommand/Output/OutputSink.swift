import ArgumentParser
import ByteParsing
import SessionRecords
import SystemCalls
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The destination of a result: standard output, or a file that appears completely or not at all.
///
/// A file is written without a name and gets its name when it is complete, so that a run that ends early leaves nothing.
final class OutputSink {
  private var descriptor: Int32 = STDOUT_FILENO
  private let path: String?
  /// The file to replace, with links resolved; nil if the output is a stream.
  private var target: String?
  /// The permissions of the file to replace.
  private var mode: mode_t?
  /// The error that ended the writing; 0 if there is none.
  private var failure: Int32 = 0

  /// Creates a sink for a file; nil or `-` for standard output.
  ///
  /// The target of a link is replaced. `usesNamelessFiles` is false only in tests: not every file system supports nameless files.
  init(_ path: String?, usesNamelessFiles: Bool = true) throws {
    self.path = path == "-" ? nil : path
    guard let path = self.path else { return }
    if let open = OutputSink.openDescriptor(path) {
      descriptor = dup(open)
      guard descriptor >= 0 else { throw refusal(errno) }
      return
    }
    if OutputSink.isDevice(path) {
      do throws(SystemError) {
        descriptor = try FilePath(path).open(O_WRONLY)
      } catch {
        throw refusal(error.code)
      }
      return
    }
    let target = try resolved(path)
    self.target = target
    mode = OutputSink.status(of: target).map { $0.st_mode & 0o7777 }
    if usesNamelessFiles, let opened = OutputSink.openNameless(in: OutputSink.folderAndName(of: target).folder) {
      descriptor = opened
    } else {
      // The name is removed at once; the content is copied at the end.
      do throws(SystemError) {
        let (temporary, opened) = try OutputSink.openTemporary(besides: target)
        descriptor = opened
        FilePath(temporary).remove()
      } catch {
        throw refusal(error.code)
      }
    }
  }

  /// Writes bytes; returns false once the reader is gone.
  func write(_ bytes: Bytes) -> Bool {
    if failure == 0 { failure = SystemCalls.write(bytes, to: descriptor) }
    return failure == 0
  }

  /// Ends the output, and gives a file its name. A closed pipe is not an error; a full disk is.
  func close(isWhole: Bool) throws {
    if let target {
      if failure == 0 {
        // No signal may end the process while a file has a temporary name.
        StandardStreams.withoutSignals {
          failure = isWhole ? publish(as: target) : EIO
        }
      }
      closeDescriptor()
      if failure != 0 { throw refusal(failure) }
      return
    }
    if path != nil { closeDescriptor() }
    if failure != 0, failure != EPIPE { throw refusal(failure) }
  }

  private func closeDescriptor() {
    let code = SystemCalls.close(descriptor)
    if failure == 0 { failure = code }
  }

  static func writeResult(_ bytes: Bytes) throws { try OutputSink(nil).finish(bytes) }

  /// Writes a complete result and ends the output.
  func finish(_ bytes: Bytes) throws {
    StandardStreams.ignoreBrokenPipes()
    _ = write(bytes)
    try close(isWhole: true)
  }

  /// Discards the output without creating a file.
  func abandon() {
    if path != nil { SystemCalls.close(descriptor) }
  }

  // MARK: Files without a name

  /// Opens a file without a name in a folder; returns nil if the file system does not support that.
  ///
  /// Whether it can get a name later is first tried with an empty file, because a failure at the end would lose the result.
  private static func openNameless(in folder: String) -> Int32? {
    #if canImport(Glibc)
      let flags = __O_TMPFILE | O_RDWR
      guard let trial = try? FilePath(folder).open(flags, mode: 0o600) else { return nil }
      defer { SystemCalls.close(trial) }
      guard let name = try? OutputSink.link(trial, in: folder) else { return nil }
      FilePath(name).remove()
      return try? FilePath(folder).open(flags, mode: 0o666)
    #else
      return nil
    #endif
  }

  /// Gives a nameless file a temporary name.
  private static func link(_ descriptor: Int32, in folder: String) throws(SystemError) -> String {
    for name in temporaryNames(in: folder) {
      do throws(SystemError) {
        try FilePath(name).link(descriptor)
        return name
      } catch  where error.code == EEXIST {}
    }
    throw SystemError(code: EEXIST)
  }

  /// Gives the written file the name of the output. Returns 0 or an error number.
  private func publish(as target: String) -> Int32 {
    let folder = OutputSink.folderAndName(of: target).folder
    do throws(SystemError) {
      let temporary: String
      if let name = try? OutputSink.link(descriptor, in: folder) {
        temporary = name
      } else {
        temporary = try copied(besides: target)
      }
      let file = FilePath(temporary)
      do throws(SystemError) {
        if let mode { try file.setMode(mode) }
        try file.rename(to: FilePath(target))
      } catch {
        file.remove()
        throw error
      }
      return 0
    } catch {
      return error.code
    }
  }

  /// Copies the written file to a file with a temporary name, if a nameless file cannot get a name.
  private func copied(besides target: String) throws(SystemError) -> String {
    let (name, copy) = try OutputSink.openTemporary(besides: target)
    var code: Int32 = lseek(descriptor, 0, SEEK_SET) == 0 ? 0 : errno
    do throws(SystemError) {
      var buffer = Bytes(repeating: 0, count: 1 << 16)
      while code == 0 {
        let count = try SystemCalls.read(into: &buffer, from: 0, descriptor)
        if count == 0 { break }
        code = SystemCalls.write(Bytes(buffer.prefix(count)), to: copy)
      }
    } catch {
      code = error.code
    }
    let closed = SystemCalls.close(copy)
    if code == 0 { code = closed }
    if code == 0 { return name }
    FilePath(name).remove()
    throw SystemError(code: code)
  }

  /// Creates a file with a temporary name in the folder of another file.
  private static func openTemporary(besides target: String) throws(SystemError) -> (name: String, descriptor: Int32) {
    for name in temporaryNames(in: folderAndName(of: target).folder) {
      do throws(SystemError) {
        return (name, try FilePath(name).open(O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
      } catch  where error.code == EEXIST {}
    }
    throw SystemError(code: EEXIST)
  }

  /// Returns names that do not depend on the output's name, which may have the maximum length.
  private static func temporaryNames(in folder: String) -> some Sequence<String> {
    (0..<1000).lazy.map { "\(folder)/.atscope-\(getpid())-\($0)" }
  }

  // MARK: Names

  /// Returns the file to which a path leads.
  private func resolved(_ path: String) throws -> String {
    guard OutputSink.isLink(path) else { return path }
    guard let target = OutputSink.realPath(path) else {
      StandardError.note("\(DisplayText.escaped(path)): is a link to a file that does not exist; give that file")
      throw ExitCode(2)
    }
    return target
  }

  /// Returns the absolute path without links; nil if the file does not exist.
  static func realPath(_ path: String) -> String? {
    FilePath(path).resolved.map { InputText.string(decoding: $0.bytes) }
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FilePath(path).type(followingLinks: false)) == .symbolicLink
  }

  static func exists(_ path: String) -> Bool { status(of: path) != nil }

  static func isRegularFile(_ path: String) -> Bool { regularFile(path) != nil }

  /// Whether two names lead to the same regular file.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    guard let one = regularFile(one), let other = regularFile(other) else { return false }
    return isSame(one, other)
  }

  /// Whether a name leads to the regular file that is standard input.
  static func isStandardInput(_ path: String) -> Bool {
    guard let input = try? SystemCalls.status(STDIN_FILENO), let file = regularFile(path) else { return false }
    return isSame(input, file)
  }

  private static func isSame(_ one: stat, _ other: stat) -> Bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private static func regularFile(_ path: String) -> stat? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status
  }

  private static func status(of path: String) -> stat? { try? FilePath(path).status() }

  /// Whether two names are the same entry of a folder, which need not exist.
  static func isSamePath(_ one: String, _ other: String) -> Bool {
    let (one, other) = (folderAndName(of: one), folderAndName(of: other))
    guard one.name.utf8.elementsEqual(other.name.utf8), let a = status(of: one.folder),
      let b = status(of: other.folder)
    else { return false }
    return isSame(a, b)
  }

  /// Returns the folder in which the output gets its name.
  static func folder(of path: String) -> String { folderAndName(of: realPath(path) ?? path).folder }

  /// Returns the folder to which a name leads, and the name in it.
  private static func folderAndName(of path: String) -> (folder: String, name: Substring) {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path[...]) }
    return (end == path.startIndex ? "/" : String(path[..<end]), path[path.utf8.index(after: end)...])
  }

  /// Returns the descriptor that a name such as `/dev/stdout` refers to. It may be a file, whose name must not be given to another file.
  private static func openDescriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
        return Int32(path.dropFirst(folder.count))
      }
      return nil
    }
  }

  /// Whether a path exists and is not a file, such as a pipe or `/dev/null`, so that it is written to instead of replaced.
  private static func isDevice(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
  }

  private func refusal(_ code: Int32) -> ExitCode {
    var reason = SystemError(code: code).words
    if let path, code == ENOENT {
      let folder = OutputSink.folderAndName(of: path).folder
      reason = path.isEmpty ? "the name is empty" : "the folder '\(DisplayText.escaped(folder))' does not exist"
    }
    let name = path.map { $0.isEmpty ? "''" : DisplayText.escaped($0) } ?? "standard output"
    StandardError.note("\(name): cannot be written: \(reason)")
    return ExitCode(2)
  }
}
