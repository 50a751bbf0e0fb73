import ATSRules
import InfoPlistReading
import SessionRecords

/// The classification of a rule for code scanning: weaknesses (CWE), a control of OWASP MASVS, and a severity.
struct SARIFClassification {
  /// Apple's documentation of the rules.
  static let documentation = "https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity"

  /// The CWE numbers of the weaknesses; empty if the rule is not about a weakness.
  var weaknesses: [Int]

  /// The number of the control in MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  var control = 1

  /// A value from 0.0 to 10.0 in the scale of GitHub: 9.0 is critical, 7.0 high, 4.0 medium.
  var severity: String

  /// Creates the classification in the rule's own description.
  init(_ rule: RuleDescription) {
    weaknesses = rule.weaknesses
    control = rule.masvsControl
    severity = rule.severity
  }

  /// Creates the classification of a finding in an Info.plist.
  init(_ rule: LintRule) {
    severity =
      switch rule.severity {
      case .error: "6.0"
      case .warning: "5.0"
      case .remark: "1.0"
      }
    switch rule {
    case .arbitrary, .insecureOnly, .insecureHTTPS, .rangeWide: weaknesses = [319]
    case .tlsLow, .secrecyInsecure: weaknesses = [327]
    case .pinEmpty, .pinDigest, .pinSingle, .pinBoth, .pinSubdomain, .pinOld, .pinWeb, .pinRequired:
      weaknesses = [295]
      control = 2
    default: weaknesses = []
    }
  }
}

extension JSONObject {
  /// Writes the members `security-severity` and `tags` of a rule's property bag; `tag` is the kind of the rule.
  mutating func properties(of classification: SARIFClassification, tag: String) {
    string("security-severity", classification.severity)
    strings(
      "tags",
      ["security", tag, "MASVS-NETWORK-\(classification.control)"]
        + classification.weaknesses.map { "external/cwe/cwe-\($0)" })
  }
}
