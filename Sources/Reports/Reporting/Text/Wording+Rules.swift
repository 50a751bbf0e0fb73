import ATSRules

extension Wording {
  /// Returns the title of a rule, such as `TLS version`; the identifier if the rule has no title.
  package static func title(_ id: String) -> String { RuleCatalogue.rule(withID: id)?.title ?? id }

  /// Returns the title for use within a sentence: `certificate dates`, `TLS version`.
  package static func titleInSentence(_ id: String) -> String {
    let title = title(id)
    let first = title.prefix { $0 != " " }
    let isName = id == RuleID.certificateTransparency.rawValue || first.dropFirst().contains { $0.isUppercase || $0.isNumber }
    return isName ? title : title.prefix(1).lowercased() + title.dropFirst()
  }

  /// Returns the rules sorted by number of hosts, the highest first; equals in the order of the rule table.
  static func sorted(_ counts: [String: HostCount]) -> [(id: String, hosts: HostCount)] {
    counts.sorted { ($1.value.count, RuleCatalogue.index(of: $0.key)) < ($0.value.count, RuleCatalogue.index(of: $1.key)) }
      .map { ($0.key, $0.value) }
  }

  /// The maximum number of rules in a line.
  private static let maximumRules = 6

  /// Returns rules with their hosts: `TLS version (2 hosts), certificate dates (www.example.com), and 3 more rules`.
  /// `hosts` returns the words for the hosts of a rule.
  static func ruleCounts(_ counts: [String: HostCount], hosts: (HostCount) -> String?) -> String {
    let rules = sorted(counts).map { rule in
      titleInSentence(rule.id) + (hosts(rule.hosts).map { " (\($0))" } ?? "")
    }
    return joined(rules, first: maximumRules, "more rule{s}")
  }

  /// Returns rule identifiers as a list.
  package static func rules(_ ids: [String]) -> String { ids.joined(separator: ", ") }
}
