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
    self.init(weaknesses: rule.weaknesses, control: rule.masvsControl, severity: rule.severity)
  }

  /// The classification of a finding in an Info.plist.
  init(_ rule: LintRule) {
    let severity =
      switch rule.severity {
      case .error: "6.0"
      case .warning: "5.0"
      case .information: "1.0"
      }
    switch rule {
    case .arbitrary, .insecureOnly, .insecureHTTPS, .rangeWide:
      self.init(weaknesses: [319], severity: severity)
    case .tlsLow, .secrecyInsecure: self.init(weaknesses: [327], severity: severity)
    case .pinEmpty, .pinDigest, .pinSingle, .pinBoth, .pinSubdomain, .pinOld, .pinWeb, .pinRequired:
      self.init(weaknesses: [295], control: 2, severity: severity)
    default: self.init(weaknesses: [], severity: severity)
    }
  }

  private init(weaknesses: [Int], control: Int = 1, severity: String) {
    self.weaknesses = weaknesses
    self.control = control
    self.severity = severity
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
