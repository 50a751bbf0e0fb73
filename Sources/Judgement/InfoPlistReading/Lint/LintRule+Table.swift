import PolicyResolution

extension LintRule {
  /// The description of a lint rule, which does not depend on the file.
  struct Row {
    let severity: Severity
    let meaning: String
    let fix: String
    /// The sources that document the rule.
    let sources: [PolicySource]

    init(_ severity: Severity, _ meaning: String, fix: String, _ sources: [PolicySource]) {
      self.severity = severity
      self.meaning = meaning
      self.fix = fix
      self.sources = sources
    }
  }

  var row: Row {
    switch self {
    case .rootType:
      Row(
        .error, "NSAppTransportSecurity is not a dictionary and counts as absent",
        fix: "Write a dictionary under NSAppTransportSecurity, or remove the key.", [.configuration, .keys])
    case .misplaced:
      Row(
        .error, "a key is at the wrong nesting level and is ignored",
        fix: "Move the key to its level: global keys into NSAppTransportSecurity, keys of a host into its entry.", [.keys])
    case .domainsType:
      Row(
        .error, "NSExceptionDomains or NSPinnedDomains is not a dictionary and is ignored",
        fix: "Write a dictionary with one entry per host.", [.configuration])
    case .entryType:
      Row(
        .error, "the entry of a host is not a dictionary, so the host counts as unlisted",
        fix: "Write a dictionary for the host; an empty one means strict ATS.", [.configuration])
    case .boolType:
      Row(.error, "a boolean key has a value of another type and counts as absent", fix: "Write <true/> or <false/>.", [.configuration])
    case .boolNumber:
      Row(
        .warning,
        "a boolean is written as a number: only 1 is true; iOS 18.4 and macOS 15.4 read 1 as false too, which atscope does not apply",
        fix: "Write <true/> or <false/>.", [.configuration])
    case .unknownKey:
      Row(
        .warning, "no system reads the key",
        fix: "Correct the spelling, or remove the key.",
        [.configuration, .keys])
    case .alias:
      Row(
        .error, "an old name of a key, which current systems do not read",
        fix: "Write the current name, such as NSExceptionMinimumTLSVersion; an entry with only old names is strict.", [.configuration])
    case .transparencyObsolete:
      Row(
        .remark, "NSRequiresCertificateTransparency has no effect from iOS 12.1 and macOS 10.14.2",
        fix: "Remove the key: the system requires Certificate Transparency of all public certificates.", [.keys, .configuration])
    case .tlsValue:
      Row(
        .error, "the minimum TLS version is not understood, so 1.2 applies", fix: "Write exactly TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.",
        [.configuration])
    case .tlsDTLS:
      Row(
        .error, "a DTLS version has no meaning for URL loads", fix: "Write a TLS version: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.",
        [.configuration])
    case .tlsLow:
      Row(
        .warning, "a minimum below TLS 1.2",
        fix: "Enable TLS 1.2 on the server and remove the key.",
        [.keys])
    case .tls13Old:
      Row(
        .remark, "TLSv1.3 as a minimum has no effect before iOS 14 and macOS 11",
        fix: "Systems before iOS 14 and macOS 11 accept TLS 1.2; do not rely on the key there.", [.field])
    case .tlsRedundant:
      Row(
        .remark, "the setting repeats the default",
        fix: "Remove the setting, unless it overrides another.",
        [.keys])
    case .keyCase:
      Row(
        .error, "a host with a capital letter never matches",
        fix: "Write the host in lower case.",
        [.configuration])
    case .keyWildcard:
      Row(
        .error, "an asterisk in a host has no meaning; use NSIncludesSubdomains",
        fix: "Write the parent domain with NSIncludesSubdomains, or the address range.", [.configuration])
    case .keyURL:
      Row(
        .error, "a host with a scheme, port, path, bracket or blank never matches",
        fix: "Write the host alone, without scheme, port or path.", [.configuration])
    case .keyDot:
      Row(
        .warning, "a host with a dot at its start or end, or with an empty label",
        fix: "Write the host without leading or trailing dots, unless URLs have them.", [.configuration])
    case .keyIDN:
      Row(.error, "a host that is not in A-labels (xn--…) never matches", fix: "Write the A-labels (xn--…).", [.configuration, .inferred])
    case .keyTLD:
      Row(.warning, "the entry covers a whole top-level domain or public suffix", fix: "List the hosts that need it.", [.configuration])
    case .keyDuplicate:
      Row(
        .warning, "two keys are the same, or differ only in case, in a dot, or in the devices that read them",
        fix: "Keep one of the two. Of two hosts, keep the one in the spelling of the URLs.", [.configuration])
    case .buildVariable:
      Row(
        .remark, "a key or value has a build variable, which Xcode replaces in the built app",
        fix: "Check the Info.plist of the built app.", [.inferred])
    case .addressOld:
      Row(
        .warning, "addresses and ranges are ignored before iOS 17 and macOS 14",
        fix: "Do not rely on the entry before iOS 17 and macOS 14.", [.keys])
    case .addressForm:
      Row(
        .warning, "an address in an unusual notation matches only URLs with the same notation",
        fix: "Write the address in its usual notation.", [.configuration, .inferred])
    case .rangeInvalid:
      Row(
        .error, "the system rejects the range, so the entry never matches",
        fix: "Write a decimal prefix length, a wider range in a shorter notation, or the address alone.", [.configuration])
    case .rangeOctal:
      Row(
        .error, "the prefix length begins with 0 and is read as octal",
        fix: "Write the range that the system reads, or the prefix length that was meant without the leading zero.", [.configuration])
    case .rangeWide:
      Row(.warning, "cleartext is allowed for a very wide range", fix: "List the networks or hosts that need cleartext.", [.inferred])
    case .rangeHostBits:
      Row(
        .remark, "the range has bits set beyond its prefix length, which are ignored", fix: "Write the network address.", [.configuration])
    case .rangeTie:
      Row(
        .warning, "two ranges are the same network with different settings; which wins is undefined", fix: "Keep one of the ranges.",
        [.configuration])
    case .subdomainsAddress:
      Row(
        .remark, "NSIncludesSubdomains has no meaning for addresses and ranges",
        fix: "Remove NSIncludesSubdomains: an address has no subdomains.", [.keys])
    case .subdomainsDepth:
      Row(
        .remark, "the entry is used more than one label below, which the documentation does not promise",
        fix: "List the deeper names as well.", [.configuration, .keys])
    case .arbitrary:
      Row(
        .warning, "NSAllowsArbitraryLoads disables ATS for every host without an entry",
        fix: "List the hosts that need an exception, or use the key for the kind of load that does.", [.keys])
    case .arbitraryIgnored:
      Row(
        .warning, "NSAllowsArbitraryLoads has an effect only on iOS 9 and OS X 10.11, because another key cancels it",
        fix: "Remove NSAllowsArbitraryLoads, unless ATS must be off on iOS 9 and OS X 10.11.", [.keys, .configuration])
    case .arbitraryDead:
      Row(
        .error, "NSAllowsArbitraryLoads has no effect on any system that the program runs on", fix: "Remove NSAllowsArbitraryLoads.",
        [.configuration])
    case .globalFalse:
      Row(
        .warning, "a key with the value NO cancels NSAllowsArbitraryLoads by its presence",
        fix: "Remove the key with the value NO, or NSAllowsArbitraryLoads.", [.configuration])
    case .localOff:
      Row(
        .remark, "local devices need HTTPS, because NSAllowsLocalNetworking is NO", fix: "Remove the key if local devices have no HTTPS.",
        [.configuration])
    case .localEntry:
      Row(
        .warning, "the entry forbids cleartext to a local host, which is allowed without the entry",
        fix: "Remove the entry, or allow cleartext in it, if the host has no HTTPS.", [.configuration])
    case .entryShadow:
      Row(
        .warning, "the entry is stricter than the global key that covers all other hosts",
        fix: "Keep the entry if the host must be strict; otherwise remove it.", [.configuration])
    case .secrecyInsecure:
      Row(
        .warning, "with cleartext allowed and forward secrecy not required, every cipher suite of the system is accepted",
        fix: "Require forward secrecy, unless the server supports no ATS suite.", [.configuration])
    case .insecureOnly:
      Row(
        .remark, "allowing cleartext does not relax TLS version, cipher suites or certificates",
        fix:
          "Nothing, if the app uses http:// for this host; if HTTPS fails, add NSExceptionMinimumTLSVersion or NSExceptionRequiresForwardSecrecy.",
        [.keys])
    case .insecureHTTPS:
      Row(
        .warning, "cleartext is allowed for hosts that were observed only over HTTPS", fix: "Remove NSExceptionAllowsInsecureHTTPLoads.",
        [.inferred, .captures])
    case .unused:
      Row(
        .remark, "no observed load used the entry", fix: "Remove the entry if the captures cover everything that the app loads.",
        [.captures])
    case .builtIn:
      Row(
        .remark, "the system has a built-in entry for the host", fix: "Remove the entry, unless it must be stricter than the built-in one.",
        [.configuration])
    case .pinEmpty:
      Row(
        .error, "pins without a readable digest: every connection to the host fails",
        fix: "Write the digests of the keys, or remove the key.", [.policy, .policyServer])
    case .pinDigest:
      Row(
        .error, "a digest is not base64 of 32 bytes and never matches", fix: "Write the base64 of the SHA-256 of the SubjectPublicKeyInfo.",
        [.policy, .policyServer])
    case .pinSingle:
      Row(.warning, "one pin and no backup: a new key on the server locks the app out", fix: "Add the digest of a backup key.", [.keys])
    case .pinBoth:
      Row(
        .remark, "pins on leaf and CA: both must match",
        fix: "Keep one kind, unless you need both.",
        [.keys])
    case .pinSubdomain:
      Row(
        .warning, "the pins do not cover all the hosts that they seem to", fix: "Write <true/>, and add an entry for deeper names.",
        [.policy, .policyServer])
    case .pinOld:
      Row(.remark, "pins are not enforced before iOS 14 and macOS 11", fix: "Do not rely on pins before iOS 14 and macOS 11.", [.keys])
    case .pinWeb:
      Row(
        .remark, "pins are not enforced in web views",
        fix: "Do not rely on pins in web views.",
        [.field])
    case .pinRequired:
      Row(
        .warning, "SecTrustPinningRequired is not documented and breaks connections", fix: "Remove SecTrustPinningRequired.",
        [.policy, .policyServer])
    case .niapValue:
      Row(
        .error, "the NIAP package is unknown to the system",
        fix: "Write none, FCP_v2.1 or recommended.",
        [.keys])
    case .niapOld:
      Row(.remark, "the NIAP keys are ignored before 26.4", fix: "Do not rely on the keys before iOS 26.4 and macOS 26.4.", [.keys])
    case .review:
      Row(
        .remark, "App Review requires a justification for the key",
        fix: "Explain to App Review why it is needed: a server of a third party without HTTPS, devices that cannot be upgraded, "
          + "content from arbitrary sources, or protected (DRM) media, for example.", [.preventing, .keys])
    case .appExtension:
      Row(
        .warning, "an extension has different settings from its app; each uses its own file",
        fix: "Give app and extensions the same settings, unless the difference is intended.", [.cocoaKeys])
    }
  }
}
