import PolicyResolution

/// The lint rules for an Info.plist (policy text H).
///
/// One table states for each rule what it means, how severe it is and how to fix it: ``meaning``, ``severity``, ``fix``.
public enum LintRule: String, Hashable, Sendable, CaseIterable {
  case rootType = "LINT-ROOT-TYPE"
  case misplaced = "LINT-MISPLACED"
  case domainsType = "LINT-DOMAINS-TYPE"
  case entryType = "LINT-ENTRY-TYPE"
  case boolType = "LINT-BOOL-TYPE"
  case boolNumber = "LINT-BOOL-NUMBER"
  case unknownKey = "LINT-UNKNOWN-KEY"
  case alias = "LINT-ALIAS"
  case transparencyObsolete = "LINT-CT-OBSOLETE"
  case tlsValue = "LINT-TLS-VALUE"
  case tlsDTLS = "LINT-TLS-DTLS"
  case tlsLow = "LINT-TLS-LOW"
  case tls13Old = "LINT-TLS13-OLD"
  case tlsRedundant = "LINT-TLS-REDUNDANT"
  case keyCase = "LINT-KEY-CASE"
  case keyWildcard = "LINT-KEY-WILDCARD"
  case keyURL = "LINT-KEY-URL"
  case keyDot = "LINT-KEY-DOT"
  case keyIDN = "LINT-KEY-IDN"
  case keyTLD = "LINT-KEY-TLD"
  case keyDuplicate = "LINT-KEY-DUP"
  case buildVariable = "LINT-BUILD-VARIABLE"
  case addressOld = "LINT-IP-OLD"
  case addressForm = "LINT-IP-FORM"
  case rangeInvalid = "LINT-CIDR-INVALID"
  case rangeOctal = "LINT-CIDR-OCTAL"
  case rangeWide = "LINT-CIDR-WIDE"
  case rangeHostBits = "LINT-CIDR-HOSTBITS"
  case rangeTie = "LINT-CIDR-TIE"
  case subdomainsAddress = "LINT-SUBDOMAINS-IP"
  case subdomainsDepth = "LINT-SUBDOMAINS-DEPTH"
  case arbitrary = "LINT-ARBITRARY"
  case arbitraryIgnored = "LINT-ARBITRARY-IGNORED"
  case arbitraryDead = "LINT-ARBITRARY-DEAD"
  case globalFalse = "LINT-GLOBAL-FALSE"
  case localOff = "LINT-LOCAL-OFF"
  case localEntry = "LINT-LOCAL-ENTRY"
  case entryShadow = "LINT-ENTRY-SHADOW"
  case secrecyInsecure = "LINT-PFS-INSECURE"
  case insecureOnly = "LINT-INSECURE-ONLY"
  case insecureHTTPS = "LINT-INSECURE-HTTPS"
  case unused = "LINT-UNUSED"
  case builtIn = "LINT-BUILTIN"
  case pinEmpty = "LINT-PIN-EMPTY"
  case pinDigest = "LINT-PIN-DIGEST"
  case pinSingle = "LINT-PIN-SINGLE"
  case pinBoth = "LINT-PIN-BOTH"
  case pinSubdomain = "LINT-PIN-SUBDOMAIN"
  case pinOld = "LINT-PIN-OLD"
  case pinWeb = "LINT-PIN-WEB"
  case pinRequired = "LINT-PIN-REQUIRED"
  case niapValue = "LINT-NIAP-VALUE"
  case niapOld = "LINT-NIAP-OLD"
  case review = "LINT-REVIEW"
  case appExtension = "LINT-EXTENSION"

  /// Whether the rule needs captures, or finds more with them than in the file alone.
  package var restsOnCaptures: Bool {
    switch self {
    case .unused, .insecureHTTPS, .subdomainsDepth, .pinSubdomain, .pinWeb: true
    default: false
    }
  }

  /// The severity of a lint finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The setting has no effect, or breaks loads.
    case error
    /// The setting weakens security or has a surprising effect.
    case warning
    /// The finding is only informative.
    case remark
  }
}

extension LintRule {
  /// The rule with this name, compared without regard to case; nil if there is none.
  package init?(named name: String) { self.init(rawValue: name.uppercased()) }

  /// The severity of the rule's findings.
  public var severity: Severity { row.severity }

  /// The general meaning of the rule's findings, for any file.
  public var meaning: String { row.meaning }

  /// The general fix for the rule's findings, for any file.
  public var fix: String { row.fix }

  /// The sources that document the rule, one per line.
  public var sources: [String] { row.sources.map(\.rawValue) }
}
