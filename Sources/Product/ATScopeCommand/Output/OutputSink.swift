import ArgumentParser
import ByteParsing
import InputSources
import SessionRecords
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

  /// Takes the file's path; nil or `-` for standard output.
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
      descriptor = unsafe FilePath(path).withCString { unsafe open($0, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw refusal(errno) }
      return
    }
    let target = try resolved(path)
    self.target = target
    mode = OutputSink.status(of: target).map { $0.st_mode & 0o7777 }
    if usesNamelessFiles { descriptor = OutputSink.openNameless(in: OutputSink.place(of: target).folder) }
    if !usesNamelessFiles || descriptor < 0 {
      // Its name goes at once; what it holds is copied in the end.
      let (temporary, opened) = try openTemporary(besides: target)
      descriptor = opened
      OutputSink.remove(temporary)
    }
  }

  /// Writes; false once the reader is gone.
  func write(_ bytes: borrowing Bytes) -> Bool {
    if failure == 0 { failure = StandardStreams.write(bytes, to: descriptor) }
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
      if systemClose(descriptor) != 0, failure == 0 { failure = errno }
      if failure != 0 { throw refusal(failure) }
      return
    }
    if path != nil, systemClose(descriptor) != 0, failure == 0 { failure = errno }
    if failure != 0, failure != EPIPE { throw refusal(failure) }
  }

  /// Writes the whole of a result to standard output.
  static func writeResult(_ bytes: borrowing Bytes) throws { try OutputSink(nil).finish(bytes) }

  /// Writes the whole of a result, and ends it.
  func finish(_ bytes: borrowing Bytes) throws {
    StandardStreams.ignoreBrokenPipes()
    _ = write(bytes)
    try close(isWhole: true)
  }

  /// Drops the output, as if it had never been begun.
  func abandon() {
    if path != nil { _ = systemClose(descriptor) }
  }

  // MARK: Files without a name

  /// Opens a file without a name in a folder; -1 where that cannot be done.
  ///
  /// Whether it can be given a name later is tried out with an empty one: at the end would be too late.
  private static func openNameless(in folder: String) -> Int32 {
    #if canImport(Glibc)
      let flags = __O_TMPFILE | O_RDWR | O_CLOEXEC
      return unsafe FilePath(folder).withCString { path in
        let trial = unsafe open(path, flags, 0o600)
        guard trial >= 0 else { return -1 }
        defer { _ = Glibc.close(trial) }
        guard case .success(let name) = OutputSink.link(trial, in: folder) else { return -1 }
        remove(name)
        return unsafe open(path, flags, 0o666)
      }
    #else
      return -1
    #endif
  }

  /// Gives a nameless file a temporary name.
  private static func link(_ descriptor: Int32, in folder: String) -> Result<String, SystemFailure> {
    #if canImport(Glibc)
      for name in temporaryNames(in: folder) {
        let result = unsafe FilePath(name).withCString { path in
          unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
        }
        if result == 0 { return .success(name) }
        if errno != EEXIST { return .failure(SystemFailure(code: errno)) }
      }
    #endif
    return .failure(SystemFailure(code: EEXIST))
  }

  private struct SystemFailure: Error { var code: Int32 }

  /// Gives what was written the name of the output. Returns 0 or the number of the error.
  private func publish(as target: String) -> Int32 {
    let folder = OutputSink.place(of: target).folder
    var temporary: String
    switch OutputSink.link(descriptor, in: folder) {
    case .success(let name): temporary = name
    case .failure:
      do {
        temporary = try copied(besides: target)
      } catch {
        return (error as? SystemFailure)?.code ?? EIO
      }
    }
    var code: Int32 = 0
    unsafe FilePath(temporary).withCString { from in
      if let mode, unsafe chmod(from, mode) != 0 { code = errno }
      if code == 0, unsafe FilePath(target).withCString({ unsafe rename(from, $0) }) != 0 { code = errno }
    }
    if code != 0 { OutputSink.remove(temporary) }
    return code
  }

  /// Copies what was written into a file with a temporary name, where a nameless file cannot get one.
  private func copied(besides target: String) throws -> String {
    let (name, copy) = try openTemporary(besides: target)
    var code: Int32 = 0
    if lseek(descriptor, 0, SEEK_SET) != 0 { code = errno }
    var buffer = Bytes(repeating: 0, count: 1 << 16)
    while code == 0 {
      let count = StandardStreams.read(into: &buffer, from: descriptor)
      if count < 0 { code = errno }
      if count <= 0 { break }
      code = StandardStreams.write(Bytes(buffer.prefix(count)), to: copy)
    }
    if systemClose(copy) != 0, code == 0 { code = errno }
    if code != 0 {
      OutputSink.remove(name)
      throw SystemFailure(code: code)
    }
    return name
  }

  /// Makes a file with a temporary name in the folder of another.
  private func openTemporary(besides target: String) throws -> (name: String, descriptor: Int32) {
    for name in OutputSink.temporaryNames(in: OutputSink.place(of: target).folder) {
      let opened = unsafe FilePath(name).withCString {
        unsafe open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      }
      if opened >= 0 { return (name, opened) }
      if errno != EEXIST { break }
    }
    throw refusal(errno)
  }

  /// Names that do not depend on the output's own, which may be as long as a name can be.
  private static func temporaryNames(in folder: String) -> some Sequence<String> {
    (0..<1000).lazy.map { "\(folder)/.atscope-\(getpid())-\($0)" }
  }

  private static func remove(_ path: String) {
    _ = unsafe FilePath(path).withCString { unsafe unlink($0) }
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
    unsafe FilePath(path).withCString { path in
      guard let found = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(found) }
      return InputText.string(
        decoding: unsafe Bytes(UnsafeRawBufferPointer(start: found, count: strlen(found))))
    }
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe FilePath(path).withCString { unsafe lstat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether there is something of that name.
  static func exists(_ path: String) -> Bool { status(of: path) != nil }

  /// Whether a name leads to a regular file.
  static func isRegularFile(_ path: String) -> Bool { regularFile(path) != nil }

  /// Whether two names lead to one regular file.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    guard let one = regularFile(one), let other = regularFile(other) else { return false }
    return isSame(one, other)
  }

  /// Whether a name leads to the regular file that is read as standard input.
  static func isStandardInput(_ path: String) -> Bool {
    var input = stat()
    guard unsafe fstat(STDIN_FILENO, &input) == 0, let file = regularFile(path) else { return false }
    return isSame(input, file)
  }

  private static func isSame(_ one: stat, _ other: stat) -> Bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private static func regularFile(_ path: String) -> stat? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe FilePath(path).withCString { unsafe stat($0, &status) } == 0 ? status : nil
  }

  /// Whether two names are of the same entry of one folder, whether it is there or not.
  static func isSamePlace(_ one: String, _ other: String) -> Bool {
    let (one, other) = (place(of: one), place(of: other))
    guard one.name.utf8.elementsEqual(other.name.utf8), let a = status(of: one.folder),
      let b = status(of: other.folder)
    else { return false }
    return isSame(a, b)
  }

  /// The folder in which the output gets its name.
  static func folder(of path: String) -> String { place(of: realPath(path) ?? path).folder }

  /// The folder that a name leads to, and the name in it.
  private static func place(of path: String) -> (folder: String, name: Substring) {
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

  private func systemClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }

  private func refusal(_ code: Int32) -> ExitCode {
    StandardError.write(
      "atscope: \(path.map(DisplayText.escaped) ?? "standard output"): cannot be written: \(unsafe String(cString: strerror(code)))"
    )
    return ExitCode(2)
  }
}
