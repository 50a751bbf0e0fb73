package import ByteParsing
import SystemCalls

/// Files that are read as a whole: configurations, keys, certificates.
package enum FileContents {
  /// Reads the file of this path, or the standard input for `-`; throws if it holds more than `limit` bytes, or with `isRegular` if
  /// it is not a regular file, for which it never waits.
  package static func read(_ path: String, limit: Int, isRegular: Bool = false) throws(InputError) -> Bytes {
    if isRegular {
      return try read(InputFile(displayName: path, regular: FilePath(path)), limit: limit)
    }
    return try read(InputFile(argument: path), limit: limit)
  }

  static func read(_ file: InputFile, limit: Int) throws(InputError) -> Bytes {
    let path = file.displayName
    let descriptor = try file.openDescriptor()
    let size = min(Int(clamping: descriptor.size), limit)
    let bytes: Bytes?
    do throws(SystemError) {
      bytes = try Bytes.reading(upTo: limit, expected: size) { (buffer, start) throws(SystemError) in
        try descriptor.read(into: &buffer, from: start)
      }
    } catch {
      throw error.inputError(path: path)
    }
    guard let bytes else { throw InputError(.tooLong(limit: limit), path: path) }
    return bytes
  }
}
