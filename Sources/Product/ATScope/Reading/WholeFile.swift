import ByteParsing
import Crypto
import InputSources

/// A file that was read at once.
struct WholeFile {
  let bytes: Bytes

  /// SHA-256 of its bytes, 64 hexadecimal digits.
  var sha256: String { hexadecimal(SHA256.hash(data: bytes)) }

  /// Reads the file of this path, or the standard input for `-`, of at most `limit` bytes; with `isRegular`, regular files alone.
  init(_ path: String, limit: Int, isRegular: Bool = false) throws(AuditError) {
    do throws(InputError) {
      bytes = try FileContents.read(path, limit: limit, isRegular: isRegular)
    } catch {
      throw AuditError(file: path, error.explanation)
    }
  }
}
