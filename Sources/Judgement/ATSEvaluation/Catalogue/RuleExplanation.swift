import PolicyResolution

/// What a rule's own file says about it to people, besides its name, title and section.
package struct RuleExplanation: Sendable {
  package var demand: String
  package var reason: String

  /// How to fix what fails.
  package var fix: String

  package var since: String

  /// The keys of Info.plist that relax the rule; empty where none does.
  package var relaxedBy: [String] = []

  /// The error codes that a device may report when the rule fails, by domain. Each is described in `ReportedError.all`.
  var errors: [ReportedError.Domain: Set<Int>] = [:]

  var sources: [PolicySource]

  package var weaknesses: [Int]

  /// How severe a failure is for code scanning, from 0.0 to 10.0: 7.0 is high, 4.0 medium.
  package var severity: String

  /// The control in MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  package var masvsControl = 1

  static let firstRelease = "iOS 9 and OS X 10.11"

  /// For advisories, which depend on no release.
  static let anyRelease = "advice for any release"
}
