package import ByteParsing
import SystemCalls
import Values

extension FileContents {
  /// Opens the file of this path, or standard input for `-`, and detects its kind, whatever it contains.
  package static func open(_ path: String) throws(InputError) -> OpenedInput {
    try InputFile(argument: path).openAnyKind()
  }
}

/// A folder that the user named and that is searched by name: an app's bundle.
///
/// Links below it are not followed: it may come from strangers, and lead anywhere.
package struct NamedFolder: Sendable {
  private let path: String

  /// The maximum number of entries of a folder; those of a bundle have a few dozen.
  package static let maximumEntries = 10_000

  /// Takes the folder of this path; nil if it names something else, or nothing.
  package init?(_ path: String) {
    guard path != "-", (try? FilePath(path).type(followingLinks: true)) == .directory else { return nil }
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// The names in a folder below this one, in the order of their bytes; empty if there is no such folder.
  package func names(in relativePath: String) throws(InputError) -> [String] {
    guard let full = reach(relativePath, as: .directory) else { return [] }
    let found: [Bytes]?
    do throws(SystemError) {
      found = try full.names(followingLink: true, limit: NamedFolder.maximumEntries)
    } catch {
      throw error.inputError(path: "\(path)/\(relativePath)")
    }
    guard let found else {
      throw InputError(.tooManyEntries(limit: NamedFolder.maximumEntries), path: "\(path)/\(relativePath)")
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map {
      InputText.string(decoding: $0)
    }
  }

  /// The content of a file below this folder; nil if there is no such file.
  package func contents(of relativePath: String, limit: Int) throws(InputError) -> Bytes? {
    guard let full = reach(relativePath, as: .regular) else { return nil }
    return try FileContents.read(InputFile(displayName: "\(path)/\(relativePath)", found: full), limit: limit)
  }

  /// The path of something below the folder that is of the given type, and whose folders are folders and no links.
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
