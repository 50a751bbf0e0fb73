import ByteParsing

/// An Info.plist of a program: a separate file, or one in a bundle.
struct ProgramFile {
  /// The argument as given, followed by `/path` for a folder and `!member` for an archive.
  var name: String

  /// The program in its bundle, such as `PlugIns/Share.appex`; nil for the app itself and for a single file.
  var pathInBundle: String?

  var bytes: Bytes

  /// The name of the program's bundle without its suffix.
  var bundleName: String {
    let folder = pathInBundle?.split(separator: "/").last ?? ""
    let suffix = BundleLayout.suffixes.first { folder.hasSuffix($0) } ?? ""
    return String(folder.dropLast(suffix.count))
  }
}

/// The layout of a bundle: what has a separate Info.plist, wherever it is in the bundle.
enum BundleLayout {
  /// The suffixes of bundles whose programs make loads under their own Info.plists. Frameworks have none: they run in
  /// the program that loads them.
  static let suffixes = [".app", ".appex", ".xpc", ".systemextension"]

  /// The maximum depth of folders in a bundle; those of Node.js packages in an app are the deepest.
  static let maximumDepth = 128

  /// The maximum number of files and folders in a bundle; the largest apps have about 50,000.
  static let maximumEntries = 500_000

  /// The maximum number of programs in a bundle; the largest apps have about thirty.
  static let maximumPrograms = 256

  static func isBundle(_ name: some StringProtocol) -> Bool {
    suffixes.contains { name.hasSuffix($0) && name.utf8.count > $0.utf8.count }
  }
}
