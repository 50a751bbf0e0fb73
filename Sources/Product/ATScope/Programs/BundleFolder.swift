import InputSources
import SessionReading
import SessionRecords

/// Finds the programs of an app's bundle in a folder.
struct BundleFolder {
  private let folder: NamedFolder
  private let name: String
  private var found: [ProgramFile] = []
  private var entries = 0

  /// Returns the app's own file, then those of the programs in it, sorted by path. Throws if there is none.
  static func programs(_ folder: NamedFolder, named name: String) throws(AuditError) -> [ProgramFile] {
    let argument = name
    var name = argument
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    if name.hasSuffix(".xcarchive") {
      throw AuditError(
        file: argument, "is an archive of Xcode; use the app in it: \(DisplayText.escaped(name))/Products/Applications/NAME.app")
    }
    var bundle = BundleFolder(folder: folder, name: name)
    try bundle.search("", isBundle: true, depth: 0)
    if bundle.found.isEmpty, name.hasSuffix(".xcodeproj") || name.hasSuffix(".xcworkspace") {
      throw AuditError(file: argument, "is a project of Xcode; use the app that it builds (NAME.app), or the Info.plist of a target")
    }
    bundle.unwrap()
    guard bundle.found.contains(where: { $0.pathInBundle == nil }) else {
      // The folder may be Payload of an unpacked .ipa, or one of built products.
      let paths = bundle.found.compactMap(\.pathInBundle).sorted()
      if let first = paths.first(where: { $0.hasSuffix(".app") }) ?? paths.first {
        throw AuditError(file: argument, "is not an app bundle; use one in it, such as \(DisplayText.escaped("\(name)/\(first)"))")
      }
      throw AuditError(file: argument, "contains no Info.plist, so it is not an app bundle (.app, .appex or .ipa)")
    }
    guard bundle.found.count <= BundleLayout.maximumPrograms else {
      throw AuditError(file: argument, "contains more than \(BundleLayout.maximumPrograms) programs with an Info.plist")
    }
    return bundle.found.sorted { ($0.pathInBundle ?? "") < ($1.pathInBundle ?? "") }
  }

  /// Makes the program in the folder Wrapper the app's own, if there is no other: the bundle of an iPhone app on a Mac has only that.
  private mutating func unwrap() {
    let wrapped = found.indices.filter {
      let parts = found[$0].pathInBundle?.split(separator: "/") ?? []
      return parts.count == 2 && parts[0] == "Wrapper"
    }
    guard let only = wrapped.first, wrapped.count == 1, found.allSatisfy({ $0.pathInBundle != nil }) else { return }
    found[only].pathInBundle = nil
  }

  /// Searches the folder at `path`, which is empty or ends in a slash, and the folders in it.
  private mutating func search(_ path: String, isBundle: Bool, depth: Int) throws(AuditError) {
    guard depth <= BundleLayout.maximumDepth else {
      throw AuditError(file: name, "contains folders that are more than \(BundleLayout.maximumDepth) levels deep")
    }
    let folders: [String]
    do throws(InputError) {
      if isBundle { try readInfoPlist(path) }
      let inner = try folder.folders(in: path, limit: BundleLayout.maximumEntries)
      folders = inner.names
      entries += inner.entries
    } catch {
      throw AuditError(error)
    }
    guard entries <= BundleLayout.maximumEntries else {
      throw AuditError(file: name, "contains more than \(BundleLayout.maximumEntries) files")
    }
    for inner in folders where found.count <= BundleLayout.maximumPrograms {
      try search("\(path)\(inner)/", isBundle: BundleLayout.isBundle(inner), depth: depth + 1)
    }
  }

  /// Adds the Info.plist of the bundle at `path`, if there is one.
  private mutating func readInfoPlist(_ path: String) throws(InputError) {
    // A macOS bundle has everything in its Contents folder.
    for root in [path, path + "Contents/"] {
      let file = root + "Info.plist"
      guard let bytes = try folder.contents(of: file, limit: AppPolicy.maximumLength) else { continue }
      found.append(ProgramFile(name: "\(name)/\(file)", pathInBundle: path.isEmpty ? nil : String(path.dropLast()), bytes: bytes))
      return
    }
  }
}
