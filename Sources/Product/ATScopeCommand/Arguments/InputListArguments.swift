import ATScope
import ArgumentParser

struct InputListArguments: ParsableArguments {
  @Option(
    name: .customLong("files-from"),
    help: ArgumentHelp(
      "Read more inputs from this list: one path, or one JSON object {\"path\", \"name\", \"unit\"}, per line; - is standard input. \"unit\": see --isolated.",
      valueName: "file"), completion: .file()) var lists: [String] = []

  /// The list of further inputs; nil if there is none.
  var filesFrom: String? { lists.first }

  @Flag(name: .customLong("null"), help: "Paths in --files-from end with NUL, as from find -print0.")
  var isNullSeparated = false

  func validate() throws {
    if lists.count > 1 { throw ValidationError("Only one --files-from can be given; a list may name all inputs.") }
    if isNullSeparated, filesFrom == nil { throw ValidationError("--null requires --files-from.") }
  }

  /// Adds the listed inputs to the named ones; the error of a list that cannot be read is added to the unusable files. Throws if an input
  /// is also an output, or if several are standard input.
  ///
  /// An isolated run reads the list unit by unit, so the list may be arbitrarily long.
  func add(to options: inout AuditOptions, besides outputs: [String?] = []) throws {
    guard let filesFrom else { return }
    if options.reading.isIsolated {
      let (file, isNullSeparated) = (filesFrom, isNullSeparated)
      options.list = { () throws(AuditError) in try InputList(file, isNullSeparated: isNullSeparated) }
      let outputs = outputs.compactMap { $0 }
      options.isReplaced = { input in outputs.contains { OutputGuard.replaces($0, input) } }
    } else {
      do throws(AuditError) {
        var list = try InputList(filesFrom, isNullSeparated: isNullSeparated)
        while let entry = list.next() {
          switch entry {
          case .success(let listed): options.inputs.append(listed.input)
          case .failure(let error): options.unusable.append(error)
          }
        }
      } catch {
        options.unusable.append(error)
      }
    }
    try OutputGuard.check(outputs, against: options.inputs.compactMap(\.path) + [filesFrom])
  }
}
