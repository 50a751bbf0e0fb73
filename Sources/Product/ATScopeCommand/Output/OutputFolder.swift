import ArgumentParser
import ByteParsing
import InputSources
import SessionRecords

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that files are written into: nothing in it is overwritten, and nothing outside of it is touched.
final class OutputFolder {
  /// The folder for messages.
  let name: String

  private let descriptor: Int32

  /// Opens the folder, or makes it; an index that is there already is told at once.
  init(_ path: String) throws {
    name = DisplayText.escaped(path)
    if unsafe FilePath(path).withCString({ unsafe mkdir($0, 0o777) }) != 0, errno != EEXIST {
      throw OutputFolder.refusal(name, errno)
    }
    descriptor = unsafe FilePath(path).withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw OutputFolder.refusal(name, errno) }
    var facts = stat()
    guard unsafe fstatat(descriptor, "index.json", &facts, AT_SYMLINK_NOFOLLOW) != 0 else {
      throw OutputFolder.refusal("\(name)/index.json", EEXIST)
    }
  }

  deinit { _ = close(descriptor) }

  /// Writes a file under a name of the program's own; one of the same contents may be there already.
  func write(_ contents: Bytes, to file: String) throws {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let target = unsafe openat(descriptor, file, flags, 0o666)
    guard target >= 0 else {
      let code = errno
      if code == EEXIST, holds(contents, file) { return }
      throw OutputFolder.refusal("\(name)/\(file)", code)
    }
    var code = StandardStreams.write(contents, to: target)
    if close(target) != 0, code == 0 { code = errno }
    guard code == 0 else {
      _ = unsafe unlinkat(descriptor, file, 0)
      throw OutputFolder.refusal("\(name)/\(file)", code)
    }
  }

  /// Whether a file is there with these contents.
  private func holds(_ contents: Bytes, _ file: String) -> Bool {
    let source = unsafe openat(descriptor, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { return false }
    defer { _ = close(source) }
    var buffer = Bytes(repeating: 0, count: contents.count + 1)
    var count = 0
    while count < buffer.count {
      let start = count
      let read = StandardStreams.read(into: &buffer, at: start, from: source)
      if read < 0 { return false }
      if read == 0 { break }
      count += read
    }
    return count == contents.count && buffer.prefix(count).elementsEqual(contents)
  }

  private static func refusal(_ path: String, _ code: Int32) -> ExitCode {
    let reason = code == EEXIST ? "exists already" : unsafe String(cString: strerror(code))
    StandardError.write("atscope: \(path): cannot be written: \(reason)")
    return ExitCode(2)
  }
}
