package import PolicyResolution

/// A finding of the review of an Info.plist.
public struct LintFinding: Hashable, Sendable {
  /// What was found.
  public package(set) var rule: LintRule

  /// The key that the finding is about.
  public package(set) var path: SettingPath

  /// The line of the key; nil in the binary format.
  public package(set) var line: Int?

  /// The finding, as a sentence.
  public package(set) var message: String

  /// The fix; nil where there is none.
  public package(set) var suggestion: String?

  /// Why the project accepts it; nil where it does not.
  public package(set) var accepted: String?

  package init(
    _ rule: LintRule, at path: SettingPath, line: Int? = nil, _ message: String, suggestion: String? = nil
  ) {
    self.rule = rule
    self.path = path
    self.line = line
    self.message = message
    self.suggestion = suggestion
  }
}

/// A host that captures showed, for the findings that need such evidence.
package struct SeenHost: Hashable, Sendable {
  package var host: HostIdentity
  package var usedCleartext: Bool
  package var usedTLS: Bool
  package var usedInWebView: Bool

  package init(
    host: HostIdentity, usedCleartext: Bool = false, usedTLS: Bool = false, usedInWebView: Bool = false
  ) {
    self.host = host
    self.usedCleartext = usedCleartext
    self.usedTLS = usedTLS
    self.usedInWebView = usedInWebView
  }
}
