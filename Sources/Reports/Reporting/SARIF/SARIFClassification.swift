import ATSEvaluation
import InfoPlistReading
import SessionRecords

/// What code scanning sorts a rule by: weaknesses (CWE), a control of OWASP MASVS, and a severity.
struct SARIFClassification {
  /// Where the rules are documented by their author.
  static let documentation =
    "https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity"

  /// The numbers of weaknesses in CWE; none where the rule is about no weakness.
  var weaknesses: [Int]

  /// The number of the control in MASVS-NETWORK: 1 for secure traffic, 2 for pinning.
  var control = 1

  /// From 0.0 to 10.0, as GitHub reads it: 9.0 is critical, 7.0 high, 4.0 medium.
  var severity: String

  /// The classification of a rule, from the rule's own file.
  init(_ rule: RuleDescription) {
    weaknesses = rule.weaknesses
    control = rule.masvsControl
    severity = rule.severity
  }

  /// The classification of a finding in an Info.plist.
  init(_ rule: LintRule) {
    severity =
      switch rule.severity {
      case .error: "6.0"
      case .warning: "5.0"
      case .information: "1.0"
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
  /// Writes the members `security-severity` and `tags` of a rule's property bag; `tag` is its kind.
  mutating func properties(of classification: SARIFClassification, tag: String) {
    string("security-severity", classification.severity)
    strings(
      "tags",
      ["security", tag, "MASVS-NETWORK-\(classification.control)"]
        + classification.weaknesses.map { "external/cwe/cwe-\($0)" })
  }
}
