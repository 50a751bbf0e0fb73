public import PolicyResolution

/// Something around NSAppTransportSecurity that no system, or not every system, reads.
public struct IgnoredSetting: Hashable, Sendable {
  /// Why it is not read.
  public enum Reason: Hashable, Sendable {
    /// The value has a type that the key does not take, each with its article.
    case wrongType(found: String, expected: String)
    /// The key is none that is read there.
    case unknownKey
    /// The key is an early name: read before 18.4 in place of the plain one, or never.
    case earlyName(plain: String, wasRead: Bool)
    /// The text is none that the key takes.
    case unknownValue(String)
    /// The key looks like a range of addresses, and the system's parser refuses it.
    case refusedRange(AddressRange.Refusal)
    /// The same key stands there before.
    case repeatedKey
    /// An item of a list of pins holds no digest that can be read.
    case unreadablePin
  }

  /// Where it stands.
  public var path: SettingPath

  /// The line of the key; nil in the binary form.
  public var line: Int?

  /// Why it is not read.
  public var reason: Reason
}
