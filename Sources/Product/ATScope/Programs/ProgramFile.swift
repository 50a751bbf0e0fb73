import ByteParsing

/// An Info.plist of a program: a file of its own, or one in a bundle.
struct ProgramFile {
  /// The argument as it was given, with `/path` behind a folder and `!member` behind an archive.
  var name: String

  /// The program in its bundle, such as `PlugIns/Share.appex`; nil for the app itself and for a file of its own.
  var place: String?

  /// What the file holds.
  var bytes: Bytes
}

/// Where in a bundle programs with an Info.plist of their own are.
enum BundleLayout {
  /// Folders of a bundle that hold further bundles, as paths from the bundle on, or from its `Contents` on macOS.
  static let folders = [
    "PlugIns", "Extensions", "Watch", "AppClips", "XPCServices", "Helpers", "Library/LoginItems",
    "Library/SystemExtensions", "SystemExtensions",
  ]

  /// How the names of bundles end whose program makes loads under its own Info.plist. Frameworks do not: they run in
  /// the program that loads them.
  static let suffixes = [".app", ".appex", ".xpc", ".systemextension"]

  /// Bundles within bundles that are looked into: a watch app's extensions are the deepest there are.
  static let deepest = 4

  /// Programs of one bundle that are looked at; the richest apps have some thirty.
  static let mostPrograms = 256

  /// Whether a name is that of a bundle.
  static func isBundle(_ name: some StringProtocol) -> Bool {
    suffixes.contains { name.hasSuffix($0) && name.utf8.count > $0.utf8.count }
  }
}
