/// Where a setting stands: the keys from the root of the file down to it.
public struct SettingPath: Hashable, Sendable, CustomStringConvertible {
  /// The keys, the outermost first.
  public var keys: [String]

  /// Creates a path.
  public init(_ keys: [String]) {
    self.keys = keys
  }

  /// The keys joined by ` > `: hosts have dots in them, and ranges slashes.
  public var description: String { keys.joined(separator: " > ") }

  static func / (path: SettingPath, key: String) -> SettingPath { SettingPath(path.keys + [key]) }
}
