import ByteParsing
import CaptureFormats
import InputSources
import SessionRecords

extension ProgramFile {
  /// The Info.plists of what an argument names: a file, an app's bundle as a folder or packed; `-` is the standard input.
  ///
  /// The app's own comes first. What it is, is told from the content.
  static func reading(_ argument: String) throws(AuditError) -> [ProgramFile] {
    if let folder = NamedFolder(argument) { return try BundleFolder.programs(folder, named: argument) }
    let opened: OpenedInput
    do throws(InputError) {
      opened = try FileContents.open(argument)
    } catch {
      throw AuditError(file: argument, error.explanation)
    }
    if opened.kind == .archive(.zip) { return try BundleArchive.programs(opened.source, named: argument) }
    return [ProgramFile(name: argument, place: nil, bytes: try contents(of: opened, named: argument))]
  }

  private static func contents(of opened: OpenedInput, named name: String) throws(AuditError) -> Bytes {
    var source = opened.source
    var buffer = Bytes(repeating: 0, count: 16 * 1024)
    var count = 0
    while true {
      if count == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
      let read: Int
      do throws(CaptureError) {
        read = try source.read(into: &buffer, from: count)
      } catch {
        throw AuditError(file: name, error.description)
      }
      count += read
      guard count <= AppPolicy.lengthLimit else {
        throw AuditError(file: name, "not a usable Info.plist: longer than \(AppPolicy.lengthLimit) bytes")
      }
      if read == 0 {
        buffer.removeLast(buffer.count - count)
        return buffer
      }
    }
  }
}
