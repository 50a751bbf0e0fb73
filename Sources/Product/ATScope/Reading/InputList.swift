import ByteParsing
import InputSources

/// A file that lists inputs.
public enum InputList {
  /// The longest list that is read: a million paths of usual length.
  private static let lengthLimit = 256 << 20

  /// The paths in a file, one a line, or separated by NUL; empty ones are left out. `-` is the standard input.
  public static func paths(in file: String, isNullSeparated: Bool) throws(AuditError) -> [String] {
    let bytes: Bytes
    do throws(InputError) {
      bytes = try FileContents.read(file, limit: lengthLimit)
    } catch {
      throw AuditError(file: file, error.explanation)
    }
    return bytes.split(separator: isNullSeparated ? 0 : 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }
}
