/// The rules, as `atscope explain` describes them.
package enum RuleCatalogue {
  /// Every rule in the order of reports.
  package static let all: [RuleDescription] = RuleTable.all.map { RuleDescription(type(of: $0)) }

  /// A rule by its name, in any case; nil where no rule has that name.
  package static func rule(named name: String) -> RuleDescription? {
    let upper = name.uppercased()
    return all.first { $0.id == upper }
  }

  /// The index of a rule in the order of reports; after all others for what is not a rule.
  package static func index(of id: String) -> Int { indices[id] ?? all.count }

  private static let indices = Dictionary(
    all.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })

  /// The rule about the trust in a chain.
  package static let trustRule = CertificateTrustRule.id

  /// The edition of the policy text and of the table of weights that judgements follow.
  package static let policyVersion = "2"
}
