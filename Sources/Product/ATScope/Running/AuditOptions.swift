public import ATSEvaluation

/// What is to be audited, and under which assumptions.
public struct AuditOptions: Sendable {
  /// Captures, directories, saved sessions; `-` is the standard input.
  public var inputs: [String]

  /// The settings of the programs; none for the defaults of ATS.
  public var programs = AppPolicies()

  /// What is taken for granted that no capture shows.
  public var assumptions = JudgingAssumptions()

  /// What chains are judged by; none unless they are named, so that results do not depend on the machine.
  public var anchors = TrustAnchors.none

  /// A list of logs, and what tells of revocations.
  public var status = StatusSources.none

  /// Patterns of hosts to show (`*` and `?` stand for anything); empty for all.
  public var hosts: [HostPattern] = []

  /// Names of processes to show, whole or as far as the system names them; empty for all.
  public var processes: [String] = []

  /// How inputs are read.
  public var reading = ReadingOptions()

  /// Creates the default options for some inputs.
  public init(inputs: [String]) { self.inputs = inputs }
}

/// A pattern that hosts are chosen by.
public struct HostPattern: Hashable, Sendable {
  /// The pattern as it was given.
  public let text: String

  private let pattern: [UInt8]

  /// Takes a pattern: `*` stands for any characters, `?` for one; case does not matter.
  public init(_ text: String) {
    self.text = text
    pattern = Array(text.lowercased().utf8)
  }

  /// Whether the pattern stands for all of `host`.
  public func matches(_ host: String) -> Bool {
    let host = Array(host.lowercased().utf8)
    var (p, h) = (0, 0)
    // Where to go on from when what follows the last star does not fit.
    var star: (pattern: Int, host: Int)?
    while h < host.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p + 1, h)
        p += 1
      } else if p < pattern.count, pattern[p] == host[h] || pattern[p] == UInt8(ascii: "?") {
        (p, h) = (p + 1, h + 1)
      } else if let last = star {
        star = (last.pattern, last.host + 1)
        (p, h) = (last.pattern, last.host + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
