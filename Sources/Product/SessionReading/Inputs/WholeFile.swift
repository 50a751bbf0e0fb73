package import ByteParsing
import Crypto
import InputSources

/// The content of a file that is read at once.
package struct WholeFile {
  package let bytes: Bytes

  /// The SHA-256 digest of the content, 64 hexadecimal digits.
  package var sha256: String { hexadecimal(SHA256.hash(data: bytes)) }

  /// Reads a file, or standard input for `-`, of at most `limit` bytes; with `isRegular`, only a regular file.
  package init(_ path: String, limit: Int, isRegular: Bool = false) throws(AuditError) {
    do throws(InputError) {
      bytes = try FileContents.read(path, limit: limit, isRegular: isRegular)
    } catch {
      throw AuditError(error, file: path)
    }
  }
}
