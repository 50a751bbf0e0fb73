package import PolicyResolution
import Values

/// A setting in or near NSAppTransportSecurity that no system, or not every system, reads.
package struct IgnoredSetting: Hashable, Sendable {
  /// Why the setting is not read.
  package enum Reason: Hashable, Sendable {
    /// The value has the wrong type; both texts include the article.
    case wrongType(found: String, expected: String)
    /// No system reads this key at this level.
    case unknownKey
    /// The key is an early name, which was read before 18.4 instead of the current one, or never.
    case earlyName(current: String, wasRead: Bool)
    /// The string is not a valid value of the key.
    case unknownValue(String)
    /// The key of an entry is neither a host in the form that is compared nor a range that the system accepts.
    case unusableHost(HostKeyFault)
    /// The key is repeated, and only the last or the first one counts.
    case repeatedKey(lastCounts: Bool)
    /// The key is NSAllowsArbitraryLoads, which these keys cancel from iOS 10 and macOS 10.12.
    case canceled(by: [String])
    /// The key replaces NSAppTransportSecurity on some devices, which the policy does not follow; the text follows `on`.
    case variant(devices: String)
    /// An item of a pin list contains no readable digest.
    case unreadablePin
  }

  package var path: SettingPath

  /// The line of the key, from 1; nil in the binary format.
  package var line: Int?

  /// Why the setting is not read.
  package var reason: Reason
}

extension IgnoredSetting {
  /// A clause that states which of several entries with the same key counts.
  static func repetition(lastCounts: Bool) -> String {
    lastCounts ? "the key is repeated, and only the last one counts" : "the key is repeated, and only the first one counts"
  }
}

extension IgnoredSetting: CustomStringConvertible {
  /// One sentence for users, such as `line 7: NSAppTransportSecurity > Color: no system reads the key here`.
  package var description: String {
    let what =
      switch reason {
      case .wrongType(let found, let expected): "counts as absent, because it is \(found), not \(expected)"
      case .unknownKey: "no system reads the key here"
      case .earlyName(let current, let wasRead):
        wasRead ? "an old name of \(current), ignored from iOS 18.4 and macOS 15.4 on" : "an old name of \(current), which is ignored"
      case .unknownValue(let text):
        HostKeyFault.hasBuildVariable(text)
          ? "Xcode has not replaced the build variable '\(text.cut(to: 100))', so it is not a value of the key"
          : "'\(text.cut(to: 100))' is not a value of the key"
      case .unusableHost(let fault): fault.consequence
      case .repeatedKey(let lastCounts): IgnoredSetting.repetition(lastCounts: lastCounts)
      case .canceled(let keys):
        "has no effect from iOS 10 and macOS 10.12, because \(keys.joined(separator: " and ")) \(keys.count.form(of: "{is|are}")) present"
      case .variant(let devices): "replaces NSAppTransportSecurity on \(devices), which atscope does not take into account"
      case .unreadablePin: "an item contains no readable digest"
      }
    return (line.map { "line \($0): " } ?? "") + "\(path): \(what)"
  }
}
