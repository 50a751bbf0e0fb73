import ByteParsing

/// An Info.plist of a program: a separate file, or one in a bundle.
struct ProgramFile {
  /// The argument as given, followed by `/path` for a folder and `!member` for an archive.
  var name: String

  /// The program in its bundle, such as `PlugIns/Share.appex`; nil for the app itself and for a single file.
  var pathInBundle: String?

  var bytes: Bytes
}

/// The layout of a bundle: the locations of programs with separate Info.plists.
enum BundleLayout {
  /// The folders of a bundle that contain further bundles, relative to the bundle, or on macOS to its `Contents`.
  static let folders = [
    "PlugIns", "Extensions", "Watch", "AppClips", "XPCServices", "Helpers", "Library/LoginItems",
    "Library/SystemExtensions", "SystemExtensions",
  ]

  /// The suffixes of bundles whose programs make loads under their own Info.plists. Frameworks have none: they run in
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
