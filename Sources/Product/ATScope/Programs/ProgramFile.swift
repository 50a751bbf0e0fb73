import ByteParsing

/// An Info.plist of a program: a single file, or one in a bundle.
struct ProgramFile {
  /// The argument as given, with `/path` after a folder and `!member` after an archive.
  var name: String

  /// The program in its bundle, such as `PlugIns/Share.appex`; nil for the app itself and for a single file.
  var pathInBundle: String?

  var bytes: Bytes
}

/// The layout of a bundle: where programs with separate Info.plists are.
enum BundleLayout {
  /// Folders of a bundle that hold further bundles, as paths from the bundle on, or from its `Contents` on macOS.
  static let folders = [
    "PlugIns", "Extensions", "Watch", "AppClips", "XPCServices", "Helpers", "Library/LoginItems",
    "Library/SystemExtensions", "SystemExtensions",
  ]

  /// How the names of bundles end whose program makes loads under its own Info.plist. Frameworks do not: they run in
  /// the program that loads them.
  static let suffixes = [".app", ".appex", ".xpc", ".systemextension"]

  /// The maximum depth of bundles within bundles: a watch app's extensions are the deepest.
  static let maximumDepth = 4

  /// The maximum number of programs in a bundle; the largest apps have about thirty.
  static let maximumPrograms = 256

  static func isBundle(_ name: some StringProtocol) -> Bool {
    suffixes.contains { name.hasSuffix($0) && name.utf8.count > $0.utf8.count }
  }
}
