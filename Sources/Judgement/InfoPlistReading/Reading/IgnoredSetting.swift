package import PolicyResolution

/// Something around NSAppTransportSecurity that no system, or not every system, reads.
package struct IgnoredSetting: Hashable, Sendable {
  /// Why it is not read.
  package enum Reason: Hashable, Sendable {
    /// The value has a type that the key does not take, each with its article.
    case wrongType(found: String, expected: String)
    /// The key is none that is read there.
    case unknownKey
    /// The key is an early name: read before 18.4 in place of the current one, or never.
    case earlyName(current: String, wasRead: Bool)
    /// The text is none that the key takes.
    case unknownValue(String)
    /// The key of an entry is not a host as hosts are compared, nor a range that the system reads.
    case unusableHost(HostKeyFault)
    /// A repeated key that does not count, because the last or the first one does.
    case repeatedKey(lastCounts: Bool)
    /// An item of a list of pins holds no digest that can be read.
    case unreadablePin
  }

  /// Its location.
  package var path: SettingPath

  /// The line of the key; nil in the binary format.
  package var line: Int?

  /// Why it is not read.
  package var reason: Reason
}

extension IgnoredSetting {
  /// Which of several entries with the same key counts, in words.
  static func repetition(lastCounts: Bool) -> String {
    lastCounts
      ? "the key is repeated, and only the last one counts"
      : "the key is repeated, and only the first one counts"
  }
}

extension IgnoredSetting: CustomStringConvertible {
  /// One sentence for people, such as `line 7: NSAppTransportSecurity > Color: no system reads the key`.
  package var description: String {
    let what =
      switch reason {
      case .wrongType(let found, let expected): "counts as absent, because it is \(found), not \(expected)"
      case .unknownKey: "no system reads the key here"
      case .earlyName(let current, let wasRead):
        wasRead
          ? "an old name of \(current), read only before iOS 18.4 and macOS 15.4"
          : "an old name of \(current), which is ignored"
      case .unknownValue(let text): "'\(text.cut(to: 100))' is not a value of the key"
      case .unusableHost(let fault): fault.consequence
      case .repeatedKey(let lastCounts): IgnoredSetting.repetition(lastCounts: lastCounts)
      case .unreadablePin: "an item contains no readable digest"
      }
    return (line.map { "line \($0): " } ?? "") + "\(path): \(what)"
  }
}
