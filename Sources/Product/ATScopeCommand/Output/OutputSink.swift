import ArgumentParser
import ByteParsing
import SessionRecords

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the result goes: standard output, or a file that appears whole or not at all.
final class OutputSink {
  private var descriptor: Int32 = STDOUT_FILENO
  private let path: String?
  private var temporaryPath = ""
  /// Whether what is written has no name yet, and so leaves nothing behind, however the run ends.
  private var isNameless = false
  /// The error that ended the writing; 0 while there is none.
  private var failure: Int32 = 0

  /// Takes the file's path; nil or `-` for standard output.
  init(_ path: String?) throws {
    self.path = path == "-" ? nil : path
    guard let path = self.path else { return }
    if let open = OutputSink.openDescriptor(path) {
      descriptor = dup(open)
      guard descriptor >= 0 else { throw refusal(errno) }
      return
    }
    if OutputSink.isDevice(path) {
      descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw refusal(errno) }
      return
    }
    temporaryPath = "\(path).part-\(getpid())"
    descriptor = OutputSink.openNameless(besides: path, trying: temporaryPath)
    isNameless = descriptor >= 0
    if isNameless { return }
    descriptor = unsafe open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw refusal(errno) }
  }

  /// Writes; false where nobody reads any more.
  func write(_ bytes: borrowing Bytes) -> Bool {
    if failure == 0 { failure = StandardStreams.write(bytes, to: descriptor) }
    return failure == 0
  }

  /// Ends the output; a file takes its name only now. That nobody reads a pipe any more is no error; that a disk is full is.
  func close(isWhole: Bool) throws {
    if isNameless, isWhole, failure == 0 {
      if OutputSink.name(descriptor, temporaryPath) { isNameless = false } else { failure = errno }
    }
    if path != nil, systemClose(descriptor) != 0, failure == 0 { failure = errno }
    if temporaryPath.isEmpty {
      if failure != 0, failure != EPIPE { throw refusal(failure) }
      return
    }
    guard let path else { return }
    if failure != 0 || !isWhole {
      removeTemporary()
      throw refusal(failure == 0 ? EIO : failure)
    }
    guard unsafe rename(temporaryPath, path) == 0 else {
      let code = errno
      removeTemporary()
      throw refusal(code)
    }
  }

  /// Writes the whole of a result to a file, or to standard output.
  static func writeResult(_ bytes: borrowing Bytes, to path: String? = nil) throws {
    StandardStreams.ignoreBrokenPipes()
    let sink = try OutputSink(path)
    _ = sink.write(bytes)
    try sink.close(isWhole: true)
  }

  /// Gives the output up, as if it had never been begun.
  func abandon() {
    guard path != nil else { return }
    _ = systemClose(descriptor)
    removeTemporary()
  }

  private func removeTemporary() {
    if !temporaryPath.isEmpty, !isNameless { _ = unsafe unlink(temporaryPath) }
  }

  // MARK: Files without a name

  /// Opens a file without a name in the folder of another; -1 where that cannot be done.
  ///
  /// That it can be given a name in the end is tried out with an empty one: later would be too late.
  private static func openNameless(besides path: String, trying name: String) -> Int32 {
    #if canImport(Glibc)
      let folder = place(of: path).folder
      let flags = __O_TMPFILE | O_WRONLY | O_CLOEXEC
      let trial = unsafe open(folder, flags, 0o600)
      guard trial >= 0 else { return -1 }
      defer { _ = Glibc.close(trial) }
      guard OutputSink.name(trial, name), unsafe unlink(name) == 0 else { return -1 }
      return unsafe open(folder, flags, 0o666)
    #else
      return -1
    #endif
  }

  /// Gives a name to a file that has none; false where something has that name, or nothing can have one.
  private static func name(_ descriptor: Int32, _ path: String) -> Bool {
    #if canImport(Glibc)
      unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    #else
      false
    #endif
  }

  /// Whether there is something of that name.
  static func exists(_ path: String) -> Bool { status(of: path) != nil }

  /// Whether two names lead to one regular file.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    guard let one = regularFile(one), let other = regularFile(other) else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private static func regularFile(_ path: String) -> stat? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Whether two names are of the same entry of one folder, whether it is there or not.
  static func isSamePlace(_ one: String, _ other: String) -> Bool {
    let (one, other) = (place(of: one), place(of: other))
    guard one.name.utf8.elementsEqual(other.name.utf8), let a = status(of: one.folder),
      let b = status(of: other.folder)
    else { return false }
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }

  /// The folder that a name leads to, and the name in it.
  private static func place(of path: String) -> (folder: String, name: Substring) {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path[...]) }
    return (end == path.startIndex ? "/" : String(path[..<end]), path[path.utf8.index(after: end)...])
  }

  /// The descriptor that a name such as `/dev/stdout` stands for. What it leads to may be a file, but its name is not to be given
  /// to another one.
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

  /// Whether something is there that is no file, such as a pipe or `/dev/null`: it is written to and not replaced.
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
