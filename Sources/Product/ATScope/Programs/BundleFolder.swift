import InputSources
import SessionReading

/// Finds the programs of an app's bundle in a folder.
struct BundleFolder {
  private let folder: NamedFolder
  private let name: String
  private var found: [ProgramFile] = []

  /// Returns the app's own file, then those of the programs in it, sorted by path. Throws if there is none.
  static func programs(_ folder: NamedFolder, named name: String) throws(AuditError) -> [ProgramFile] {
    var name = name
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    var bundle = BundleFolder(folder: folder, name: name)
    do throws(InputError) {
      try bundle.search("", depth: 0)
    } catch {
      throw AuditError(file: error.path, error.explanation)
    }
    guard bundle.found.first?.pathInBundle == nil, !bundle.found.isEmpty else {
      throw AuditError(
        file: name, "contains no Info.plist, so it is not an app bundle (.app, .appex or .ipa)")
    }
    guard bundle.found.count <= BundleLayout.maximumPrograms else {
      throw AuditError(
        file: name, "contains more than \(BundleLayout.maximumPrograms) programs with an Info.plist"
      )
    }
    return bundle.found
  }

  private init(folder: NamedFolder, name: String) {
    self.folder = folder
    self.name = name
  }

  /// Searches the bundle at `pathInBundle`, which is empty or ends in a slash, and the bundles in it.
  private mutating func search(_ pathInBundle: String, depth: Int) throws(InputError) {
    // A macOS bundle has everything in its Contents folder.
    for root in [pathInBundle, pathInBundle + "Contents/"] {
      let path = root + "Info.plist"
      guard let bytes = try folder.contents(of: path, limit: AppPolicy.maximumLength) else { continue }
      found.append(
        ProgramFile(
          name: "\(name)/\(path)", pathInBundle: pathInBundle.isEmpty ? nil : String(pathInBundle.dropLast()), bytes: bytes))
      break
    }
    guard depth < BundleLayout.maximumDepth else { return }
    for root in [pathInBundle, pathInBundle + "Contents/"] {
      for inner in BundleLayout.folders {
        for entry in try folder.names(in: root + inner) where BundleLayout.isBundle(entry) {
          guard found.count <= BundleLayout.maximumPrograms else { return }
          try search("\(root)\(inner)/\(entry)/", depth: depth + 1)
        }
      }
    }
  }
}
