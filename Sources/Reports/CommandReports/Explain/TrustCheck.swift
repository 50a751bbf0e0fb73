import ATSRules

/// The checks of certificates that systems name in logs, as in `Trust evaluate failure: [leaf SSLHostname]`
/// (Apple Security framework, SecPolicyChecks.list).
enum TrustCheck {
  /// Returns the rules that cover the checks in a line of a log, in the order of reports; none for lines of other kinds.
  static func rules(in line: String) -> [RuleDescription] {
    guard line.contains("Trust evaluate failure") else { return [] }
    let found = line.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.compactMap(rule)
    return RuleCatalogue.all.filter { rule in found.contains { $0.rawValue == rule.id } }
  }

  /// The rule for a check; a number may follow its name, as in `Revocation1`.
  private static func rule(for check: Substring) -> RuleID? {
    var name = check
    while ruleByCheck[String(name)] == nil, name.last?.isNumber == true { name.removeLast() }
    return ruleByCheck[String(name)]
  }

  /// Checks without an entry belong to no rule, or to several.
  private static let ruleByCheck: [String: RuleID] = [
    "SSLHostname": .certificateHost,
    "TemporalValidity": .certificateDates, "ValidLeaf": .certificateDates, "ValidIntermediates": .certificateDates,
    "ValidRoot": .certificateDates,
    "WeakKeySize": .certificateKey, "SystemTrustedWeakKey": .certificateKey,
    "WeakSignature": .certificateSignature, "SystemTrustedWeakHash": .certificateSignature,
    "SignatureHashAlgorithms": .certificateSignature,
    "AnchorTrusted": .certificateTrust, "MissingIntermediate": .certificateTrust,
    "BasicConstraints": .certificateChain, "BasicConstraintsCA": .certificateChain, "BasicConstraintsPathLen": .certificateChain,
    "CriticalExtensions": .certificateChain,
    "ExtendedKeyUsage": .extendedKeyUsage, "ServerAuthEKU": .extendedKeyUsage,
    "CTRequired": .certificateTransparency, "SystemTrustedCTRequired": .certificateTransparency,
    "ValidityPeriodMaximums": .certificateLifetime, "SystemTrustValidityPeriod": .certificateLifetime,
    "OtherTrustValidityPeriod": .certificateLifetime,
    "Revocation": .certificateRevoked, "BlackListedLeaf": .certificateRevoked,
    "LeafSPKISHA256": .pin, "CAspkiSHA256": .pin, "PinningRequired": .pin,
  ]
}
