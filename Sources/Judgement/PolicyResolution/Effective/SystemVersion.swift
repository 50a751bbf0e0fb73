import ByteParsing

/// A version number such as `10.14.2`: one to three parts.
public struct SystemVersion: Hashable, Comparable, Sendable {
  /// The first part.
  public let major: Int

  /// The second part, 0 if it is not written.
  public let minor: Int

  /// The third part, 0 if it is not written.
  public let patch: Int

  package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Parses one to three decimal parts of at most three digits each, separated by dots.
  package init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var numbers = [0, 0, 0]
    for (index, part) in parts.enumerated() {
      guard (1...3).contains(part.count) else { return nil }
      for byte in part {
        guard isDigit(byte) else { return nil }
        numbers[index] = numbers[index] * 10 + Int(byte - 0x30)
      }
    }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  /// The earlier version is the lesser.
  public static func < (a: SystemVersion, b: SystemVersion) -> Bool {
    (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
  }
}

extension SystemVersion: CustomStringConvertible {
  /// The parts without zeros at the end: `9`, `12.2`, `10.14.2`.
  public var description: String {
    if patch != 0 { return "\(major).\(minor).\(patch)" }
    return minor != 0 ? "\(major).\(minor)" : "\(major)"
  }
}
