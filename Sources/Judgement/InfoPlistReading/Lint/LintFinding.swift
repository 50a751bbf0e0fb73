package import PolicyResolution

/// One finding from linting an Info.plist.
public struct LintFinding: Hashable, Sendable {
  /// The rule that the setting violates.
  public package(set) var rule: LintRule

  /// The key that the finding is about.
  public package(set) var path: SettingPath

  /// The line of the key, from 1; nil in the binary format.
  public package(set) var line: Int?

  /// The finding, as a sentence.
  public package(set) var message: String

  /// The fix for the finding; nil if there is none to state.
  public package(set) var suggestion: String?

  /// The project's reason for accepting the finding; nil if it is not accepted.
  public package(set) var accepted: String?

  package init(_ rule: LintRule, at path: SettingPath, line: Int? = nil, _ message: String, suggestion: String? = nil) {
    self.rule = rule
    self.path = path
    self.line = line
    self.message = message
    self.suggestion = suggestion
  }
}

/// A host that captures contain, for findings that require such evidence.
package struct SeenHost: Hashable, Sendable {
  package var host: HostIdentity
  package var usedCleartext: Bool
  package var usedTLS: Bool
  package var usedInWebView: Bool

  package init(host: HostIdentity, usedCleartext: Bool = false, usedTLS: Bool = false, usedInWebView: Bool = false) {
    self.host = host
    self.usedCleartext = usedCleartext
    self.usedTLS = usedTLS
    self.usedInWebView = usedInWebView
  }
}
