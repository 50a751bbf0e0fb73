package import ByteParsing
import SystemCalls

/// Reads whole files: configurations, keys, certificates.
package enum FileContents {
  /// Reads the file at this path, or standard input for `-`. Throws if it exceeds `limit` bytes. With `isRegular` it also throws unless the
  /// file is regular, and never waits.
  package static func read(_ path: String, limit: Int, isRegular: Bool = false) throws(InputError) -> Bytes {
    if isRegular { return try read(InputFile(displayName: path, at: .expected(FilePath(path))), limit: limit) }
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
