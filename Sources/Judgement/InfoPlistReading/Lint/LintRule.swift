/// What the review of an Info.plist looks for, one case a finding (policy text H).
public enum LintRule: String, Hashable, Sendable, CaseIterable {
  /// NSAppTransportSecurity is not a dictionary, so it counts as absent.
  case rootType = "LINT-ROOT-TYPE"
  /// A key stands at a level where it is not read.
  case misplaced = "LINT-MISPLACED"
  /// NSExceptionDomains or NSPinnedDomains is not a dictionary and is not read.
  case domainsType = "LINT-DOMAINS-TYPE"
  /// The entry of a host is not a dictionary, so the host counts as unlisted.
  case entryType = "LINT-ENTRY-TYPE"
  /// A boolean key has a value of another type and counts as absent.
  case boolType = "LINT-BOOL-TYPE"
  /// A boolean is written as a number, of which only 1 is true.
  case boolNumber = "LINT-BOOL-NUMBER"
  /// No system reads the key.
  case unknownKey = "LINT-UNKNOWN-KEY"
  /// An early name of a key, which present systems do not read.
  case alias = "LINT-ALIAS"
  /// NSRequiresCertificateTransparency has no effect from iOS 12.1 and macOS 10.14.2.
  case transparencyObsolete = "LINT-CT-OBSOLETE"
  /// The minimum TLS version is not understood, so 1.2 applies.
  case tlsValue = "LINT-TLS-VALUE"
  /// A DTLS version has no meaning for loads of URLs.
  case tlsDTLS = "LINT-TLS-DTLS"
  /// A minimum below TLS 1.2.
  case tlsLow = "LINT-TLS-LOW"
  /// TLSv1.3 as a minimum has no effect before iOS 14 and macOS 11.
  case tls13Old = "LINT-TLS13-OLD"
  /// The setting says what holds anyway.
  case tlsRedundant = "LINT-TLS-REDUNDANT"
  /// A host with a capital letter never matches.
  case keyCase = "LINT-KEY-CASE"
  /// An asterisk in a host has no meaning; NSIncludesSubdomains has.
  case keyWildcard = "LINT-KEY-WILDCARD"
  /// A host with a scheme, port, path, bracket or blank never matches.
  case keyURL = "LINT-KEY-URL"
  /// A host with a dot at its start or end, or with an empty label.
  case keyDot = "LINT-KEY-DOT"
  /// A host that is not in A-labels (xn--…) never matches.
  case keyIDN = "LINT-KEY-IDN"
  /// The entry covers a whole top-level domain or public suffix.
  case keyTLD = "LINT-KEY-TLD"
  /// Two keys that are the same or differ only by case or a dot.
  case keyDuplicate = "LINT-KEY-DUP"
  /// Addresses and ranges are not read before iOS 17 and macOS 14.
  case addressOld = "LINT-IP-OLD"
  /// An address that is not in its usual form matches only where a URL has it in the same.
  case addressForm = "LINT-IP-FORM"
  /// The system refuses the range, so the entry never matches.
  case rangeInvalid = "LINT-CIDR-INVALID"
  /// The length of the range begins with 0 and is read as octal.
  case rangeOctal = "LINT-CIDR-OCTAL"
  /// Cleartext is allowed to a very wide range.
  case rangeWide = "LINT-CIDR-WIDE"
  /// The range has bits set behind its length, which do not count.
  case rangeHostBits = "LINT-CIDR-HOSTBITS"
  /// Two ranges are the same network with different settings; which wins is undefined.
  case rangeTie = "LINT-CIDR-TIE"
  /// NSIncludesSubdomains has no meaning for addresses and ranges.
  case subdomainsAddress = "LINT-SUBDOMAINS-IP"
  /// The entry is relied on more than one label down, which documentation does not promise.
  case subdomainsDepth = "LINT-SUBDOMAINS-DEPTH"
  /// NSAllowsArbitraryLoads turns ATS off for every host without an entry.
  case arbitrary = "LINT-ARBITRARY"
  /// NSAllowsArbitraryLoads counts on iOS 9 and OS X 10.11 only, because another key cancels it.
  case arbitraryIgnored = "LINT-ARBITRARY-IGNORED"
  /// NSAllowsArbitraryLoads has no effect on any system that the program runs on.
  case arbitraryDead = "LINT-ARBITRARY-DEAD"
  /// A key that is NO cancels NSAllowsArbitraryLoads by being there.
  case globalFalse = "LINT-GLOBAL-FALSE"
  /// Local devices need HTTPS, because NSAllowsLocalNetworking is NO.
  case localOff = "LINT-LOCAL-OFF"
  /// The entry takes from a local host the cleartext that it had without it.
  case localEntry = "LINT-LOCAL-ENTRY"
  /// The entry is stricter than the global key that covers all other hosts.
  case entryShadow = "LINT-ENTRY-SHADOW"
  /// Cleartext allowed and forward secrecy given up: any suite of the system is accepted.
  case secrecyInsecure = "LINT-PFS-INSECURE"
  /// Allowing cleartext relaxes neither TLS version nor suites nor certificates.
  case insecureOnly = "LINT-INSECURE-ONLY"
  /// Cleartext is allowed to hosts that were seen over HTTPS only.
  case insecureHTTPS = "LINT-INSECURE-HTTPS"
  /// The entry was used by no load that was seen.
  case unused = "LINT-UNUSED"
  /// The system has an entry of its own for the host.
  case builtIn = "LINT-BUILTIN"
  /// Pins without a readable digest: every connection to the host fails.
  case pinEmpty = "LINT-PIN-EMPTY"
  /// A digest is not base64 of 32 bytes and never matches.
  case pinDigest = "LINT-PIN-DIGEST"
  /// One pin and no backup: a new key locks the app out.
  case pinSingle = "LINT-PIN-SINGLE"
  /// Pins on leaf and CA: both must match.
  case pinBoth = "LINT-PIN-BOTH"
  /// The pins do not reach all the hosts that they seem to.
  case pinSubdomain = "LINT-PIN-SUBDOMAIN"
  /// Pins are not enforced before iOS 14 and macOS 11.
  case pinOld = "LINT-PIN-OLD"
  /// Pins are not enforced in web views.
  case pinWeb = "LINT-PIN-WEB"
  /// SecTrustPinningRequired is not documented and breaks connections.
  case pinRequired = "LINT-PIN-REQUIRED"
  /// The NIAP package is none that the system knows.
  case niapValue = "LINT-NIAP-VALUE"
  /// The NIAP keys are not read before 26.4.
  case niapOld = "LINT-NIAP-OLD"
  /// App Review asks for a justification of the key.
  case review = "LINT-REVIEW"
  /// An extension has other settings than its app; each goes by its own file.
  case appExtension = "LINT-EXTENSION"

  /// Whether captures alone can show it, or show more of it than the file does.
  public var restsOnCaptures: Bool {
    switch self {
    case .unused, .insecureHTTPS, .subdomainsDepth, .pinSubdomain, .pinWeb: true
    default: false
    }
  }

  /// How much a finding matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// It has no effect, or breaks loads.
    case error
    /// It weakens or surprises.
    case warning
    /// Worth knowing.
    case information
  }
}

extension LintRule {
  /// The finding of this name, in any case; nil where there is none.
  public init?(named name: String) { self.init(rawValue: name.uppercased()) }

  /// How much the finding matters.
  public var severity: Severity { row.severity }

  /// What the finding says, whatever the file.
  public var meaning: String { row.meaning }

  /// What to do about a finding, whatever the file.
  public var remedy: String { row.remedy }

  /// Where this is said, one source a line.
  public var sources: [String] { row.sources.map(\.rawValue) }
}
