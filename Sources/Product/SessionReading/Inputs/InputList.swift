import ByteParsing
import CaptureFormats
package import InputSources
import JSONReading
import SessionRecords
import Values

/// An input of a list with its unit.
package struct ListedInput: Hashable, Sendable {
  /// The file or folder.
  package var input: AuditInput
  /// The name of the unit; nil if this input is a separate unit.
  package var unit: String?
}

/// A file that lists inputs, read line by line. Each line is a path or, unless NUL separates the entries, an object
/// `{"path":…, "name":…, "unit":…}`.
package struct InputList {
  private let file: String
  private let isNullSeparated: Bool
  private var lines: LineReader

  /// The start of an object; a path that begins like this can be written as `./{"…`.
  private static let objectStart = Bytes("{\"".utf8)

  /// Opens a list; `-` is the standard input.
  package init(_ file: String, isNullSeparated: Bool) throws(AuditError) {
    self.file = file
    self.isNullSeparated = isNullSeparated
    do throws(InputError) {
      lines = LineReader(try InputOpener().openAsStored(path: file), separator: isNullSeparated ? 0 : 0x0A)
    } catch {
      throw AuditError(error, file: file)
    }
  }

  /// Returns the next input; nil at the end. The list continues after an entry that cannot be used (`.failure`), unless the list itself
  /// cannot be read further.
  package mutating func next() -> Result<ListedInput, AuditError>? {
    while true {
      let line: Bytes
      do throws(CaptureError) {
        guard let next = try lines.next() else { return nil }
        line = next
      } catch {
        lines.close()
        return .failure(AuditError(file: file, DisplayText.escaped(error.description)))
      }
      if line.isEmpty { continue }
      guard line.count <= SessionDecoder.maximumLineByteCount else {
        lines.close()
        return .failure(AuditError(file: file, "line \(lines.number) is too long"))
      }
      if !isNullSeparated, line.contains(0) {
        lines.close()
        return .failure(AuditError(file: file, "line \(lines.number) contains NUL; --null reads paths that end with NUL"))
      }
      do throws(JSONError) {
        let entry: ListedInput
        if !isNullSeparated, line.starts(with: InputList.objectStart) {
          var reader = JSONReader(line.span, line: lines.number)
          entry = try InputList.object(&reader)
        } else {
          entry = ListedInput(input: AuditInput(path: InputText.string(decoding: line)))
        }
        if entry.input.path == "-", file == "-" { return .failure(AuditError(file: file, "line \(lines.number): - is the list itself")) }
        return .success(entry)
      } catch {
        return .failure(AuditError(file: file, DisplayText.escaped(error.description)))
      }
    }
  }

  private static func object(_ reader: inout JSONReader) throws(JSONError) -> ListedInput {
    var entry = ListedInput(input: "")
    var path = ""
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "path": path = try reader.readString()
      case "name": entry.input.name = try reader.readNull() ? nil : reader.readString()
      case "unit": entry.unit = try reader.readNull() ? nil : reader.readString()
      default: try reader.skipValue()
      }
    }
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek()), in: "") }
    guard !path.isEmpty else { throw reader.error(.missingField, in: "path") }
    entry.input.source = .path(path)
    return entry
  }
}
