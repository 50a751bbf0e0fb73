import PolicyResolution

/// The path of a setting: the keys from the root of the file down to it.
public struct SettingPath: Hashable, Sendable, CustomStringConvertible {
  /// The keys, the outermost first.
  public package(set) var keys: [String]

  package init(_ keys: [String]) {
    self.keys = keys
  }

  /// The keys joined by ` > `, because hosts contain dots and ranges slashes. Very long keys are truncated.
  public var description: String { keys.map { $0.cut(to: 300) }.joined(separator: " > ") }

  /// Whether the setting is in NSPinnedDomains.
  package var isOfPins: Bool { keys.dropFirst().first == ATSKeys.pinnedDomains }

  /// The host of the entry that contains the setting; nil for a global key.
  public var host: String? {
    guard keys.count > 2, keys[0] == ATSKeys.root,
      [ATSKeys.exceptionDomains, ATSKeys.pinnedDomains].contains(keys[1])
    else { return nil }
    return keys[2]
  }

  static func / (path: SettingPath, key: String) -> SettingPath { SettingPath(path.keys + [key]) }
}

extension String {
  /// The text, or its start and `…` if it is longer: a key may be as long as the file.
  func cut(to length: Int) -> String {
    guard utf8.count > length, unicodeScalars.count > length else { return self }
    return String(unicodeScalars.prefix(length)) + "…"
  }
}
