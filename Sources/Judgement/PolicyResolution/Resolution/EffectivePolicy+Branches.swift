import TLSParsing

extension EffectivePolicy {
  mutating func add(_ setting: Setting, key: String? = nil, entry: String? = nil, _ text: String) {
    reasons.append(Reason(setting: setting, key: key, entry: entry, text: text))
  }

  /// Applies ATS to a host without an entry if HTTPS is required; the settings already are the defaults.
  mutating func setStrict(because decision: GlobalDecision) {
    reasons.reserveCapacity(8)
    add(.requiresHTTPS, key: decision.key, decision.text)
    add(.trust, key: decision.key, "HTTPS is required, so ATS enforces its requirements for TLS and trust")
    add(.minimumTLSVersion, "TLS 1.2 by default")
    add(.cipherPolicy, "the ATS cipher suites by default")
    add(.requiresForwardSecrecy, "forward secrecy by default")
  }

  /// Turns ATS off for the host, so that the system's own rules apply (C.2, C.4).
  mutating func switchOff(_ decision: GlobalDecision) {
    requiresHTTPS = false
    minimumTLSVersion = nil
    cipherPolicy = .systemDefault
    requiresForwardSecrecy = false
    certificateMinimums = nil
    let off = "ATS is off for this host, so the system's own"
    add(.requiresHTTPS, key: decision.key, decision.text)
    add(.trust, key: decision.key, "ATS is off for this host; default trust evaluation remains")
    let least = systemMinimumTLSVersion == .tls12 ? "1.2" : "1.0"
    add(.minimumTLSVersion, key: decision.key, "\(off) minimum applies: TLS \(least)")
    add(.cipherPolicy, key: decision.key, "\(off) suites apply")
    add(.requiresForwardSecrecy, key: decision.key, "ATS is off for this host")
  }
}

extension PolicyResolver {
  /// Applies an entry, which alone decides even if it is empty (C.2).
  func apply(_ match: EntryIndex.Match, to policy: inout EffectivePolicy) {
    let entry = match.entry.exception
    let kind = match.entry.isBuiltIn ? "the system's own entry" : "the entry"
    policy.matchedEntry = entry.key
    policy.matchedBuiltIn = match.entry.isBuiltIn
    policy.add(.matchedEntry, key: match.entry.isBuiltIn ? nil : ATSKeys.exceptionDomains, entry: entry.key, found(match))

    let insecure = entry.allowsInsecureHTTPLoads(in: policy.release)
    let allowsCleartext = insecure?.value == true
    policy.requiresHTTPS = !allowsCleartext
    policy.add(
      .requiresHTTPS, key: insecure?.key, entry: entry.key,
      allowsCleartext
        ? "\(kind) \(entry.key) allows cleartext"
        : "\(kind) \(entry.key) does not allow cleartext, and global keys do not apply to its host")
    policy.add(
      .trust, key: insecure?.key, entry: entry.key,
      allowsCleartext
        ? "if cleartext is allowed, ATS leaves the final trust decision to the app"
        : "HTTPS is required, so ATS enforces its requirements for TLS and trust")
    applyMinimum(entry, to: &policy)
    applySuites(entry, allowsCleartext: allowsCleartext, to: &policy)
    if policy.release.readsTransparencyKey, entry.requiresCertificateTransparency == true {
      policy.transparencyKeyInForce = true
      policy.add(
        .transparencyKeyInForce, key: ATSKeys.certificateTransparency, entry: entry.key,
        "\(ATSKeys.certificateTransparency) requires SCTs from two logs")
    }
  }

  private func found(_ match: EntryIndex.Match) -> String {
    let key = match.entry.exception.key
    if let tie = match.tie { return "the ranges \(key) and \(tie) are the same network; which one applies is undefined" }
    let origin = match.entry.isBuiltIn ? "built into the system" : "of NSExceptionDomains"
    if match.labelsBelow > 1 {
      return "the host is \(match.labelsBelow) labels below the entry \(key) \(origin), which NSIncludesSubdomains "
        + "covers; the documentation promises only one label"
    }
    return match.labelsBelow == 1
      ? "the host is below the entry \(key) \(origin), and NSIncludesSubdomains is YES"
      : "the entry \(key) \(origin) decides alone for this host"
  }

  private func applyMinimum(_ entry: ExceptionEntry, to policy: inout EffectivePolicy) {
    guard let text = entry.minimumTLSVersion(in: policy.release) else {
      policy.add(.minimumTLSVersion, entry: entry.key, "TLS 1.2 by default")
      return
    }
    guard let version = TLSVersionText.version(of: text.value) else {
      policy.add(.minimumTLSVersion, key: text.key, entry: entry.key, "the system does not understand the value of \(text.key), so TLS 1.2")
      return
    }
    if version == .tls13, !policy.release.knowsTLS13Minimum {
      policy.add(
        .minimumTLSVersion, key: text.key, entry: entry.key,
        "\(text.key) is TLSv1.3, which takes effect from iOS 14 and macOS 11 only; TLS 1.2 here")
      return
    }
    policy.minimumTLSVersion = version
    policy.add(
      .minimumTLSVersion, key: text.key, entry: entry.key,
      version.isDTLS ? "\(text.key) is \(text.value), which has no meaning for URL loads" : "\(text.key) is \(text.value)")
  }

  private func applySuites(_ entry: ExceptionEntry, allowsCleartext: Bool, to policy: inout EffectivePolicy) {
    let secrecy = entry.requiresForwardSecrecy(in: policy.release)
    policy.requiresForwardSecrecy = secrecy?.value ?? true
    if policy.requiresForwardSecrecy {
      policy.add(.cipherPolicy, entry: entry.key, "the ATS cipher suites, because forward secrecy is required")
      policy.add(
        .requiresForwardSecrecy, key: secrecy?.key, entry: entry.key,
        secrecy.map { "\($0.key) is YES" } ?? "forward secrecy by default")
      return
    }
    policy.cipherPolicy = allowsCleartext ? .systemDefault : .atsAndCompatibility
    let key = secrecy?.key
    // Both keys lift the limit, and the one that allows cleartext does so beyond the compatibility group.
    let cipherKey = allowsCleartext ? entry.allowsInsecureHTTPLoads(in: policy.release)?.key : key
    policy.add(
      .cipherPolicy, key: cipherKey, entry: entry.key,
      allowsCleartext
        ? "cleartext is allowed and forward secrecy is not required: the system's own suites"
        : "forward secrecy is not required: RSA key exchange suites are allowed too")
    policy.add(.requiresForwardSecrecy, key: key, entry: entry.key, "\(key ?? "the entry") is NO")
  }
}
