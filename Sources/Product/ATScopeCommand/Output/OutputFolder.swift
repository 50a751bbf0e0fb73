import ArgumentParser
import ByteParsing
import SessionRecords
import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder into which files are written: no file in it is overwritten, and no file outside is changed.
final class OutputFolder {
  let name: String

  private let descriptor: Int32

  /// Opens or creates the folder; an existing index is reported at once.
  init(_ path: String) throws {
    name = DisplayText.escaped(path)
    let path = FilePath(path)
    do throws(SystemError) {
      do throws(SystemError) { try path.makeFolder() } catch  where error.code == EEXIST {}
      descriptor = try path.open(O_RDONLY | O_DIRECTORY)
    } catch {
      throw OutputFolder.refusal(name, error)
    }
    guard !SystemCalls.exists("index.json", in: descriptor) else {
      throw OutputFolder.refusal("\(name)/index.json", SystemError(code: EEXIST))
    }
  }

  deinit { SystemCalls.close(descriptor) }

  /// Writes a file under a name that the program chose; an existing file with the same content is kept.
  func write(_ contents: Bytes, to file: String) throws {
    let target: Int32
    do throws(SystemError) {
      target = try SystemCalls.open(file, in: descriptor, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
    } catch {
      if error.code == EEXIST, holds(contents, file) { return }
      throw OutputFolder.refusal("\(name)/\(file)", error)
    }
    let written = SystemCalls.write(contents, to: target)
    let closed = SystemCalls.close(target)
    guard written == 0, closed == 0 else {
      SystemCalls.remove(file, in: descriptor)
      throw OutputFolder.refusal("\(name)/\(file)", SystemError(code: written != 0 ? written : closed))
    }
  }

  private func holds(_ contents: Bytes, _ file: String) -> Bool {
    guard let source = try? SystemCalls.open(file, in: descriptor, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return false }
    defer { SystemCalls.close(source) }
    let found = try? Bytes.reading(upTo: contents.count, expected: contents.count) { (buffer, start) throws(SystemError) in
      try SystemCalls.read(into: &buffer, from: start, source)
    }
    return found == contents
  }

  private static func refusal(_ path: String, _ error: SystemError) -> ExitCode {
    let reason = error.code == EEXIST ? "exists already" : error.words
    StandardError.note("\(path): cannot be written: \(reason)")
    return ExitCode(2)
  }
}
