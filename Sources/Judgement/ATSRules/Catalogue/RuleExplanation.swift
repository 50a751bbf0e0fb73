import PolicyResolution

/// A rule's own explanation for users, besides its name, title and section.
package struct RuleExplanation: Sendable {
  package var demand: String
  package var reason: String

  /// The fix for a failure.
  package var fix: Fix

  package var since: String

  /// The Info.plist keys that relax the rule; empty if none does.
  package var relaxedBy: [String] = []

  /// The error codes, by domain, that a device may report if the rule fails. `ReportedError.all` describes each.
  var errors: [ReportedError.Domain: Set<Int>] = [:]

  var sources: [PolicySource]

  package var weaknesses: [Int]

  /// The severity of a failure for code scanning, from 0.0 to 10.0: 7.0 is high, 4.0 medium.
  package var severity: String

  /// The control of MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  package var masvsControl = 1

  /// The errors of a rule for the certificates of a path: those of every such rule, and its own.
  static func pathErrors(stream: Set<Int> = [], status: Set<Int>) -> [ReportedError.Domain: Set<Int>] {
    [.url: [-1200, -1202, -1203], .stream: stream.union([-9802, -9807, -9808, -9812, -9813, -9880]), .status: status]
  }

  static let firstRelease = "iOS 9 and OS X 10.11"

  /// The release text of advisories, which do not depend on the release.
  static let anyRelease = "advice for any release"
}
