package import ByteParsing
import SystemCalls

/// Reads whole files: configurations, keys, certificates.
package enum FileContents {
  /// Reads the file at this path, or standard input for `-`. Throws if it exceeds `limit` bytes. With `isRegular` it also throws unless the
  /// file is regular, and never waits.
  package static func read(_ path: String, limit: Int, isRegular: Bool = false) throws(InputError) -> Bytes {
    if isRegular {
      return try read(InputFile(displayName: path, regular: FilePath(path)), limit: limit)
    }
    return try read(InputFile(argument: path), limit: limit)
  }

  static func read(_ file: InputFile, limit: Int) throws(InputError) -> Bytes {
    let path = file.displayName
    let descriptor = try file.openDescriptor()
    // One byte more, so that the read after the last byte, which returns nothing, needs no larger buffer.
    let size = min(Int(clamping: descriptor.size), limit)
    var buffer = Bytes(repeating: 0, count: max(size + 1, 4096))
    var count = 0
    while true {
      if count == buffer.count {
        buffer.append(contentsOf: repeatElement(0, count: buffer.count))
      }
      let read: Int
      do throws(SystemError) {
        read = try descriptor.read(into: &buffer, from: count)
      } catch {
        throw error.inputError(path: path)
      }
      count += read
      guard count <= limit else { throw InputError(.tooLong(limit: limit), path: path) }
      if read == 0 {
        buffer.removeLast(buffer.count - count)
        return buffer
      }
    }
  }
}
