extension LintRule {
  /// What to do about a finding, whatever the file.
  public var remedy: String { guidance.remedy }

  /// Where this is said, one source a line.
  public var sources: [String] { guidance.sources.map(\.rawValue) }

  /// The sources that the review rests on (policy text H).
  private enum Source: String {
    case code = "Apple Security framework (open source), SecProtocolConfiguration.m and its tests"
    case pinCode = "Apple Security framework, SecPolicy.c and SecPolicyServer.c: pins"
    case keys = "Apple documentation: NSAppTransportSecurity and its keys"
    case cocoa = "Apple archive: Information Property List Key Reference, Cocoa Keys"
    case review = "Apple documentation: Preventing Insecure Network Connections"
    case field = "Measurements and reports by third parties"
    case captures = "The captures of the run"
    case inferred = "Conclusion of ours from the sources above"
  }

  private var guidance: (remedy: String, sources: [Source]) {
    switch self {
    case .rootType: ("Write a dictionary under NSAppTransportSecurity, or remove the key.", [.code, .keys])
    case .misplaced:
      (
        "Move the key to its level: global keys into NSAppTransportSecurity, keys of a host into its entry.",
        [.keys]
      )
    case .domainsType: ("Write a dictionary with an entry a host.", [.code])
    case .entryType: ("Write a dictionary for the host; an empty one asks for strict ATS.", [.code])
    case .boolType: ("Write <true/> or <false/>.", [.code])
    case .boolNumber: ("Write <true/> or <false/>; iOS 18.4 and macOS 15.4 took numbers for false.", [.code])
    case .unknownKey: ("Correct the spelling, or remove the key.", [.code, .keys])
    case .alias:
      (
        "Write the present name, such as NSExceptionMinimumTLSVersion; an entry of early names alone is strict.",
        [.code]
      )
    case .transparencyObsolete:
      ("Remove the key: Certificate Transparency is demanded of all public certificates.", [.keys, .code])
    case .tlsValue: ("Write TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3, spelt exactly so.", [.code])
    case .tlsDTLS: ("Name a version of TLS: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.", [.code])
    case .tlsLow: ("Enable TLS 1.2 on the server and remove the key.", [.keys])
    case .tls13Old: ("Expect TLS 1.2 to be accepted on systems before iOS 14 and macOS 11.", [.field])
    case .tlsRedundant: ("Remove the setting, unless it is there to undo another.", [.keys])
    case .keyCase: ("Write the host in lower case.", [.code])
    case .keyWildcard: ("Write the parent domain, with NSIncludesSubdomains.", [.code])
    case .keyURL: ("Write the host alone, without scheme, port or path.", [.code])
    case .keyDot: ("Write the host without dots at its ends, unless URLs spell it with one.", [.code])
    case .keyIDN: ("Write the A-labels (xn--…).", [.code, .inferred])
    case .keyTLD: ("List the hosts that need it.", [.code])
    case .keyDuplicate: ("Keep one of the entries, in the spelling of the URLs.", [.code])
    case .addressOld: ("Expect no effect before iOS 17 and macOS 14.", [.keys])
    case .addressForm: ("Write the address in its usual form.", [.code, .inferred])
    case .rangeInvalid: ("Write a shorter range that covers it, or the plain address.", [.code])
    case .rangeOctal: ("Write the length without a leading zero.", [.code])
    case .rangeWide: ("List the networks or hosts that need cleartext.", [.inferred])
    case .rangeHostBits: ("Write the network's own address.", [.code])
    case .rangeTie: ("Keep one of the ranges.", [.code])
    case .subdomainsAddress: ("Remove NSIncludesSubdomains: an address has no subdomains.", [.keys])
    case .subdomainsDepth: ("List the deeper names as well.", [.code, .keys])
    case .arbitrary: ("List the hosts that need an exception, or name the class of loads that does.", [.keys])
    case .arbitraryIgnored:
      ("Remove NSAllowsArbitraryLoads, unless iOS 9 and OS X 10.11 are to do without ATS.", [.keys, .code])
    case .arbitraryDead: ("Remove NSAllowsArbitraryLoads.", [.code])
    case .globalFalse: ("Remove the key that is NO, or NSAllowsArbitraryLoads.", [.code])
    case .localOff: ("Remove the key where local devices have no HTTPS.", [.code])
    case .localEntry:
      ("Remove the entry, or allow cleartext in it, where the host has no HTTPS.", [.code])
    case .entryShadow:
      ("Keep the entry where the host is meant to be strict; else remove it.", [.code])
    case .secrecyInsecure:
      ("Keep forward secrecy, unless the server offers suites of the system alone.", [.code])
    case .insecureOnly:
      (
        "Add the key that fits where HTTPS fails: NSExceptionMinimumTLSVersion or NSExceptionRequiresForwardSecrecy.",
        [.keys]
      )
    case .insecureHTTPS: ("Remove NSExceptionAllowsInsecureHTTPLoads.", [.inferred, .captures])
    case .unused: ("Remove the entry, if the captures show all that the app loads.", [.captures])
    case .builtIn: ("Remove the entry, unless it is meant to be stricter than the system's.", [.code])
    case .pinEmpty: ("Write the digests of the keys, or remove the key.", [.pinCode])
    case .pinDigest: ("Write the base64 of the SHA-256 of the SubjectPublicKeyInfo.", [.pinCode])
    case .pinSingle: ("Add the digest of a backup key.", [.keys])
    case .pinBoth: ("Keep one kind, unless both are meant.", [.keys])
    case .pinSubdomain: ("Write <true/>, and an entry for deeper names.", [.pinCode])
    case .pinOld: ("Expect no pins before iOS 14 and macOS 11.", [.keys])
    case .pinWeb: ("Expect no pins in web views.", [.field])
    case .pinRequired: ("Remove SecTrustPinningRequired.", [.pinCode])
    case .niapValue: ("Write none, FCP_v2.1 or recommended.", [.keys])
    case .niapOld: ("Expect no effect before iOS 26.4 and macOS 26.4.", [.keys])
    case .review:
      (
        "State the reason: a server of another party without secure transport, devices that cannot be upgraded, "
          + "content of arbitrary sources, or protected media.", [.review, .keys]
      )
    case .appExtension:
      ("Give app and extensions the same settings, where the difference is not meant.", [.cocoa])
    }
  }
}

extension LintRule {
  /// The finding of this name, in any case; nil where there is none.
  public init?(named name: String) { self.init(rawValue: name.uppercased()) }
}
