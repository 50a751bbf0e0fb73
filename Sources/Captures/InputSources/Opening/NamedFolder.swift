package import ByteParsing
import SystemCalls
import Values

extension FileContents {
  /// Opens the file at this path, or standard input for `-`, and detects its kind, whatever it contains.
  package static func open(_ path: String) throws(InputError) -> OpenedInput {
    try InputFile(argument: path).openAnyKind()
  }
}

/// A folder that the user named and whose files are opened by name: an app bundle.
///
/// Links below it are not followed, since the folder is untrusted and they may lead anywhere.
package struct NamedFolder: Sendable {
  private let path: String

  /// The default maximum number of entries in a folder.
  package static let maximumEntries = 10_000

  /// Creates a value for the folder at this path; nil if it is not a folder.
  package init?(_ path: String) {
    guard path != "-", (try? FilePath(path).type(followingLinks: true)) == .directory else { return nil }
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// The names in a folder below this one, sorted by their bytes; empty if there is no such folder.
  package func names(in relativePath: String, limit: Int = NamedFolder.maximumEntries) throws(InputError) -> [String] {
    guard let full = reach(relativePath, as: .directory) else { return [] }
    let found: [Bytes]?
    do throws(SystemError) {
      found = try full.names(followingLink: true, limit: limit)
    } catch {
      throw error.inputError(path: "\(path)/\(relativePath)")
    }
    guard let found else { throw InputError(.tooManyEntries(limit: limit), path: "\(path)/\(relativePath)") }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map {
      InputText.string(decoding: $0)
    }
  }

  /// The names of the folders in a folder below this one, sorted by their bytes, and the number of all its entries.
  package func folders(in relativePath: String, limit: Int) throws(InputError) -> (names: [String], entries: Int) {
    let entries = try names(in: relativePath, limit: limit)
    let folders = entries.filter { entry in
      (try? FilePath("\(path)/\(relativePath)/\(entry)").type(followingLinks: false)) == .directory
    }
    return (folders, entries.count)
  }

  /// The content of a file below this folder; nil if there is no such file.
  package func contents(of relativePath: String, limit: Int) throws(InputError) -> Bytes? {
    guard let full = reach(relativePath, as: .regular) else { return nil }
    return try FileContents.read(InputFile(displayName: "\(path)/\(relativePath)", at: .found(full)), limit: limit)
  }

  /// The path of an entry below the folder, if it has the given type, and all folders on the way are folders and not links; otherwise nil.
  private func reach(_ relativePath: String, as type: FileType) -> FilePath? {
    var full = path
    let parts = relativePath.split(separator: "/")
    for (index, part) in parts.enumerated() {
      full += "/" + part
      let wanted = index == parts.count - 1 ? type : .directory
      guard (try? FilePath(full).type(followingLinks: false)) == wanted else { return nil }
    }
    return FilePath(full)
  }
}
