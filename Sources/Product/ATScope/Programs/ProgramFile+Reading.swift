import ByteParsing
import CaptureFormats
import InputSources
import SessionReading
import SessionRecords

extension ProgramFile {
  /// Returns the Info.plists of an argument: a file, or an app's bundle as a folder or an archive; `-` is standard input.
  ///
  /// The Info.plist of the app is first. The content of the argument determines its kind.
  static func reading(_ argument: String) throws(AuditError) -> [ProgramFile] {
    if let folder = NamedFolder(argument) { return try BundleFolder.programs(folder, named: argument) }
    let opened: OpenedInput
    do throws(InputError) {
      opened = try FileContents.open(argument)
    } catch {
      throw AuditError(error, file: argument)
    }
    if case .capture = opened.kind { throw AuditError(file: argument, "a capture, not an Info.plist; 'atscope audit' judges captures") }
    if opened.kind == .archive(.zip) { return try BundleArchive.programs(opened.source, named: argument) }
    return [ProgramFile(name: argument, pathInBundle: nil, bytes: try contents(of: opened, named: argument))]
  }

  private static func contents(of opened: OpenedInput, named name: String) throws(AuditError) -> Bytes {
    var source = opened.source
    let bytes: Bytes?
    do throws(CaptureError) {
      bytes = try Bytes.reading(upTo: AppPolicy.maximumLength) { (buffer, start) throws(CaptureError) in
        try source.read(into: &buffer, from: start)
      }
    } catch {
      throw AuditError(file: name, DisplayText.escaped(error.description))
    }
    guard let bytes else { throw AuditError(file: name, "not a usable Info.plist: longer than \(AppPolicy.maximumLength) bytes") }
    return bytes
  }
}
