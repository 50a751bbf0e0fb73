extension LintRule {
  /// What is said of a finding, whatever the file.
  struct Row {
    /// How much it matters.
    let severity: Severity
    /// What it says.
    let meaning: String
    /// What to do about it.
    let fix: String
    /// Where this is said.
    let sources: [Source]

    init(_ severity: Severity, _ meaning: String, fix: String, _ sources: [Source]) {
      self.severity = severity
      self.meaning = meaning
      self.fix = fix
      self.sources = sources
    }
  }

  /// The sources that the review rests on (policy text H).
  enum Source: String {
    case code = "Apple Security framework (open source), SecProtocolConfiguration.m and its tests"
    case pinCode = "Apple Security framework, SecPolicy.c and SecPolicyServer.c: pins"
    case keys = "Apple documentation: NSAppTransportSecurity and its keys"
    case cocoa = "Apple archive: Information Property List Key Reference, Cocoa Keys"
    case review = "Apple documentation: Preventing Insecure Network Connections"
    case field = "Measurements and reports by third parties"
    case captures = "The captures of the run"
    case inferred = "Conclusion of ours from the sources above"
  }

  /// The table of all findings.
  var row: Row {
    switch self {
    case .rootType:
      Row(
        .error, "NSAppTransportSecurity is not a dictionary, so it counts as absent",
        fix: "Write a dictionary under NSAppTransportSecurity, or remove the key.",
        [.code, .keys])
    case .misplaced:
      Row(
        .error, "a key stands at a level where it is not read",
        fix:
          "Move the key to its level: global keys into NSAppTransportSecurity, keys of a host into its entry.",
        [.keys])
    case .domainsType:
      Row(
        .error, "NSExceptionDomains or NSPinnedDomains is not a dictionary and is not read",
        fix: "Write a dictionary with an entry a host.",
        [.code])
    case .entryType:
      Row(
        .error, "the entry of a host is not a dictionary, so the host counts as unlisted",
        fix: "Write a dictionary for the host; an empty one asks for strict ATS.",
        [.code])
    case .boolType:
      Row(
        .error, "a boolean key has a value of another type and counts as absent",
        fix: "Write <true/> or <false/>.",
        [.code])
    case .boolNumber:
      Row(
        .warning, "a boolean is written as a number, of which only 1 is true",
        fix: "Write <true/> or <false/>; iOS 18.4 and macOS 15.4 took numbers for false.",
        [.code])
    case .unknownKey:
      Row(
        .warning, "no system reads the key",
        fix: "Correct the spelling, or remove the key.",
        [.code, .keys])
    case .alias:
      Row(
        .error, "an early name of a key, which present systems do not read",
        fix:
          "Write the present name, such as NSExceptionMinimumTLSVersion; an entry of early names alone is strict.",
        [.code])
    case .transparencyObsolete:
      Row(
        .information, "NSRequiresCertificateTransparency has no effect from iOS 12.1 and macOS 10.14.2",
        fix: "Remove the key: Certificate Transparency is demanded of all public certificates.",
        [.keys, .code])
    case .tlsValue:
      Row(
        .error, "the minimum TLS version is not understood, so 1.2 applies",
        fix: "Write TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3, spelt exactly so.",
        [.code])
    case .tlsDTLS:
      Row(
        .error, "a DTLS version has no meaning for loads of URLs",
        fix: "Name a version of TLS: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.",
        [.code])
    case .tlsLow:
      Row(
        .warning, "a minimum below TLS 1.2",
        fix: "Enable TLS 1.2 on the server and remove the key.",
        [.keys])
    case .tls13Old:
      Row(
        .information, "TLSv1.3 as a minimum has no effect before iOS 14 and macOS 11",
        fix: "Expect TLS 1.2 to be accepted on systems before iOS 14 and macOS 11.",
        [.field])
    case .tlsRedundant:
      Row(
        .information, "the setting says what holds anyway",
        fix: "Remove the setting, unless it is there to undo another.",
        [.keys])
    case .keyCase:
      Row(
        .error, "a host with a capital letter never matches",
        fix: "Write the host in lower case.",
        [.code])
    case .keyWildcard:
      Row(
        .error, "an asterisk in a host has no meaning; NSIncludesSubdomains has",
        fix: "Write the parent domain, with NSIncludesSubdomains.",
        [.code])
    case .keyURL:
      Row(
        .error, "a host with a scheme, port, path, bracket or blank never matches",
        fix: "Write the host alone, without scheme, port or path.",
        [.code])
    case .keyDot:
      Row(
        .warning, "a host with a dot at its start or end, or with an empty label",
        fix: "Write the host without dots at its ends, unless URLs spell it with one.",
        [.code])
    case .keyIDN:
      Row(
        .error, "a host that is not in A-labels (xn--…) never matches",
        fix: "Write the A-labels (xn--…).",
        [.code, .inferred])
    case .keyTLD:
      Row(
        .warning, "the entry covers a whole top-level domain or public suffix",
        fix: "List the hosts that need it.",
        [.code])
    case .keyDuplicate:
      Row(
        .warning, "two keys that are the same or differ only by case or a dot",
        fix: "Keep one of the entries, in the spelling of the URLs.",
        [.code])
    case .addressOld:
      Row(
        .warning, "addresses and ranges are not read before iOS 17 and macOS 14",
        fix: "Expect no effect before iOS 17 and macOS 14.",
        [.keys])
    case .addressForm:
      Row(
        .warning, "an address that is not in its usual form matches URLs with the same form only",
        fix: "Write the address in its usual form.",
        [.code, .inferred])
    case .rangeInvalid:
      Row(
        .error, "the system refuses the range, so the entry never matches",
        fix: "Write a shorter range that covers it, or the plain address.",
        [.code])
    case .rangeOctal:
      Row(
        .error, "the length of the range begins with 0 and is read as octal",
        fix: "Write the length without a leading zero.",
        [.code])
    case .rangeWide:
      Row(
        .warning, "cleartext is allowed to a very wide range",
        fix: "List the networks or hosts that need cleartext.",
        [.inferred])
    case .rangeHostBits:
      Row(
        .information, "the range has bits set behind its length, which do not count",
        fix: "Write the network's own address.",
        [.code])
    case .rangeTie:
      Row(
        .warning, "two ranges are the same network with different settings; which wins is undefined",
        fix: "Keep one of the ranges.",
        [.code])
    case .subdomainsAddress:
      Row(
        .information, "NSIncludesSubdomains has no meaning for addresses and ranges",
        fix: "Remove NSIncludesSubdomains: an address has no subdomains.",
        [.keys])
    case .subdomainsDepth:
      Row(
        .information, "the entry is relied on more than one label down, which documentation does not promise",
        fix: "List the deeper names as well.",
        [.code, .keys])
    case .arbitrary:
      Row(
        .warning, "NSAllowsArbitraryLoads turns ATS off for every host without an entry",
        fix: "List the hosts that need an exception, or name the class of loads that does.",
        [.keys])
    case .arbitraryIgnored:
      Row(
        .warning,
        "NSAllowsArbitraryLoads counts on iOS 9 and OS X 10.11 only, because another key cancels it",
        fix: "Remove NSAllowsArbitraryLoads, unless iOS 9 and OS X 10.11 are to do without ATS.",
        [.keys, .code])
    case .arbitraryDead:
      Row(
        .error, "NSAllowsArbitraryLoads has no effect on any system that the program runs on",
        fix: "Remove NSAllowsArbitraryLoads.",
        [.code])
    case .globalFalse:
      Row(
        .warning, "a key that is NO cancels NSAllowsArbitraryLoads by being there",
        fix: "Remove the key that is NO, or NSAllowsArbitraryLoads.",
        [.code])
    case .localOff:
      Row(
        .information, "local devices need HTTPS, because NSAllowsLocalNetworking is NO",
        fix: "Remove the key where local devices have no HTTPS.",
        [.code])
    case .localEntry:
      Row(
        .warning, "the entry takes from a local host the cleartext that it had without it",
        fix: "Remove the entry, or allow cleartext in it, where the host has no HTTPS.",
        [.code])
    case .entryShadow:
      Row(
        .warning, "the entry is stricter than the global key that covers all other hosts",
        fix: "Keep the entry where the host is meant to be strict; else remove it.",
        [.code])
    case .secrecyInsecure:
      Row(
        .warning, "cleartext allowed and forward secrecy given up: any suite of the system is accepted",
        fix: "Keep forward secrecy, unless the server offers suites of the system alone.",
        [.code])
    case .insecureOnly:
      Row(
        .information, "allowing cleartext relaxes neither TLS version nor suites nor certificates",
        fix:
          "Add the key that fits where HTTPS fails: NSExceptionMinimumTLSVersion or NSExceptionRequiresForwardSecrecy.",
        [.keys])
    case .insecureHTTPS:
      Row(
        .warning, "cleartext is allowed to hosts that were seen over HTTPS only",
        fix: "Remove NSExceptionAllowsInsecureHTTPLoads.",
        [.inferred, .captures])
    case .unused:
      Row(
        .information, "the entry was used by no load that was seen",
        fix: "Remove the entry, if the captures show all that the app loads.",
        [.captures])
    case .builtIn:
      Row(
        .information, "the system has an entry of its own for the host",
        fix: "Remove the entry, unless it is meant to be stricter than the system's.",
        [.code])
    case .pinEmpty:
      Row(
        .error, "pins without a readable digest: every connection to the host fails",
        fix: "Write the digests of the keys, or remove the key.",
        [.pinCode])
    case .pinDigest:
      Row(
        .error, "a digest is not base64 of 32 bytes and never matches",
        fix: "Write the base64 of the SHA-256 of the SubjectPublicKeyInfo.",
        [.pinCode])
    case .pinSingle:
      Row(
        .warning, "one pin and no backup: a new key locks the app out",
        fix: "Add the digest of a backup key.",
        [.keys])
    case .pinBoth:
      Row(
        .information, "pins on leaf and CA: both must match",
        fix: "Keep one kind, unless both are meant.",
        [.keys])
    case .pinSubdomain:
      Row(
        .warning, "the pins do not reach all the hosts that they seem to",
        fix: "Write <true/>, and an entry for deeper names.",
        [.pinCode])
    case .pinOld:
      Row(
        .information, "pins are not enforced before iOS 14 and macOS 11",
        fix: "Expect no pins before iOS 14 and macOS 11.",
        [.keys])
    case .pinWeb:
      Row(
        .information, "pins are not enforced in web views",
        fix: "Expect no pins in web views.",
        [.field])
    case .pinRequired:
      Row(
        .warning, "SecTrustPinningRequired is not documented and breaks connections",
        fix: "Remove SecTrustPinningRequired.",
        [.pinCode])
    case .niapValue:
      Row(
        .error, "the NIAP package is none that the system knows",
        fix: "Write none, FCP_v2.1 or recommended.",
        [.keys])
    case .niapOld:
      Row(
        .information, "the NIAP keys are not read before 26.4",
        fix: "Expect no effect before iOS 26.4 and macOS 26.4.",
        [.keys])
    case .review:
      Row(
        .information, "App Review asks for a justification of the key",
        fix:
          "State the reason: a server of another party without secure transport, devices that cannot be upgraded, "
          + "content of arbitrary sources, or protected media.",
        [.review, .keys])
    case .appExtension:
      Row(
        .warning, "an extension has other settings than its app; each goes by its own file",
        fix: "Give app and extensions the same settings, where the difference is not meant.",
        [.cocoa])
    }
  }
}
