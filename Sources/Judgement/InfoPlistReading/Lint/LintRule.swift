import PolicyResolution

/// The lint rules for an Info.plist (policy text H).
///
/// One table states for each rule what it means, how severe it is and how to fix it: ``meaning``, ``severity``, ``fix``. Unlike the ids of
/// other rules and the notes of sessions, these are never read from records of other versions, so this is an enum.
public enum LintRule: String, Hashable, Sendable, CaseIterable {
  /// NSAppTransportSecurity is not a dictionary.
  case rootType = "LINT-ROOT-TYPE"
  /// A key is at the wrong nesting level.
  case misplaced = "LINT-MISPLACED"
  /// NSExceptionDomains or NSPinnedDomains is not a dictionary.
  case domainsType = "LINT-DOMAINS-TYPE"
  /// The entry of a host is not a dictionary.
  case entryType = "LINT-ENTRY-TYPE"
  /// A boolean key has a value of another type.
  case boolType = "LINT-BOOL-TYPE"
  /// A boolean is written as a number.
  case boolNumber = "LINT-BOOL-NUMBER"
  /// No system reads the key.
  case unknownKey = "LINT-UNKNOWN-KEY"
  /// An old name of a key, which current systems do not read.
  case alias = "LINT-ALIAS"
  /// NSRequiresCertificateTransparency has no effect on current systems.
  case transparencyObsolete = "LINT-CT-OBSOLETE"
  /// The minimum TLS version is not understood.
  case tlsValue = "LINT-TLS-VALUE"
  /// The minimum is a DTLS version, which has no meaning for URL loads.
  case tlsDTLS = "LINT-TLS-DTLS"
  /// The minimum is below TLS 1.2.
  case tlsLow = "LINT-TLS-LOW"
  /// TLS 1.3 as a minimum has no effect before iOS 14 and macOS 11.
  case tls13Old = "LINT-TLS13-OLD"
  /// The setting repeats the default.
  case tlsRedundant = "LINT-TLS-REDUNDANT"
  /// The host has a capital letter and never matches.
  case keyCase = "LINT-KEY-CASE"
  /// The host has an asterisk, which has no meaning.
  case keyWildcard = "LINT-KEY-WILDCARD"
  /// The host has a scheme, port, path, bracket or blank and never matches.
  case keyURL = "LINT-KEY-URL"
  /// The host has a dot at its start or end, or an empty label.
  case keyDot = "LINT-KEY-DOT"
  /// The host is not in A-labels and never matches.
  case keyIDN = "LINT-KEY-IDN"
  /// The entry covers a whole top-level domain or public suffix.
  case keyTLD = "LINT-KEY-TLD"
  /// Two keys are the same, or differ only in case, in a dot, or in the devices that read them.
  case keyDuplicate = "LINT-KEY-DUP"
  /// A key or value has a build variable.
  case buildVariable = "LINT-BUILD-VARIABLE"
  /// Addresses and ranges are ignored before iOS 17 and macOS 14.
  case addressOld = "LINT-IP-OLD"
  /// An address in an unusual notation matches only URLs with the same notation.
  case addressForm = "LINT-IP-FORM"
  /// The system rejects the address range, so the entry never matches.
  case rangeInvalid = "LINT-CIDR-INVALID"
  /// The prefix length begins with 0 and is read as octal.
  case rangeOctal = "LINT-CIDR-OCTAL"
  /// Cleartext is allowed for a very wide range.
  case rangeWide = "LINT-CIDR-WIDE"
  /// The range has bits set beyond its prefix length.
  case rangeHostBits = "LINT-CIDR-HOSTBITS"
  /// Two ranges are the same network with different settings.
  case rangeTie = "LINT-CIDR-TIE"
  /// NSIncludesSubdomains has no meaning for addresses and ranges.
  case subdomainsAddress = "LINT-SUBDOMAINS-IP"
  /// The entry is used more than one label below its domain.
  case subdomainsDepth = "LINT-SUBDOMAINS-DEPTH"
  /// NSAllowsArbitraryLoads disables ATS for every host without an entry.
  case arbitrary = "LINT-ARBITRARY"
  /// Another key cancels NSAllowsArbitraryLoads, except on iOS 9 and OS X 10.11.
  case arbitraryIgnored = "LINT-ARBITRARY-IGNORED"
  /// NSAllowsArbitraryLoads has no effect on any system that the program runs on.
  case arbitraryDead = "LINT-ARBITRARY-DEAD"
  /// A key with the value NO cancels NSAllowsArbitraryLoads by its presence.
  case globalFalse = "LINT-GLOBAL-FALSE"
  /// NSAllowsLocalNetworking is NO, so local devices need HTTPS.
  case localOff = "LINT-LOCAL-OFF"
  /// The entry forbids cleartext to a local host, which is allowed without the entry.
  case localEntry = "LINT-LOCAL-ENTRY"
  /// The entry is stricter than the global key that covers all other hosts.
  case entryShadow = "LINT-ENTRY-SHADOW"
  /// Cleartext is allowed and forward secrecy is not required.
  case secrecyInsecure = "LINT-PFS-INSECURE"
  /// Cleartext is allowed, which does not relax TLS version, cipher suites or certificates.
  case insecureOnly = "LINT-INSECURE-ONLY"
  /// Cleartext is allowed for hosts that were observed only over HTTPS.
  case insecureHTTPS = "LINT-INSECURE-HTTPS"
  /// No observed load used the entry.
  case unused = "LINT-UNUSED"
  /// The system has a built-in entry for the host.
  case builtIn = "LINT-BUILTIN"
  /// Pins without a readable digest, so every connection to the host fails.
  case pinEmpty = "LINT-PIN-EMPTY"
  /// A digest is not base64 of 32 bytes and never matches.
  case pinDigest = "LINT-PIN-DIGEST"
  /// There is one pin and no backup.
  case pinSingle = "LINT-PIN-SINGLE"
  /// There are pins on leaf and CA, which must both match.
  case pinBoth = "LINT-PIN-BOTH"
  /// The pins do not cover all the hosts that they seem to.
  case pinSubdomain = "LINT-PIN-SUBDOMAIN"
  /// Pins are not enforced before iOS 14 and macOS 11.
  case pinOld = "LINT-PIN-OLD"
  /// Pins are not enforced in web views.
  case pinWeb = "LINT-PIN-WEB"
  /// SecTrustPinningRequired is not documented and breaks connections.
  case pinRequired = "LINT-PIN-REQUIRED"
  /// The NIAP package is unknown to the system.
  case niapValue = "LINT-NIAP-VALUE"
  /// The NIAP keys are ignored before iOS 26.4 and macOS 26.4.
  case niapOld = "LINT-NIAP-OLD"
  /// App Review requires a justification for the key.
  case review = "LINT-REVIEW"
  /// An extension has different settings from its app.
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
    /// A mistake in a setting that systems know: it has no effect, or breaks loads.
    case error
    /// The setting weakens security or has a surprising effect, or no system reads its key.
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
