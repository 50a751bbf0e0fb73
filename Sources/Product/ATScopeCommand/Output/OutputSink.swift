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

/// The destination of a result: standard output, or a file that appears whole or not at all.
///
/// A file is written without a name and gets one when it is whole, so that nothing remains of it however the run ends.
final class OutputSink {
  private var descriptor: Int32 = STDOUT_FILENO
  private let path: String?
  /// The file to replace, with links resolved; nil where the output is a stream.
  private var target: String?
  /// The permissions of the file that is replaced.
  private var mode: mode_t?
  /// The error that ended the writing; 0 while there is none.
  private var failure: Int32 = 0

  /// Creates a sink for a file; nil or `-` for standard output.
  ///
  /// A link is followed: what it leads to is replaced. `usesNamelessFiles` is false only in tests: not every file system has them.
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
      // Its name goes at once; what it holds is copied in the end.
      do throws(SystemError) {
        let (temporary, opened) = try OutputSink.openTemporary(besides: target)
        descriptor = opened
        FilePath(temporary).remove()
      } catch {
        throw refusal(error.code)
      }
    }
  }

  /// Writes; false once the reader is gone.
  func write(_ bytes: borrowing Bytes) -> Bool {
    if failure == 0 { failure = SystemCalls.write(bytes, to: descriptor) }
    return failure == 0
  }

  /// Ends the output, and only now gives a file its name. A closed pipe is not an error; a full disk is.
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

  static func writeResult(_ bytes: borrowing Bytes) throws { try OutputSink(nil).finish(bytes) }

  /// Writes the whole of a result, and ends it.
  func finish(_ bytes: borrowing Bytes) throws {
    StandardStreams.ignoreBrokenPipes()
    _ = write(bytes)
    try close(isWhole: true)
  }

  /// Drops the output, as if it had never been begun.
  func abandon() {
    if path != nil { SystemCalls.close(descriptor) }
  }

  // MARK: Files without a name

  /// Opens a file without a name in a folder; nil where that cannot be done.
  ///
  /// Whether it can be given a name later is tried out with an empty one: at the end would be too late.
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

  /// Gives what was written the name of the output. Returns 0 or the number of the error.
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

  /// Copies what was written into a file with a temporary name, where a nameless file cannot get one.
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

  /// Makes a file with a temporary name in the folder of another.
  private static func openTemporary(
    besides target: String
  ) throws(SystemError) -> (name: String, descriptor: Int32) {
    for name in temporaryNames(in: folderAndName(of: target).folder) {
      do throws(SystemError) {
        return (name, try FilePath(name).open(O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
      } catch  where error.code == EEXIST {}
    }
    throw SystemError(code: EEXIST)
  }

  /// Names that do not depend on the output's own, which may be as long as a name can be.
  private static func temporaryNames(in folder: String) -> some Sequence<String> {
    (0..<1000).lazy.map { "\(folder)/.atscope-\(getpid())-\($0)" }
  }

  // MARK: Names

  /// The file that a path leads to.
  private func resolved(_ path: String) throws -> String {
    guard OutputSink.isLink(path) else { return path }
    guard let target = OutputSink.realPath(path) else {
      StandardError.write(
        "atscope: \(DisplayText.escaped(path)): is a link to a file that does not exist; give that file")
      throw ExitCode(2)
    }
    return target
  }

  /// The absolute path without links; nil where there is nothing of that name.
  static func realPath(_ path: String) -> String? {
    FilePath(path).resolved.map { InputText.string(decoding: $0.bytes) }
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FilePath(path).type(followingLinks: false)) == .symbolicLink
  }

  static func exists(_ path: String) -> Bool { status(of: path) != nil }

  static func isRegularFile(_ path: String) -> Bool { regularFile(path) != nil }

  /// Whether two names lead to one regular file.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    guard let one = regularFile(one), let other = regularFile(other) else { return false }
    return isSame(one, other)
  }

  /// Whether a name leads to the regular file that is read as standard input.
  static func isStandardInput(_ path: String) -> Bool {
    guard let input = try? SystemCalls.status(STDIN_FILENO), let file = regularFile(path) else {
      return false
    }
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

  /// Whether two names are of the same entry of one folder, whether it is there or not.
  static func isSamePath(_ one: String, _ other: String) -> Bool {
    let (one, other) = (folderAndName(of: one), folderAndName(of: other))
    guard one.name.utf8.elementsEqual(other.name.utf8), let a = status(of: one.folder),
      let b = status(of: other.folder)
    else { return false }
    return isSame(a, b)
  }

  /// The folder in which the output gets its name.
  static func folder(of path: String) -> String { folderAndName(of: realPath(path) ?? path).folder }

  /// The folder that a name leads to, and the name in it.
  private static func folderAndName(of path: String) -> (folder: String, name: Substring) {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path[...]) }
    return (end == path.startIndex ? "/" : String(path[..<end]), path[path.utf8.index(after: end)...])
  }

  /// The descriptor that a name such as `/dev/stdout` refers to. It may be a file, whose name must not be given to another
  /// one.
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

  /// Whether something is there that is not a file, such as a pipe or `/dev/null`: it is written to and not replaced.
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
    StandardError.write("atscope: \(name): cannot be written: \(reason)")
    return ExitCode(2)
  }
}
