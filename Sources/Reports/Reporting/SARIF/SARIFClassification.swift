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

  /// The classification of a rule; nil for what is not a rule.
  init?(rule: String) {
    switch rule {
    case "ATS-HTTPS": self.init(weaknesses: [319], severity: "8.1")
    case "ATS-TLS-VERSION", "ATS-CIPHER": self.init(weaknesses: [327], severity: "7.4")
    case "ATS-PFS": self.init(weaknesses: [327], severity: "5.9")
    case "ATS-NIAP": self.init(weaknesses: [326], severity: "5.3")
    case "ATS-CERT-TRUST", "ATS-CERT-HOST", "ATS-CERT-REVOKED", "ATS-HANDSHAKE-SIG":
      self.init(weaknesses: [295], severity: "8.1")
    case "ATS-CERT-DATES", "ATS-CERT-CHAIN": self.init(weaknesses: [295], severity: "6.5")
    case "ATS-CERT-KEY": self.init(weaknesses: [326], severity: "7.4")
    case "ATS-CERT-SIG": self.init(weaknesses: [327], severity: "7.4")
    case "ATS-CERT-SAN", "ATS-CERT-EKU", "ATS-CERT-LIFETIME", "ATS-CT":
      self.init(weaknesses: [295], severity: "5.3")
    case "ATS-PIN": self.init(weaknesses: [295], control: 2, severity: "8.1")
    case "ADV-HTTP-REDIRECT": self.init(weaknesses: [319], severity: "3.7")
    case "ADV-TLS13", "ADV-PQ", "ADV-CBC", "ADV-EMS", "ADV-RENEG", "ADV-COMPRESSION", "ADV-SKE-SHA1":
      self.init(weaknesses: [327], severity: "3.1")
    case "ADV-CHAIN-INCOMPLETE", "ADV-CHAIN-ORDER", "ADV-CHAIN-EXTRA", "ADV-CHAIN-ROOT", "ADV-OCSP-STAPLE",
      "ADV-CT-MARGIN", "ADV-CT-OPERATORS", "ADV-EXPIRY", "ADV-SC081":
      self.init(weaknesses: [295], severity: "2.0")
    case "ADV-ECH", "ADV-SNI-MISSING", "ADV-MTLS", "ADV-NEXT": self.init(weaknesses: [], severity: "1.0")
    default: return nil
    }
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
  mutating func properties(of classification: SARIFClassification?, tag: String) {
    guard let classification else { return strings("tags", ["security", tag]) }
    string("security-severity", classification.severity)
    strings(
      "tags",
      ["security", tag, "MASVS-NETWORK-\(classification.control)"]
        + classification.weaknesses.map { "external/cwe/cwe-\($0)" })
  }
}
